package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// settle is how long facts may gather after the bell before they are drawn:
// at most 30 draws a second, and live text well within 100 ms of the wire.
const settle = 33 * time.Millisecond

// streamWords is how much of each stream's text the Streams list shows.
const streamWords = 600

// frozenRows is how many rows a paused list can be read through.
const frozenRows = 1000

type (
	bellMsg struct{}
	tickMsg struct{}
)

// waitForBell returns once something has happened and has had time to settle.
func (m *model) waitForBell() tea.Cmd {
	bell, done := m.o.Present.Bell(), m.done
	return m.guarded(func() tea.Msg {
		select {
		case <-bell:
		case <-done:
			return nil
		}
		msg := wait(settle, done, bellMsg{})
		select {
		case <-bell: // what rang meanwhile will be in the snapshot
		default:
		}
		return msg
	})
}

func wait(d time.Duration, done <-chan struct{}, then tea.Msg) tea.Msg {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return then
	case <-done:
		return nil
	}
}

// tick comes back in a second, if anything on screen grows older by then.
func (m *model) tick() tea.Cmd {
	if m.ticking || !m.ages() {
		return nil
	}
	m.ticking = true
	done := m.done
	return m.guarded(func() tea.Msg { return wait(time.Second, done, tickMsg{}) })
}

// ages reports whether the screen would look different in a second although
// nothing had happened.
func (m *model) ages() bool {
	if m.note.text != "" || m.now.Before(m.restful) || m.fading() {
		return true
	}
	if m.help {
		return false
	}
	young := func(at time.Time) bool { return m.now.Sub(at) < time.Minute }
	if m.detail != nil {
		return m.detail.state.Live() && m.detail.id != 0
	}
	if m.paused {
		return false
	}
	if m.pane == journal {
		return slices.ContainsFunc(m.past.window(&m.lists[journal]), func(e exchange.Entry) bool { return young(e.UpdatedAt) || e.State.Active() })
	}
	return slices.ContainsFunc(m.snap.Rows, func(s exchange.State) bool { return s.Live() || young(s.Started) })
}

// look takes the one snapshot that the next frame is drawn from, and begins to
// read the journal when it has changed.
func (m *model) look() tea.Cmd {
	if m.w == 0 {
		return nil
	}
	if m.note.text != "" && m.now.After(m.note.until) {
		m.note = note{}
	}
	if m.o.Notices != nil {
		m.hear(m.o.Notices())
	}
	c := &m.lists[m.pane]
	for again := 0; again < 2 && m.lookAtList(); again++ {
	}
	if m.pane != journal {
		m.picked = exchange.State{}
		if s, ok := m.o.Present.State(exchange.ID(c.id)); ok {
			m.picked = s
		}
	}
	if m.detail != nil {
		m.detail.refresh(m.o.Present)
		m.detail.layout(m, m.shape().body-1)
	}
	m.rowLive = 0
	if row := m.rowAlone(); row != 0 {
		m.rowLive = m.exchangeOf(row)
	}
	return tea.Batch(m.readPast(), m.readDetail())
}

// lookAtList brings the pane's list up to date and reports whether its window
// must be taken once more.
func (m *model) lookAtList() (again bool) {
	c := &m.lists[m.pane]
	c.resize(m.shape().rows)
	a := c.ask()
	if m.pane == journal {
		m.snap = m.o.Present.Snapshot(live.Query{})
		return c.settle(place(m.past.ids(m.filters[journal]), a, c.page))
	}
	if m.paused && m.frozen != nil {
		return c.settle(m.thaw(a, c.page))
	}
	q := live.Query{
		Text: m.filters[m.pane], Find: exchange.ID(a.find), Above: a.above, Offset: a.offset, Limit: c.page,
		Streams: m.pane == streams, LiveFirst: m.pane == streams,
		Slots: m.pane == queue, Oldest: m.pane == queue,
	}
	if m.pane == streams {
		q.TextBytes = streamWords
	}
	m.frozen = nil
	if m.paused {
		q.Find, q.Offset, q.Limit = 0, 0, frozenRows
		s := m.o.Present.Snapshot(q)
		m.frozen = &s
		return c.settle(m.thaw(a, c.page))
	}
	m.snap = m.o.Present.Snapshot(q)
	w := shown{ids: idsOf(m.snap.Rows), offset: m.snap.Offset, at: m.snap.At, total: m.snap.Total - m.snap.Newer}
	return c.settle(w)
}

// thaw cuts the window out of the rows that were kept when the list was paused.
// The counters above it go on.
func (m *model) thaw(a ask, page int) shown {
	s := place(idsOf(m.frozen.Rows), a, page)
	m.snap = m.o.Present.Snapshot(live.Query{})
	m.snap.Rows = m.frozen.Rows[s.offset : s.offset+len(s.ids)]
	m.snap.Total = s.total
	return s
}

func idsOf(rows []exchange.State) []uint64 {
	ids := make([]uint64, len(rows))
	for i := range rows {
		ids[i] = uint64(rows[i].ID)
	}
	return ids
}
