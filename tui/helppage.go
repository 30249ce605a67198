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

// helpLines are the keys, from the keymap, and what signs and words mean.
func (m *model) helpLines() []string {
	out := m.helpKeys()
	word := func(in tone, word, means string) {
		for _, l := range cell.Wrap(means, m.w-14) {
			out = append(out, m.t.row(m.w).add(plain, " ").add(in, cell.Pad(word, 12)).add(dim, l).end())
			word = ""
		}
	}
	out = append(out, m.t.rule(m.w, "Signs", dim))
	out = append(out, m.helpSigns()...)
	out = append(out, m.t.rule(m.w, "X-Cache: where an answer comes from", dim))
	word(verdictTone(exchange.HIT), "HIT", "from the cache, or an accepted journal result; nothing was sent")
	word(verdictTone(exchange.MISS), "MISS", "not in the cache: the origin is asked, if it can be")
	word(verdictTone(exchange.BYPASS), "BYPASS", "the cache is not asked: streams, no-store, routes without one")
	out = append(out, m.t.rule(m.w, "Risk: what sending a journaled call again may cost", dim))
	for r := exchange.RiskNone; r <= exchange.RiskPaid; r++ {
		word(riskTone(r), riskWord(r), riskWords(r))
	}
	return out
}

// inColumns is the width from which the keys stand in columns.
const inColumns = 78

func (m *model) helpKeys() []string {
	var out []string
	all := m.keys.chapters()
	if m.w < inColumns {
		for _, c := range all {
			out = append(out, m.t.row(m.w).add(plain, " ").add(strong, c.title).end())
			for _, b := range c.keys {
				out = append(out, m.t.row(m.w).add(plain, " ").add(accent, cell.Pad(b.Help().Key, 12)).add(plain, b.Help().Desc).end())
			}
		}
		return out
	}
	w := (m.w - 2) / len(all)
	high := 0
	for _, c := range all {
		high = max(high, len(c.keys))
	}
	for i := -1; i < high; i++ {
		r := m.t.row(m.w).add(plain, " ")
		for n, c := range all {
			r.to(1 + n*w)
			switch {
			case i < 0:
				r.add(strong, c.title)
			case i < len(c.keys):
				h := c.keys[i].Help()
				r.add(accent, cell.Pad(h.Key, 10)).add(plain, cell.Cut(h.Desc, w-11))
			}
		}
		out = append(out, r.end())
	}
	return out
}

// helpSigns explains the signs before a row and within it, as many to a line as
// there is room for.
func (m *model) helpSigns() []string {
	signs := []struct {
		in          tone
		sign, means string
	}{
		{good, "✓", "answered, or accepted"},
		{good, "◇", "accepted, not read yet"},
		{warn, "◦", "in line for a slot"},
		{alive, "⠇", "under way"},
		{warn, "!", "shed, refused, unclear"},
		{bad, "✗", "failed, cut or killed"},
		{plain, "~", "a number we estimate"},
	}
	const w = 25
	var out []string
	r := m.t.row(m.w)
	for _, s := range signs {
		if r.left() < w+1 {
			out = append(out, r.end())
			r = m.t.row(m.w)
		}
		r.add(plain, " ").add(s.in, s.sign).add(dim, " "+cell.Pad(s.means, w-3))
	}
	return append(out, r.end())
}
