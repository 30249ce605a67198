package tui

import (
	"fmt"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// streamColumns are the columns of the Streams list; below each line stand the
// stream's last words.
func (m *model) streamColumns(w int) []column[*exchange.State] {
	return fit(w, []column[*exchange.State]{
		{title: "AGE", w: 3, right: true, cell: func(s *exchange.State) (tone, string) {
			return dim, cell.Age(m.clock().Sub(s.Started))
		}},
		{title: "MODEL", w: 12, grow: 2, cell: modelCell},
		{title: "ROUTE", w: 8, grow: 1, from: 96, cell: func(s *exchange.State) (tone, string) { return dim, line(s.Route) }},
		{title: "STATE", w: 11, cell: func(s *exchange.State) (tone, string) { return stateWord(s) }},
		{title: "TTFT", w: 6, right: true, from: 72, cell: func(s *exchange.State) (tone, string) { return dim, ttft(s) }},
		{title: "TOK", w: 6, right: true, cell: func(s *exchange.State) (tone, string) { return plain, tokens(s.Usage) }},
		{title: "TOK/S", w: 5, right: true, cell: func(s *exchange.State) (tone, string) {
			if r := rate(s); r > 0 {
				return plain, fmt.Sprintf("%.0f", min(r, 99999))
			}
			return faint, "·"
		}},
		{title: "SILENT", w: 6, right: true, cell: m.silence},
		{title: "ASKED BY", w: 8, from: 72, cell: declaredCell},
		{title: "SIZE", w: 8, right: true, from: 78, cell: func(s *exchange.State) (tone, string) { return dim, cell.Bytes(s.Bytes) }},
	})
}

// silence is how long a live stream has said nothing; an ended one says how
// long it took.
func (m *model) silence(s *exchange.State) (tone, string) {
	if !s.Live() || s.HeadAt.IsZero() {
		return faint, "·"
	}
	last := s.LastByte
	if last.IsZero() {
		last = s.HeadAt
	}
	d := m.clock().Sub(last)
	if d.Seconds() < 2 {
		return dim, "0s"
	}
	in := plain
	if d.Seconds() >= 30 {
		in = warn
	}
	if d.Seconds() < 60 {
		return in, cell.Age(d)
	}
	return in, cell.Duration(d)
}

// declaredCell says what asked for the stream.
func declaredCell(s *exchange.State) (tone, string) {
	switch {
	case s.Call.Stream():
		return dim, string(s.Call.Declared)
	default:
		return warn, "nobody"
	}
}

func (m *model) drawStreams(s *shape) []string {
	cols := m.streamColumns(s.listW)
	out := []string{titles(m.t, s.listW, cols)}
	if len(m.snap.Rows) == 0 {
		return append(out, m.drawNothing(s)...)
	}
	c := &m.lists[streams]
	for i := range m.snap.Rows {
		st := &m.snap.Rows[i]
		in, what := sign(st, m.clock())
		r := m.t.mark(s.listW, i == c.line, in, what)
		write(r, cols, st)
		out = append(out, r.end(), m.lastWords(st, s.listW, i == c.line))
	}
	return out
}

// lastWords is the second line of a stream: the end of what it has said, or
// why it ended.
func (m *model) lastWords(s *exchange.State, w int, selected bool) string {
	r := m.t.mark(w, selected, plain, " ")
	r.add(plain, cell.Blank(2))
	switch {
	case s.Cause != "":
		in := warn
		if outcomeTone(s.Outcome) == bad {
			in = bad
		}
		r.add(in, cell.Cut(line(s.Cause), r.left()))
	case s.Text == "" && s.Live():
		r.add(faint, "nothing yet")
	case s.Live():
		r.add(plain, cell.CutLeft(line(flat(s.Text)), r.left()-2)).add(alive, "▏")
	default:
		r.add(dim, cell.CutLeft(line(flat(s.Text)), r.left()))
	}
	return r.end()
}
