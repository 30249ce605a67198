package tui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// can says what may be done with what is selected. A key that cannot do a thing
// is not offered; pressed all the same, it says why.
type can struct{ open, kill, retry, anew bool }

func (m *model) can() can {
	switch {
	case m.detail != nil && m.detail.dossier != nil:
		c := canRow(&m.detail.dossier.Entry)
		c.kill = m.detail.id != 0 && m.detail.state.Live() || m.rowLive != 0
		return c
	case m.detail != nil:
		return canExchange(&m.detail.state)
	case m.pane == journal:
		e := m.past.selected(&m.lists[journal])
		if e == nil {
			return can{}
		}
		c := canRow(e)
		c.kill = m.rowLive != 0
		return c
	}
	return canExchange(&m.picked)
}

func canRow(e *exchange.Entry) can {
	return can{open: true, retry: !e.Accepted && !e.State.Active(), anew: e.Accepted}
}

// canExchange guesses from the exchange how its row stands; the journal itself
// is asked when the key is pressed.
func canExchange(s *exchange.State) can {
	c := can{open: s.ID != 0, kill: s.ID != 0 && s.Live()}
	if s.Row != 0 && !s.Live() {
		whole := s.Outcome == exchange.OutcomeCompleted || s.Outcome == exchange.OutcomeHit || s.Ending == exchange.EndingComplete
		c.anew = whole && s.Status < 400
		c.retry = !c.anew
	}
	return c
}

// hints are the keys of the moment, the most useful first, and those that are
// shown whatever the width.
func (m *model) hints() (some, always []key.Binding) {
	k := &m.keys
	always = []key.Binding{k.Help, k.Quit}
	put := func(ok bool, b key.Binding) {
		if ok {
			some = append(some, b)
		}
	}
	switch {
	case m.typing:
		return nil, []key.Binding{bind("enter", "keep the filter"), bind("esc", "no filter")}
	case m.help:
		return []key.Binding{bind("esc", "back"), k.Up, k.Down}, always
	}
	can := m.can()
	if m.detail != nil {
		some = []key.Binding{bind("esc", "back"), bind("← →", "tab"), bind("↑ ↓", "scroll")}
		put(can.kill, k.Kill)
		put(can.retry, k.Retry)
		put(can.anew, k.New)
		return some, always
	}
	put(m.paused, bind("p", "go on"))
	put(can.open, k.Open)
	put(can.kill, k.Kill)
	put(can.retry && m.pane != queue, k.Retry)
	put(can.anew && m.pane != queue, k.New)
	put(true, k.Filter)
	filtered := m.filters[m.pane] != ""
	put(filtered, bind("esc", "no filter"))
	put(!filtered && m.noticed(), bind("esc", "dismiss"))
	put(!m.lists[m.pane].follow, k.Follow)
	put(!m.paused, k.Pause)
	put(true, bind("tab", "pane"))
	put(len(m.o.Try) > 0, k.Try)
	put(true, bind("↑ ↓", "move"))
	return some, always
}

// drawHints is the last line: the keys, and at its right how much of the list
// is out of sight. Where there is no room for all, other keys make way for help
// and quit.
func (m *model) drawHints() string {
	r := m.t.row(m.w)
	some, always := m.hints()
	kept := 0
	for _, b := range always {
		kept += hintWidth(b)
	}
	if m.typing {
		f := cell.CutLeft(line(m.filters[m.pane]), m.w-kept-6)
		r.add(accent, " /").add(strong, f).add(alive, "▏").add(plain, "  ")
	}
	above, below := m.beyond()
	room := cell.Width(above) + cell.Width(below)
	for _, b := range some {
		if r.left()-room-kept < hintWidth(b) {
			break
		}
		r.hint(b)
	}
	for _, b := range always {
		r.hint(b)
	}
	return r.to(m.w-room).add(alive, above).add(dim, below).end()
}

func hintWidth(b key.Binding) int {
	return cell.Width(b.Help().Key) + cell.Width(b.Help().Desc) + 3
}

func (r *row) hint(b key.Binding) {
	r.add(plain, " ").add(accent, b.Help().Key).add(dim, " "+b.Help().Desc).add(plain, " ")
}

// beyond says how much of the list, or of the help page, lies above and below
// its window.
func (m *model) beyond() (above, below string) {
	from, shown, total := 0, 0, 0
	switch {
	case m.typing || m.detail != nil && !m.help:
		return "", ""
	case m.help:
		// The line of hints is one of the foot: the others have no height yet.
		from, total = m.scroll, len(m.helpLines())
		shown = min(m.h-headLines-1-len(m.drawSaid()), total-from)
	default:
		c := &m.lists[m.pane]
		from, shown, total = c.offset, len(c.ids), c.total
	}
	if from > 0 {
		above = "▲ " + strconv.Itoa(from) + " above "
	}
	if n := total - from - shown; n > 0 {
		below = "▼ " + strconv.Itoa(n) + " below "
	}
	return above, below
}
