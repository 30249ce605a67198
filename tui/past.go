package tui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
)

const (
	pageOfPast = 200  // rows read at first
	mostOfPast = 1000 // rows the list goes down to
)

// past is what has been read of the journal.
type past struct {
	rows    []exchange.Entry // newest first
	err     error
	read    bool   // something has been read
	version uint64 // of rows
	reading bool
	want    int // rows to read

	filter string // that kept was made with
	kept   []exchange.Entry
	keptID []uint64
}

// listedMsg is a page of the journal.
type listedMsg struct {
	rows    []exchange.Entry
	version uint64
	want    int
	err     error
}

// readPast reads the list once at the start, so that it is there when it is
// asked for; then, while it is on screen, again when the journal has changed or
// when the reader has come near the end of what is known.
func (m *model) readPast() tea.Cmd {
	p := &m.past
	if m.o.Past == nil || p.read && (m.pane != journal || m.paused) || p.reading {
		return nil
	}
	if p.want == 0 {
		p.want = pageOfPast
	}
	c := &m.lists[journal]
	if c.offset+2*c.page >= len(p.rows) && len(p.rows) == p.want && p.want < mostOfPast {
		p.want = min(p.want+pageOfPast, mostOfPast)
	} else if p.read && p.version == m.o.Past.Version() {
		return nil
	}
	p.reading = true
	past, want := m.o.Past, p.want
	return m.guarded(func() tea.Msg {
		version := past.Version() // before the rows: what changes meanwhile is read again
		rows, err := past.List(exchange.Page{Limit: want})
		return listedMsg{rows, version, want, err}
	})
}

func (p *past) listed(msg listedMsg) {
	p.reading, p.read, p.version, p.err = false, true, msg.version, msg.err
	if msg.err != nil {
		return
	}
	p.rows, p.kept = msg.rows, nil
	p.ids(p.filter)
}

// ids are the rows that the filter keeps.
func (p *past) ids(filter string) []uint64 {
	if p.kept != nil && p.filter == filter {
		return p.keptID
	}
	words := strings.Fields(strings.ToLower(filter))
	p.filter, p.kept, p.keptID = filter, make([]exchange.Entry, 0, len(p.rows)), make([]uint64, 0, len(p.rows))
	for _, e := range p.rows {
		if entryMatches(&e, words) {
			p.kept = append(p.kept, e)
			p.keptID = append(p.keptID, uint64(e.ID))
		}
	}
	return p.keptID
}

func entryMatches(e *exchange.Entry, words []string) bool {
	if len(words) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join([]string{
		strconv.FormatInt(e.ID, 10), e.Key, e.Route, e.Method, e.Target, e.Model, e.Preview, string(e.Dialect),
		string(e.State), string(e.Newest), string(e.Last), riskWord(e.Risk),
	}, " "))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// window is the part of the list that is on screen.
func (p *past) window(c *cursor) []exchange.Entry {
	from := min(c.offset, len(p.kept))
	return p.kept[from:min(from+len(c.ids), len(p.kept))]
}

// selected is the row under the cursor, nil when there is none.
func (p *past) selected(c *cursor) *exchange.Entry {
	if i := indexOf(p.keptID, c.id); i >= 0 && c.id != 0 {
		return &p.kept[i]
	}
	return nil
}
