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
		r.whole(dim, "  "+cell.Count(c.TokensIn)+" → "+cell.Count(c.TokensOut)+" tokens")
	}
	r.whole(dim, "  "+cell.Count(int64(c.Requests))+" requests")
	return r.whole(dim, "  "+cell.Bytes(c.BytesOut)+" out")
}

// sums is the line of the counters.
func (m *model) sums(w int) *row {
	r := m.t.row(w).add(plain, " ")
	m.verdicts(r)
	return r
}

// verdicts writes the counters that are not zero, those that matter most first;
// HIT, MISS and BYPASS are always there.
func (m *model) verdicts(r *row) {
	c := &m.snap.Counts
	first := true
	put := func(in tone, word string, n uint64, always bool) {
		if n == 0 && !always {
			return
		}
		s := word + " " + cell.Count(int64(n))
		gap := "  "
		if first {
			gap = ""
		}
		if len(gap)+len(s) > r.left() {
			return
		}
		first = false
		if n == 0 {
			in = dim
		}
		r.add(plain, gap).add(in, s)
	}
	put(verdictTone(exchange.HIT), "HIT", c.Hit, true)
	put(plain, "MISS", c.Miss, true)
	put(verdictTone(exchange.BYPASS), "BYPASS", c.Bypass, true)
	put(warn, "shed", c.Shed, false)
	put(bad, "failed", c.Failed+c.Incomplete, false)
	put(bad, "killed", c.Killed, false)
	put(verdictTone(exchange.STALE), "STALE", c.Stale, false)
	put(verdictTone(exchange.REVALIDATED), "REVALIDATED", c.Revalidated, false)
	put(warn, "left", c.ClientGone, false)
	put(warn, "refused", c.Refused, false)
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
	right := m.slots()
	if m.paused {
		right = "paused  " + right
	}
	if f := m.filters[m.pane]; f != "" && !m.typing {
		right = "/" + cell.Cut(line(f), 20) + "  " + right
	}
	n := cell.Width(right) + 1
	if n > r.left()-2 {
		right = cell.Cut(right, r.left()-3)
		n = cell.Width(right) + 1
	}
	r.add(plain, " ").add(faint, repeat("─", r.left()-n-1)).add(plain, " ")
	in := dim
	if m.paused || m.filters[m.pane] != "" {
		in = warn
	}
	return r.add(in, right).end()
}

// slots says how full the busiest route is.
func (m *model) slots() string {
	l := busiest(m.snap.Loads)
	if l == nil {
		return ""
	}
	s := "slots "
	if m.w >= 80 {
		s += cell.Cut(line(l.Route), 14) + " "
	}
	s += strconv.Itoa(l.InUse) + "/" + strconv.Itoa(l.Slots)
	if l.Waiting > 0 {
		s += " +" + strconv.Itoa(l.Waiting) + " waiting"
	}
	return s
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
