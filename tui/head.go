package tui

import (
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// drawHead draws the three lines that are always there: what goes on and where
// to point a client, the sums, and the panes with the slots.
func (m *model) drawHead() []string {
	openai, anthropic := "OPENAI_BASE_URL="+line(m.o.ProxyURL)+"/v1", "ANTHROPIC_BASE_URL="+line(m.o.ProxyURL)
	right := max(cell.Width(openai), cell.Width(anthropic)) + 1
	if m.w < 80 || m.w-right < 36 {
		one := m.now1(m.w)
		two := m.t.row(m.w).add(plain, " ").add(plain, openai)
		if slots := m.slots(m.w - two.w - 3); slots != "" {
			two.to(m.w-cell.Width(slots)-1).add(dim, slots)
		}
		return []string{one.end(), two.end(), m.drawTabs()}
	}
	one, two := m.now1(m.w-right-1), m.sums(m.w-right-1)
	return []string{m.address(one, right, openai), m.address(two, right, anthropic), m.drawTabs()}
}

// address adds a setting to the right edge of a line.
func (m *model) address(r *row, right int, setting string) string {
	r.to(r.max)
	r.max = m.w
	name, value, _ := strings.Cut(setting, "=")
	r.add(plain, cell.Blank(m.w-right-r.w))
	return r.add(dim, name+"=").add(plain, value).end()
}

// now1 is the line of what goes on at this moment.
func (m *model) now1(w int) *row {
	r := m.t.row(w).add(accent, " tailrace")
	if m.o.Demo {
		r.add(warn, " demo")
	}
	if v := line(m.o.Version); v != "" && w >= 70 {
		r.add(dim, " "+cell.Cut(v, 16))
	}
	r.add(plain, "  ")
	if m.snap.Live > 0 {
		r.add(alive, spin(m.now)+" "+cell.Count(int64(m.snap.Live))+" live")
	} else {
		r.add(dim, "· 0 live")
	}
	if m.snap.Streams > 0 && m.w >= 80 {
		r.add(alive, "  "+plural(m.snap.Streams, "stream", "streams"))
	}
	if m.w < 80 {
		r.add(plain, "  ")
		m.verdicts(r)
		return r
	}
	c := &m.snap.Counts
	if c.TokensOut > 0 {
		r.whole(dim, "  "+cell.Count(c.TokensIn)+" → "+counted(c.TokensOut, "token", "tokens"))
	}
	r.whole(dim, "  "+counted(int64(c.Requests), "request", "requests"))
	return r.whole(dim, "  "+cell.Bytes(c.BytesOut)+" out")
}

// sums is the line of the counters.
func (m *model) sums(w int) *row {
	r := m.t.row(w).add(plain, " ")
	m.verdicts(r)
	return r
}

// drawTabs names the panes, and the slots of the route that is busiest.
func (m *model) drawTabs() string {
	r := m.t.row(m.w).add(plain, " ")
	for p := range panes {
		label := strconv.Itoa(int(p)+1) + " " + paneNames[p]
		if p == m.pane {
			r.add(accent, "["+label+"]")
		} else {
			r.add(dim, " "+label+" ")
		}
	}
	if m.help || m.detail != nil {
		return m.tabsEnd(r, "", plain, m.tabSlots(r.left()-3))
	}
	state, in := "", accent
	switch {
	case m.paused:
		state, in = "PAUSED", warn
	case m.lists[m.pane].follow:
		state = "follow"
	}
	if f := m.filters[m.pane]; f != "" && !m.typing {
		state, in = "/"+cell.Cut(line(f), 20)+repeat(" ", 2*min(len(state), 1))+state, warn
	}
	state = cell.Cut(state, r.left()-3)
	return m.tabsEnd(r, state, in, m.tabSlots(r.left()-cell.Width(state)-4))
}

// tabsEnd adds how the list stands, and the slots, to the right edge.
func (m *model) tabsEnd(r *row, state string, in tone, slots string) string {
	n := cell.Width(state) + cell.Width(slots)
	if state != "" && slots != "" {
		state += "  "
		n += 2
	}
	r.add(plain, " ").add(faint, repeat("─", r.left()-n-2)).add(plain, " ")
	return r.add(in, state).add(dim, slots).end()
}

// tabSlots are the slots where the address has taken their place.
func (m *model) tabSlots(w int) string {
	if m.w < 80 {
		return ""
	}
	return m.slots(w)
}

// slots says in at most w cells how full the busiest route is.
func (m *model) slots(w int) string {
	l := busiest(m.snap.Loads)
	if l == nil {
		return ""
	}
	use := strconv.Itoa(l.InUse) + "/" + strconv.Itoa(l.Slots)
	line, short := "", ""
	if l.Waiting > 0 {
		short = " +" + strconv.Itoa(l.Waiting)
		line = short + " in line"
	}
	for _, s := range []string{"slots " + cell.Cut(cell.Line(l.Route), 14) + " " + use + line, "slots " + use + line, "slots " + use + short, "slots " + use} {
		if cell.Width(s) <= w {
			return s
		}
	}
	return ""
}

func busiest(loads []exchange.Load) *exchange.Load {
	var best *exchange.Load
	score := func(l *exchange.Load) float64 {
		return float64(l.Waiting) + float64(l.InUse)/float64(max(l.Slots, 1)) + float64(min(l.Shed, 1000))/1e6 + float64(min(l.ActiveStreams, 1000))/1e5
	}
	for i := range loads {
		if best == nil || score(&loads[i]) > score(best) {
			best = &loads[i]
		}
	}
	return best
}
