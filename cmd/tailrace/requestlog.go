package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"tailrace/proxy/exchange"
)

// requestLog writes a line for each exchange that has ended. It is an observer:
// it folds the facts of what is under way and hands a finished line on.
type requestLog struct {
	lines *lines
	json  bool

	mu   sync.Mutex
	open map[exchange.ID]*exchange.State
}

func newRequestLog(l *lines, asJSON bool) *requestLog {
	return &requestLog{lines: l, json: asJSON, open: map[exchange.ID]*exchange.State{}}
}

// Observe folds one fact in, and writes the line of the last one.
func (l *requestLog) Observe(f exchange.Fact) {
	switch f := f.(type) {
	case exchange.Received:
		s := &exchange.State{}
		s.Apply(f)
		s.Header, s.Call.Messages = nil, nil // not for the log, and large
		l.mu.Lock()
		l.open[f.ID] = s
		l.mu.Unlock()
	case exchange.Served:
		s := &exchange.State{}
		s.Apply(f)
		l.write(s)
	case exchange.Progress, exchange.Purged: // text is not for the log
	case exchange.Finished:
		l.mu.Lock()
		s := l.open[f.ID]
		delete(l.open, f.ID)
		l.mu.Unlock()
		if s != nil {
			s.Apply(f)
			l.write(s)
		}
	default:
		l.mu.Lock()
		if s := l.open[f.Of().ID]; s != nil {
			s.Apply(f)
			s.Response = nil
		}
		l.mu.Unlock()
	}
}

func (l *requestLog) write(s *exchange.State) {
	if l.json {
		l.lines.put(jsonLine(s))
	} else {
		l.lines.put(textLine(s))
	}
}

// logJSON has the names of the admin API.
type logJSON struct {
	Time     string `json:"ts"`
	ID       string `json:"id"`
	Method   string `json:"method"`
	Path     string `json:"path"`
	Route    string `json:"route,omitempty"`
	Status   int    `json:"status"` // 0: no head went out
	XCache   string `json:"x_cache,omitempty"`
	Source   string `json:"x_cache_source,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Outcome  string `json:"outcome"`
	Millis   int64  `json:"duration_ms"`
	BytesOut int64  `json:"bytes_out"`
	Model    string `json:"model,omitempty"`
	Tokens   int    `json:"output_tokens,omitempty"`
	Key      string `json:"key,omitempty"`
	Row      string `json:"journal_id,omitempty"`
	Attempt  int    `json:"attempt,omitempty"`
	Cause    string `json:"cause,omitempty"`
}

func logOf(s *exchange.State) logJSON {
	l := logJSON{
		Time: s.Ended.UTC().Format("2006-01-02T15:04:05.000000Z07:00"), ID: s.ID.String(),
		Method: s.Method, Path: s.Target, Route: s.Route, Status: s.Status,
		XCache: string(s.Verdict.XCache), Source: string(s.Verdict.Source), Reason: s.Verdict.Reason,
		Outcome: string(s.Outcome), Millis: s.Ended.Sub(s.Started).Milliseconds(), BytesOut: s.BytesOut,
		Model: s.Call.Model, Tokens: s.Usage.Output, Key: s.Key, Attempt: s.Attempt, Cause: own(s.Cause),
	}
	if s.Row != 0 {
		l.Row = strconv.FormatInt(s.Row, 10)
	}
	return l
}

func jsonLine(s *exchange.State) string {
	b, err := json.Marshal(logOf(s))
	if err != nil { // a struct of strings and numbers
		panic(err)
	}
	return string(b)
}

// textLine is for people and for grep. Values from traffic are written so that
// a terminal obeys nothing in them.
func textLine(s *exchange.State) string {
	v := logOf(s)
	var b strings.Builder
	status := "-"
	if v.Status != 0 {
		status = strconv.Itoa(v.Status)
	}
	verdict := v.XCache
	if verdict == "" {
		verdict = "-"
	}
	fmt.Fprintf(&b, "%s %s %s %s %s", v.Time, plain(v.Method), plain(v.Path), status, verdict)
	add := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + "=" + plain(value))
		}
	}
	add("outcome", v.Outcome)
	add("took", s.Ended.Sub(s.Started).Round(time.Millisecond).String())
	add("bytes", strconv.FormatInt(v.BytesOut, 10))
	add("route", v.Route)
	add("source", v.Source)
	add("reason", v.Reason)
	add("model", v.Model)
	if v.Tokens > 0 {
		add("tokens", strconv.Itoa(v.Tokens))
	}
	add("key", v.Key)
	add("row", v.Row)
	if v.Attempt > 1 {
		add("attempt", strconv.Itoa(v.Attempt))
	}
	add("id", v.ID)
	add("cause", v.Cause)
	return b.String()
}

// plain quotes what is not one word of printable ASCII.
func plain(s string) string {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return strconv.QuoteToASCII(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
