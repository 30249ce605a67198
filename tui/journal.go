package tui

import (
	"strconv"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

func (m *model) entryColumns(w int) []column[*exchange.Entry] {
	return fit(w, []column[*exchange.Entry]{
		{title: "ROW", w: 4, right: true, cell: func(e *exchange.Entry) (tone, string) {
			return dim, strconv.FormatInt(e.ID, 10)
		}},
		{title: "AGE", w: 3, right: true, cell: func(e *exchange.Entry) (tone, string) {
			return dim, cell.Age(m.clock().Sub(e.UpdatedAt))
		}},
		{title: "MODEL", w: 10, grow: 1, from: 72, cell: func(e *exchange.Entry) (tone, string) {
			if e.Model == "" {
				return dim, line(e.Route)
			}
			return plain, line(e.Model)
		}},
		{title: "PROMPT", w: 8, grow: 2, cell: func(e *exchange.Entry) (tone, string) {
			if e.Preview == "" {
				return dim, line(e.Target)
			}
			return plain, line(flat(e.Preview))
		}},
		{title: "EVENT", w: 11, cell: func(e *exchange.Entry) (tone, string) { return eventTone(e.Newest), string(e.Newest) }},
		{title: "STATE", w: 11, cell: func(e *exchange.Entry) (tone, string) { return rowStateTone(e.State), string(e.State) }},
		{title: "ATT", w: 3, right: true, cell: func(e *exchange.Entry) (tone, string) { return dim, strconv.Itoa(e.Attempts) }},
		{title: "RISK", w: 8, cell: func(e *exchange.Entry) (tone, string) {
			if e.Accepted {
				return faint, "·" // there is nothing to send again
			}
			return riskTone(e.Risk), riskWord(e.Risk)
		}},
	})
}

// entrySign says beside the words how a row stands.
func entrySign(e *exchange.Entry, now time.Time) (tone, string) {
	switch {
	case e.State.Active():
		return alive, spin(now)
	case e.Accepted && e.Owed:
		return good, "◇" // accepted, and nobody has read it yet
	case e.Accepted:
		return good, "✓"
	case rowStateTone(e.State) == bad:
		return bad, "✗"
	}
	return warn, "!"
}

func (m *model) drawJournal(s *shape) []string {
	cols := m.entryColumns(s.listW)
	out := []string{titles(m.t, s.listW, cols)}
	switch p := &m.past; {
	case m.o.Past == nil:
		return append(out, m.empty(s.listW, dim, "There is no journal: no route keeps one.")...)
	case p.err != nil:
		return append(out, m.empty(s.listW, bad, "The journal cannot be read: "+line(p.err.Error()))...)
	case !p.read:
		return append(out, m.empty(s.listW, dim, "Reading …")...)
	case len(p.rows) == 0:
		out = append(out, m.empty(s.listW, dim, "No call has been journaled yet. Each LLM call is written here before it is sent:")...)
		return append(out, m.t.row(s.listW).add(plain, "   "+line(m.o.JournalPath)).end())
	case len(p.keptID) == 0:
		return append(out, m.drawNothing(s)...)
	}
	c := &m.lists[journal]
	for i, e := range m.past.window(c) {
		in, what := entrySign(&e, m.clock())
		r := m.t.mark(s.listW, i == c.line, in, what)
		write(r, cols, &e)
		out = append(out, r.end())
	}
	return out
}

// previewEntry says what is known of the selected row and what may be done.
func (m *model) previewEntry(w, h int) []string {
	e := m.past.selected(&m.lists[journal])
	if e == nil {
		return nil
	}
	p := page{t: m.t, w: w}
	if m.w >= sideBySide {
		p.add(m.t.row(w).add(strong, m.previewTitle()))
		p.gap()
	}
	p.add(m.t.row(w).add(rowStateTone(e.State), string(e.State)).add(dim, "  "+stateMeans(e.State)))
	p.wrap(riskOf(e), e.Words())
	p.wrap(dim, "after "+plural(e.Attempts, "attempt", "attempts")+" by "+e.Route+", key "+e.Key+", began "+cell.Age(m.now.Sub(e.CreatedAt))+" ago")
	if e.DuplicateOf != 0 {
		p.add(m.t.row(w).add(dim, "the same request as row "+strconv.FormatInt(e.DuplicateOf, 10)))
	}
	p.add(m.t.row(w).add(plain, line(e.Method)+" "+line(e.Target)))
	if e.Preview != "" {
		p.gap()
		p.wrap(dim, e.Preview)
	}
	return p.first(h)
}

func riskOf(e *exchange.Entry) tone {
	if e.Accepted {
		return dim
	}
	return riskTone(e.Risk)
}

// stateMeans says what a state means and what comes next.
func stateMeans(s exchange.RowState) string {
	switch s {
	case exchange.Preparing:
		return "about to be sent"
	case exchange.InFlight:
		return "sent, no answer yet"
	case exchange.Streaming:
		return "the answer is coming"
	case exchange.Accepted:
		return "the same request is answered from here"
	case exchange.RetryWait:
		return "another attempt is due"
	case exchange.NotSent:
		return "r sends it"
	case exchange.Rejected:
		return "the provider said no; r asks again"
	case exchange.Uncertain:
		return "cut before any content; r sends it again"
	case exchange.Partial:
		return "the end is missing; r sends it again"
	case exchange.Interrupted:
		return "the process died meanwhile; r completes it"
	case exchange.Killed:
		return "ended by an operator; r sends it again"
	case exchange.DeadLetter:
		return "all attempts are spent; r tries again"
	}
	return "given up; r sends it after all"
}
