package tui

import (
	"cmp"
	"slices"
	"strconv"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
	"tailrace/tui/cell"
)

// routeLines is how many lines the routes take in a body of that height.
func (m *model) routeLines(body int) int {
	return min(len(m.snap.Loads)+1, max(body/2, 2))
}

// loads are the routes, the busiest first, then by name.
func (m *model) loads() []exchange.Load {
	out := slices.Clone(m.snap.Loads)
	slices.SortStableFunc(out, func(a, b exchange.Load) int {
		return cmp.Or(
			cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(b.InUse, a.InUse), cmp.Compare(b.ActiveStreams, a.ActiveStreams),
			cmp.Compare(b.Shed, a.Shed), cmp.Compare(a.Route, b.Route))
	})
	return out
}

func (m *model) loadColumns(w int) []column[*exchange.Load] {
	number := func(n uint64, in tone) (tone, string) {
		if n == 0 {
			return faint, "0"
		}
		return in, cell.Count(int64(n))
	}
	return fit(w, []column[*exchange.Load]{
		{title: "ROUTE", w: 10, grow: 1, cell: func(l *exchange.Load) (tone, string) { return plain, line(l.Route) }},
		{title: "SLOTS", w: 10, cell: func(l *exchange.Load) (tone, string) { return fill(l), bar(l.InUse, l.Slots, 10) }},
		{title: "IN USE", w: 8, right: true, cell: func(l *exchange.Load) (tone, string) {
			return fill(l), strconv.Itoa(l.InUse) + "/" + strconv.Itoa(l.Slots)
		}},
		{title: "IN LINE", w: 7, right: true, cell: func(l *exchange.Load) (tone, string) { return number(uint64(l.Waiting), warn) }},
		{title: "STREAMS", w: 7, right: true, cell: func(l *exchange.Load) (tone, string) { return number(uint64(l.ActiveStreams), alive) }},
		{title: "SHED", w: 5, right: true, cell: func(l *exchange.Load) (tone, string) { return number(l.Shed, bad) }},
		{title: "BUFFER", w: 8, right: true, from: 76, cell: func(l *exchange.Load) (tone, string) {
			if l.BufferBytes == 0 {
				return faint, "0 B"
			}
			return plain, cell.Bytes(l.BufferBytes)
		}},
		{title: "OF", w: 8, right: true, from: 100, cell: func(l *exchange.Load) (tone, string) { return dim, cell.Bytes(l.BufferLimit) }},
		{title: "FALLBACK", w: 8, right: true, from: 100, cell: func(l *exchange.Load) (tone, string) { return number(l.Fallback, warn) }},
	})
}

func fill(l *exchange.Load) tone {
	switch {
	case l.Waiting > 0 || l.Slots > 0 && l.InUse >= l.Slots:
		return warn
	case l.InUse > 0:
		return alive
	}
	return faint
}

// bar draws n of most in w cells. One in use is always seen.
func bar(n, most, w int) string {
	full := 0
	if n > 0 && most > 0 {
		full = min(max(n*w/most, 1), w)
	}
	return repeat("■", full) + repeat("·", w-full)
}

func (m *model) slotColumns(w int) []column[*exchange.State] {
	return fit(w, []column[*exchange.State]{
		{title: "STANDS", w: 11, cell: func(s *exchange.State) (tone, string) {
			if live.Waits(s) {
				return stateWord(s)
			}
			return alive, "has a slot"
		}},
		{title: "FOR", w: 6, right: true, cell: func(s *exchange.State) (tone, string) {
			since := s.AdmittedAt
			if live.Waits(s) {
				since = s.QueuedAt
			}
			return plain, cell.Duration(m.clock().Sub(since))
		}},
		{title: "DOES", w: 10, from: 72, cell: func(s *exchange.State) (tone, string) {
			if live.Waits(s) {
				return faint, "·"
			}
			return dim, string(s.Phase)
		}},
		{title: "ROUTE", w: 10, grow: 1, cell: func(s *exchange.State) (tone, string) { return dim, line(s.Route) }},
		{title: "METH", w: 4, cell: func(s *exchange.State) (tone, string) { return dim, line(s.Method) }},
		{title: "PATH", w: 12, grow: 2, left: true, cell: func(s *exchange.State) (tone, string) { return plain, line(s.Target) }},
		{title: "MODEL", w: 8, grow: 1, from: 72, cell: func(s *exchange.State) (tone, string) { return plain, line(s.Call.Model) }},
	})
}

func (m *model) drawQueue(s *shape) []string {
	cols := m.loadColumns(m.w)
	out := []string{titles(m.t, m.w, cols)}
	loads := m.loads()
	n := m.routeLines(s.body) - 1
	for i := range loads[:min(n, len(loads))] {
		if left := len(loads) - i; i == n-1 && left > 1 {
			out = append(out, m.t.row(m.w).add(dim, "   and "+strconv.Itoa(left)+" more routes").end())
			break
		}
		r := m.t.mark(m.w, false, plain, " ")
		write(r, cols, &loads[i])
		out = append(out, r.end())
	}
	slots := m.slotColumns(m.w)
	out = append(out, m.t.rule(m.w, "who is in line, and who holds a slot", dim), titles(m.t, m.w, slots))
	if len(m.snap.Rows) == 0 {
		return append(out, m.drawNothing(s)...)
	}
	c := &m.lists[queue]
	for i := range m.snap.Rows {
		st := &m.snap.Rows[i]
		in, what := sign(st, m.clock())
		r := m.t.mark(m.w, i == c.line, in, what)
		write(r, slots, st)
		out = append(out, r.end())
	}
	return out
}
