package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// turn scrolls the help page or closes it.
func (m *model) turn(k tea.KeyMsg) {
	switch km := &m.keys; {
	case key.Matches(k, km.Back, km.Open):
		m.help = false
	case key.Matches(k, km.Down):
		m.scroll++
	case key.Matches(k, km.Up):
		m.scroll--
	case key.Matches(k, km.PageDown):
		m.scroll += 10
	case key.Matches(k, km.PageUp):
		m.scroll -= 10
	}
	lines, body := m.helpLines(), m.shape().body
	m.scroll = min(max(m.scroll, 0), max(len(lines)-body, 0))
}

func (m *model) drawHelp(body int) []string {
	lines := m.helpLines()
	from := min(m.scroll, len(lines))
	return lines[from:min(from+body, len(lines))]
}

// helpLines are the keys, from the keymap, and what the words mean.
func (m *model) helpLines() []string {
	all := m.keys.chapters()
	w := (m.w - 2) / len(all)
	high := 0
	for _, c := range all {
		high = max(high, len(c.keys))
	}
	var out []string
	for i := -1; i < high; i++ {
		r := m.t.row(m.w).add(plain, " ")
		for n, c := range all {
			at := 1 + n*w
			r.to(at)
			switch {
			case i < 0:
				r.add(strong, c.title)
			case i < len(c.keys):
				h := c.keys[i].Help()
				r.add(accent, cell.Pad(h.Key, min(10, w/2))).add(plain, cell.Cut(h.Desc, w-min(10, w/2)-1))
			}
		}
		out = append(out, r.end())
	}
	word := func(in tone, word, means string) {
		out = append(out, m.t.row(m.w).add(plain, " ").add(in, cell.Pad(word, 12)).add(dim, means).end())
	}
	out = append(out, m.t.rule(m.w, "X-Cache: where an answer came from", dim))
	word(verdictTone(exchange.HIT), "HIT", "from the cache, or an accepted journal result; nothing was sent")
	word(verdictTone(exchange.MISS), "MISS", "fetched from the origin")
	word(verdictTone(exchange.BYPASS), "BYPASS", "the cache is not asked: streams, no-store, routes without one")
	word(verdictTone(exchange.STALE), "STALE", "an older copy, because the origin is slow, failing or full")
	word(verdictTone(exchange.REVALIDATED), "REVALIDATED", "the origin said that our copy is still good (304)")
	out = append(out, m.t.rule(m.w, "Risk: what sending a journaled call again may cost", dim))
	for r := exchange.RiskNone; r <= exchange.RiskPaid; r++ {
		word(riskTone(r), riskWord(r), riskWords(r))
	}
	return out
}
