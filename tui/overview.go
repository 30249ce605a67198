package tui

import (
	"fmt"
	"strconv"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// write fills the page of the tab that is open.
func (d *detail) write(p *page, m *model) {
	if d.err != nil {
		p.wrap(bad, "The journal cannot tell about row "+strconv.FormatInt(d.row, 10)+": "+d.err.Error())
		p.gap()
	}
	switch d.tab {
	case overview:
		d.overview(p, m)
	case messages:
		d.messages(p)
	case answer:
		d.answer(p)
	case events:
		d.events(p)
	case headers:
		d.headers(p)
	case raw:
		d.raw(p)
	}
	if len(p.lines) == 0 {
		what := "Nothing to show here."
		if d.reading {
			what = "Reading …"
		}
		p.add(p.t.row(p.w).add(dim, what))
	}
}

// pair adds a label and what it says; nothing when it says nothing.
func (p *page) pair(label string, in tone, value string) {
	if value == "" {
		return
	}
	const w = 13
	for i, l := range cell.Wrap(cell.Text(value), p.w-w) {
		r := p.t.row(p.w)
		if i == 0 {
			r.add(dim, cell.Pad(label, w))
		} else {
			r.add(plain, cell.Blank(w))
		}
		p.add(r.add(in, l))
	}
}

func (p *page) heading(text string) {
	if len(p.lines) > 0 {
		p.gap()
	}
	p.add(p.t.row(p.w).add(accent, text))
}

func (d *detail) overview(p *page, m *model) {
	if d.id != 0 {
		d.overviewExchange(p, m)
	}
	if d.dossier != nil {
		d.overviewRow(p, m)
	}
}

func (d *detail) overviewExchange(p *page, m *model) {
	s := &d.state
	p.heading("Exchange #" + d.id.String())
	p.pair("request", plain, s.Method+" "+s.Target)
	p.pair("from", plain, or(s.Client, "an operator's retry of row "+strconv.FormatInt(s.RetryOf, 10)))
	p.pair("route", plain, s.Route)
	if s.Call.Model != "" || s.Call.Dialect != "" {
		p.pair("call", plain, string(s.Call.Dialect)+" "+s.Call.API+" "+s.Call.Model)
	}
	if s.Call.Tools > 0 {
		p.pair("tools", plain, strconv.Itoa(s.Call.Tools))
	}
	switch {
	case s.Call.Stream():
		p.pair("stream", plain, "declared by its "+string(s.Call.Declared))
	case s.Stream || s.Undeclared:
		p.pair("stream", warn, "undeclared: the client did not ask for one; Accept: text/event-stream does")
	}
	in, word := stateWord(s)
	p.pair("state", in, word)
	p.pair("cause", warn, s.Cause)
	if s.Status != 0 {
		p.pair("status", statusTone(s.Status), strconv.Itoa(s.Status))
	}
	if s.Verdict.XCache != "" {
		why := verdictWords(s)
		if s.Verdict.Reason != "" {
			why += " (" + s.Verdict.Reason + ")"
		}
		p.pair("X-Cache", verdictTone(s.Verdict.XCache), string(s.Verdict.XCache)+": "+why)
	}
	p.pair("origin", plain, s.Origin)
	if s.Leader != 0 {
		p.pair("rides on", plain, "#"+s.Leader.String())
	}
	p.pair("key", plain, s.Key)
	if u := s.Usage; u.Input+u.Output > 0 {
		p.pair("tokens", plain, usageWords(u))
	}
	if r := rate(s); r > 0 {
		p.pair("speed", plain, fmt.Sprintf("%.1f tokens/s", r))
	}
	p.pair("bytes", plain, fmt.Sprintf("%s asked, %s from the origin, %s to the client", cell.Bytes(int64(s.BodyBytes)), cell.Bytes(s.Bytes), cell.Bytes(s.BytesOut)))
	p.pair("began", plain, clock(s.Started)+", "+cell.Age(m.now.Sub(s.Started))+" ago")
	p.pair("took", plain, cell.Duration(took(s, m.now)))
	if t := ttft(s); t != "" {
		what := "first token"
		if s.FirstToken.IsZero() {
			what = "head"
		}
		p.pair(what, plain, t+" after it was sent")
	}
}

func usageWords(u exchange.Usage) string {
	s := fmt.Sprintf("%d in, %d out", u.Input, u.Output)
	if u.Cached > 0 {
		s += fmt.Sprintf(", %d of the input cached", u.Cached)
	}
	if u.Reasoning > 0 {
		s += fmt.Sprintf(", %d of the output reasoning", u.Reasoning)
	}
	if !u.Exact {
		s += " (our estimate)"
	}
	return s
}

func (d *detail) overviewRow(p *page, m *model) {
	e := &d.dossier.Entry
	p.heading("Journal row " + strconv.FormatInt(e.ID, 10))
	p.pair("state", rowStateTone(e.State), string(e.State)+": "+stateMeans(e.State))
	p.pair("newest event", eventTone(e.Newest), string(e.Newest))
	p.pair("risk", riskOf(e), e.Words())
	if e.Owed {
		p.pair("owed", good, "no client has seen its end; the next same request gets it")
	}
	if d.id == 0 {
		p.pair("request", plain, e.Method+" "+e.Target)
		p.pair("call", plain, string(e.Dialect)+" "+e.API+" "+e.Model)
		p.pair("route", plain, e.Route)
	}
	p.pair("key", plain, e.Key)
	p.pair("scope", plain, e.Scope)
	if e.DuplicateOf != 0 {
		p.pair("same as", plain, "row "+strconv.FormatInt(e.DuplicateOf, 10))
	}
	p.pair("written", plain, clock(e.CreatedAt)+", "+cell.Age(m.now.Sub(e.CreatedAt))+" ago")
	p.pair("changed", plain, clock(e.UpdatedAt)+", "+cell.Age(m.now.Sub(e.UpdatedAt))+" ago")
	for i := range d.dossier.Attempts {
		p.attempt(&d.dossier.Attempts[i])
	}
}

func (p *page) attempt(a *exchange.Attempt) {
	r := p.t.row(p.w).add(dim, cell.Pad("attempt "+strconv.Itoa(a.N), 13))
	if a.Outcome == "" {
		r.add(alive, "under way")
	} else {
		r.add(outcomeTone(a.Outcome), string(a.Outcome))
	}
	if a.Status != 0 {
		r.add(statusTone(a.Status), "  "+strconv.Itoa(a.Status))
	}
	if !a.EndedAt.IsZero() {
		r.add(dim, "  "+cell.Duration(a.EndedAt.Sub(a.StartedAt)))
	}
	r.add(dim, "  "+cell.Bytes(a.Bytes))
	if a.Error != "" {
		r.add(warn, "  "+line(a.Error))
	}
	p.add(r)
}

// clock is the exact time, in the zone of the person who looks.
func clock(t time.Time) string { return t.Format("2006-01-02 15:04:05.000") }
