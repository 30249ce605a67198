package tui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// tab is a page of the detail view.
type tab int

const (
	overview tab = iota
	messages
	answer
	events
	headers
	raw
	tabs // how many there are
)

var tabNames = [tabs]string{"Overview", "Messages", "Answer", "Events", "Headers", "Raw"}

// detail shows one exchange, one row of the journal, or both where an exchange
// has a row.
type detail struct {
	id  exchange.ID // 0 for a row of which no exchange is known
	row int64       // 0 for an exchange that is not journaled

	state   exchange.State
	dossier *Detail
	err     error
	reading bool
	version uint64 // of dossier

	tab    tab
	scroll int
	end    bool // stay at the end while the text grows

	lines []string
	made  made
	stamp int // counts changes of what is shown
}

// made says what lines were made of.
type made struct {
	tab   tab
	w     int
	stamp int
}

// openedMsg is the dossier of a row.
type openedMsg struct {
	row     int64
	detail  Detail
	version uint64
	err     error
}

// open opens what is selected.
func (m *model) open() tea.Cmd {
	id, row := m.target()
	if id == 0 && row == 0 {
		return nil
	}
	m.detail = &detail{id: id, row: row}
	return nil
}

func (m *model) pressDetail(k tea.KeyMsg) {
	d := m.detail
	page := max(m.shape().body-3, 1)
	switch km := &m.keys; {
	case key.Matches(k, km.Back):
		m.detail = nil
	case key.Matches(k, km.Left, km.Prev):
		d.turn((d.tab + tabs - 1) % tabs)
	case key.Matches(k, km.Right, km.Next, km.Open):
		d.turn((d.tab + 1) % tabs)
	case key.Matches(k, km.Up):
		d.move(-1)
	case key.Matches(k, km.Down):
		d.move(1)
	case key.Matches(k, km.PageUp):
		d.move(-page)
	case key.Matches(k, km.PageDown):
		d.move(page)
	case key.Matches(k, km.Top):
		d.scroll, d.end = 0, false
	case key.Matches(k, km.Bottom, km.Follow):
		d.end = true
	case len(k.Runes) == 1 && k.Runes[0] >= '1' && k.Runes[0] < '1'+rune(tabs):
		d.turn(tab(k.Runes[0] - '1'))
	}
}

func (d *detail) turn(t tab) {
	d.tab, d.scroll = t, 0
	d.end = t == answer && d.state.Live() && d.id != 0
}

func (d *detail) move(n int) { d.scroll, d.end = d.scroll+n, false }

// refresh looks at the exchange again.
func (d *detail) refresh(p Present) {
	if d.id == 0 {
		return
	}
	s, ok := p.State(d.id)
	if !ok { // it has left the board: what was seen stays
		return
	}
	if s.Live() || s.Phase != d.state.Phase || s.Ending != d.state.Ending || s.Row != d.state.Row {
		d.stamp++
	}
	d.state = s
	if s.Row != 0 {
		d.row = s.Row
	}
}

// readDetail reads the row's dossier when there is one and it has changed.
func (m *model) readDetail() tea.Cmd {
	d := m.detail
	if d == nil || d.row == 0 || m.o.Past == nil || d.reading {
		return nil
	}
	known := d.dossier != nil || d.err != nil
	if known && d.version == m.o.Past.Version() {
		return nil
	}
	d.reading = true
	past, row := m.o.Past, d.row
	return m.guarded(func() tea.Msg {
		version := past.Version()
		x, err := past.Detail(row)
		return openedMsg{row, x, version, err}
	})
}

func (d *detail) opened(msg openedMsg) {
	if msg.row != d.row {
		return
	}
	d.reading, d.version, d.err = false, msg.version, msg.err
	d.stamp++
	if msg.err == nil {
		d.dossier = &msg.detail
	}
}

// layout makes the lines of the tab and keeps the window inside them.
func (d *detail) layout(m *model, h int) {
	want := made{d.tab, m.w, d.stamp}
	if d.lines == nil || d.made != want || d.tab == overview {
		p := &page{t: m.t, w: m.w - 2}
		d.write(p, m)
		d.lines, d.made = p.lines, want
	}
	most := max(len(d.lines)-h, 0)
	if d.end {
		d.scroll = most
	}
	d.scroll = min(max(d.scroll, 0), most)
}

func (d *detail) draw(t *theme, w, body int) []string {
	out := []string{d.drawTabs(t, w)}
	for _, l := range d.lines[min(d.scroll, len(d.lines)):min(d.scroll+body-1, len(d.lines))] {
		out = append(out, " "+l)
	}
	return out
}

// drawTabs names the tabs and the place in the page.
func (d *detail) drawTabs(t *theme, w int) string {
	r := t.row(w).add(plain, " ")
	for i := range tabs {
		name := tabNames[i]
		if i == d.tab {
			r.add(accent, "["+name+"]")
		} else {
			r.add(dim, " "+name+" ")
		}
	}
	title := ""
	if d.id != 0 {
		title = "#" + d.id.String()
	}
	if d.row != 0 {
		if title != "" {
			title += " "
		}
		title += "row " + strconv.FormatInt(d.row, 10)
	}
	r.add(plain, " ").add(faint, repeat("─", r.left()-cell.Width(title)-2)).add(plain, " ")
	return r.add(strong, title).end()
}
