package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

// trace is a run of the documented module: what the origin did at each send of
// each call, and the events that were written.
type trace struct {
	Name    string     `json:"name"`
	Max     int        `json:"max_attempts"`
	Calls   [][]string `json:"calls"`
	Results []struct {
		Sent int `json:"sent"`
	} `json:"results"`
	Events [][2]json.RawMessage `json:"events"`
}

// excepted are the traces that cannot be ours: a refused or reset connection is
// NOT_SENT or BROKEN here, and a result without its COMPLETE cannot be, since
// both are one transaction.
var excepted = []string{"connection refused, asked again", "connection reset, asked again", "killed after rename, before COMPLETE"}

func TestTheDocumentedTracesOnAFreeRoute(t *testing.T) {
	var file struct {
		Traces []trace `json:"traces"`
	}
	b, err := os.ReadFile("testdata/journal_traces.json")
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte(`{"choices":[NaN]}`), []byte("null")) // what Python returned, and JSON has no word for
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, tr := range file.Traces {
		if slices.Contains(excepted, tr.Name) {
			continue
		}
		ran++
		t.Run(tr.Name, func(t *testing.T) { tr.run(t) })
	}
	if ran != 18 {
		t.Errorf("%d traces ran, want 21 without the %d excepted", ran, len(excepted))
	}
}

func (tr *trace) run(t *testing.T) {
	path := newPath(t)
	j := open1(t, path)
	for i, replies := range tr.Calls {
		sent, died := tr.call(t, j, replies)
		if sent != tr.Results[i].Sent {
			t.Errorf("call %d sent %d times, want %d", i+1, sent, tr.Results[i].Sent)
		}
		if died {
			crash(t, j)
			j = open1(t, path)
		}
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	checkFolds(t, j)
	var want, got []string
	for _, ev := range tr.Events {
		want = append(want, strings.Trim(string(ev[0]), `"`)+" "+compact(t, ev[1]))
	}
	for _, ev := range dossier(t, j, 1).Events {
		if ev.Name.Documented() {
			got = append(got, string(ev.Name)+" "+documented(t, ev))
		}
	}
	same(t, "events", want, got)
	if n := len(list(t, j, exchange.Page{})); n != 1 {
		t.Errorf("%d rows, want one that goes on", n)
	}
}

func open1(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path, Options{Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// call does what the proxy does on a free route: replay, or attempts until one
// is accepted or the budget is spent.
func (tr *trace) call(t *testing.T, j *Journal, replies []string) (sent int, died bool) {
	r := recall(t, j, "a")
	if r.Result != nil {
		appended(t, j, exchange.Step{Claim: exchange.Claim{Row: r.Entry.ID}, Events: []exchange.Event{{Name: exchange.CACHEHIT}}})
		return 0, false
	}
	row := r.Entry.ID
	for n := 1; n <= tr.Max; n++ {
		c := appended(t, j, exchange.Step{Intent: intent("a"), Row: row, Events: send(n)})
		row = c.Row
		sent++
		last := n == tr.Max
		reply := replies[n-1]
		step := exchange.Step{Claim: c, End: &exchange.AttemptEnd{Raw: []byte(reply)}}
		switch {
		case reply == "Kill" || len(replies) > n && replies[n] == "KILL_BEFORE_REPLACE":
			return sent, true
		case reply == "TimeoutError":
			step.Events = []exchange.Event{{Name: exchange.TIMEOUT}}
			if last {
				step.Events = append(step.Events, exchange.Event{Name: exchange.DEADLETTER})
			}
		case strings.HasPrefix(reply, `{"choices":`):
			if err := j.Accept(c, exchange.Result{Status: 200, Body: []byte(reply)}); err != nil {
				t.Fatal(err)
			}
			return sent, false
		default:
			why := "unexpected envelope"
			if reply == `{"choi` {
				why = "Unterminated string starting at: line 1 column 2 (char 1)"
			}
			step.Events = []exchange.Event{{Name: exchange.INCOMPLETE, Detail: exchange.Detail{Error: why, Retry: !last}}}
		}
		appended(t, j, step)
	}
	return sent, false
}

// documented is an event's detail with the documented members alone.
func documented(t *testing.T, ev exchange.Event) string {
	s := ev.JSON()
	if s == "" {
		return "null"
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(s), &all); err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if name != "n" && name != "after" && name != "error" {
			delete(all, name)
		}
	}
	return mustJSON(all)
}

func compact(t *testing.T, raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return mustJSON(v)
}
