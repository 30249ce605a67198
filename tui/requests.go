package tui

import (
	"strconv"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// requestColumns are the columns of the Requests list. At 80 cells verdict and
// outcome stand in full.
func (m *model) requestColumns(w int) []column[*exchange.State] {
	method, path, model := 4, 12, 9
	if w >= 80 {
		path, model = len("/v1/chat/completions"), 11
	}
	if w >= 96 {
		method = 7
	}
	return fit(w, []column[*exchange.State]{
		{title: "AGE", w: 3, right: true, cell: func(s *exchange.State) (tone, string) {
			return dim, cell.Age(m.clock().Sub(s.Started))
		}},
		{title: "METH", w: method, cell: func(s *exchange.State) (tone, string) { return dim, line(s.Method) }},
		{title: "PATH", w: path, grow: 1, left: true, cell: func(s *exchange.State) (tone, string) { return plain, line(s.Target) }},
		{title: "MODEL", w: model, grow: 1, from: 72, cell: modelCell},
		{title: "ST", w: 3, right: true, cell: func(s *exchange.State) (tone, string) {
			if s.Status == 0 {
				return faint, "···"
			}
			return statusTone(s.Status), strconv.Itoa(s.Status)
		}},
		{title: "X-CACHE", w: 11, cell: func(s *exchange.State) (tone, string) {
			return verdictTone(s.Verdict.XCache), string(s.Verdict.XCache)
		}},
		{title: "STATE", w: 11, cell: func(s *exchange.State) (tone, string) { return stateWord(s) }},
		{title: "TTFT", w: 6, right: true, from: 96, cell: func(s *exchange.State) (tone, string) { return dim, ttft(s) }},
		{title: "TIME", w: 6, right: true, from: 72, cell: func(s *exchange.State) (tone, string) {
			if s.Live() {
				return alive, cell.Duration(took(s, m.clock()))
			}
			return dim, cell.Duration(took(s, m.clock()))
		}},
		{title: "TOK", w: 6, right: true, from: 90, cell: func(s *exchange.State) (tone, string) { return plain, tokens(s.Usage) }},
		{title: "SIZE", w: 8, right: true, from: 112, cell: func(s *exchange.State) (tone, string) {
			return dim, cell.Bytes(max(s.BytesOut, s.Bytes))
		}},
	})
}

// clock is what a list's times are counted to: a paused list stands still.
func (m *model) clock() time.Time {
	if m.paused {
		return m.since
	}
	return m.now
}

// modelCell is the model that is asked, or the route of what is no call to one.
func modelCell(s *exchange.State) (tone, string) {
	if s.Call.Model != "" {
		return plain, line(s.Call.Model)
	}
	return dim, line(s.Route)
}

func (m *model) drawRequests(s *shape) []string {
	cols := m.requestColumns(s.listW)
	out := []string{titles(m.t, s.listW, cols)}
	if len(m.snap.Rows) == 0 {
		return append(out, m.drawNothing(s)...)
	}
	c := &m.lists[requests]
	for i := range m.snap.Rows {
		st := &m.snap.Rows[i]
		in, what := sign(st, m.clock())
		r := m.t.mark(s.listW, i == c.line, in, what)
		write(r, cols, st)
		out = append(out, r.end())
	}
	return out
}

// drawNothing helps a newcomer on an empty screen.
func (m *model) drawNothing(s *shape) []string {
	if f := m.filters[m.pane]; f != "" {
		return m.empty(s.listW, dim, "Nothing matches /"+line(f)+" here. esc takes the filter away.")
	}
	switch m.pane {
	case streams:
		return m.empty(s.listW, dim, "No stream yet. Each stream that a client asks for is shown here while it grows.")
	case queue:
		return m.empty(s.listW, dim, "Nobody is in line and nobody holds a slot.")
	}
	put := func(in tone, text string) string { return m.t.row(s.listW).add(in, "   "+text).end() }
	url := line(m.o.ProxyURL)
	out := append(
		m.empty(s.listW, strong, "Nothing has come through yet. Point a client here:"), "",
		put(plain, "export OPENAI_BASE_URL="+url+"/v1"),
		put(plain, "export ANTHROPIC_BASE_URL="+url),
	)
	if s.body < len(out)+5 {
		return out
	}
	return append(out, "", put(dim, "or look whether it answers:"), "", put(plain, "curl "+url+"/v1/models"))
}

// empty says in a sentence of any length why a list has no rows.
func (m *model) empty(w int, in tone, text string) []string {
	out := []string{""}
	for _, l := range cell.Wrap(text, w-4) {
		out = append(out, m.t.row(w).add(in, "   "+l).end())
	}
	return out
}
