package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// pane is one of the four views.
type pane int

const (
	requests pane = iota
	streams
	queue
	journal
	panes // how many there are
)

var paneNames = [panes]string{"Requests", "Streams", "Queue", "Journal"}

// model is the whole screen. It is touched by the event loop only.
type model struct {
	o    Options
	t    *theme
	keys keymap
	w, h int
	now  time.Time

	pane    pane
	lists   [panes]cursor
	filters [panes]string
	typing  bool // the filter is being typed
	paused  bool
	since   time.Time // of the pause
	help    bool
	scroll  int // of the help page
	hideTry bool

	snap    live.Snapshot  // of the pane on screen
	frozen  *live.Snapshot // a paused list, nil until it has been taken
	picked  exchange.State // the selected exchange, with its text
	past    past
	detail  *detail
	ask     *question
	note    note
	sent    sent
	notices []notice
	rowLive exchange.ID // that works on the selected journal row, 0: none
	came    time.Time   // when a row that had just arrived was selected by itself

	ticking bool      // a tick is on its way
	restful time.Time // until then the journal is looked at every second
	done    chan struct{}
	crash   func(any) // told when a command panics; nil in tests
}

// note is a line about what a key has done.
type note struct {
	in    tone
	text  string
	until time.Time
}

func newModel(o Options, t *theme) *model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &model{o: o, t: t, keys: newKeymap(), done: make(chan struct{})}
	for i := range m.lists {
		m.lists[i].follow = true
	}
	m.now = o.Now()
	return m
}

func (m *model) Init() tea.Cmd { return m.waitForBell() }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.o.Now()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyMsg:
		cmd = m.pressAll(msg)
	case bellMsg:
		m.restful = m.now.Add(2 * time.Second)
		cmd = m.waitForBell()
	case tickMsg:
		m.ticking = false
	case listedMsg:
		m.past.listed(msg)
	case openedMsg:
		if m.detail != nil {
			m.detail.opened(msg)
		}
	case doneMsg:
		m.carriedOut(msg)
	}
	c := &m.lists[m.pane]
	was := c.id
	looked := m.look()
	if _, pressed := msg.(tea.KeyMsg); !pressed && c.follow && was != 0 && c.id != was {
		m.came = m.now
	}
	return m, tea.Batch(cmd, looked, m.tick())
}

// pressAll takes keys apart that came in one read: bubbletea hands those over
// as one key with many runes. A paste is text, and text is not a command.
func (m *model) pressAll(k tea.KeyMsg) tea.Cmd {
	if k.Paste && !m.typing {
		return nil
	}
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 {
		return m.press(k)
	}
	var cmds []tea.Cmd
	for i, r := range k.Runes {
		if i > 0 {
			cmds = append(cmds, m.look()) // each key acts on what the one before has shown
		}
		cmds = append(cmds, m.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return tea.Batch(cmds...)
}

// press finds what a key does in the state the screen is in.
func (m *model) press(k tea.KeyMsg) tea.Cmd {
	switch {
	case m.ask != nil:
		return m.answer(k)
	case m.typing:
		m.edit(k)
		return nil
	case key.Matches(k, m.keys.Quit):
		return m.quit()
	case key.Matches(k, m.keys.Help):
		m.help, m.scroll = !m.help, 0
		return nil
	case m.help:
		m.turn(k)
		return nil
	case key.Matches(k, m.keys.Kill):
		return m.kill()
	case key.Matches(k, m.keys.Retry):
		return m.retry(exchange.Retry{})
	case key.Matches(k, m.keys.New):
		return m.runAsNew()
	case key.Matches(k, m.keys.Try):
		m.hideTry = !m.hideTry
		return nil
	case m.detail != nil:
		m.pressDetail(k)
		return nil
	}
	return m.pressList(k)
}

// pressList is for the keys that move in a list and between the panes.
func (m *model) pressList(k tea.KeyMsg) tea.Cmd {
	c := &m.lists[m.pane]
	switch km := &m.keys; {
	case key.Matches(k, km.Up):
		c.move(-1)
	case key.Matches(k, km.Down):
		c.move(1)
	case key.Matches(k, km.PageUp):
		c.move(-max(c.page-1, 1))
	case key.Matches(k, km.PageDown):
		c.move(max(c.page-1, 1))
	case key.Matches(k, km.Top):
		c.top()
	case key.Matches(k, km.Bottom):
		c.bottom()
	case key.Matches(k, km.Next):
		m.show((m.pane + 1) % panes)
	case key.Matches(k, km.Prev):
		m.show((m.pane + panes - 1) % panes)
	case key.Matches(k, km.Pane1):
		m.show(requests)
	case key.Matches(k, km.Pane2):
		m.show(streams)
	case key.Matches(k, km.Pane3):
		m.show(queue)
	case key.Matches(k, km.Pane4):
		m.show(journal)
	case key.Matches(k, km.Open):
		return m.open()
	case key.Matches(k, km.Back):
		if m.filters[m.pane] == "" {
			m.dismiss()
		}
		m.filters[m.pane] = ""
	case key.Matches(k, km.Filter):
		m.typing, m.paused = true, false
	case key.Matches(k, km.Follow):
		if c.follow = !c.follow; c.follow {
			c.top()
		}
	case key.Matches(k, km.Pause):
		m.paused, m.since = !m.paused, m.now
	}
	return nil
}

// show changes the pane. What was paused goes on: a list that stands still
// behind another one would be taken for the present.
func (m *model) show(p pane) {
	if m.pane != p {
		m.pane, m.paused = p, false
	}
}

// quit leaves, and asks first while there is something to lose.
func (m *model) quit() tea.Cmd {
	if !m.o.QuitAsks || m.snap.Live == 0 {
		return tea.Quit
	}
	m.ask = &question{
		title: "Quit",
		text:  plural(m.snap.Live, "exchange is", "exchanges are") + " live, " + plural(m.snap.Streams, "of them a stream", "of them streams") + ". Quitting gives them a moment to end and then cuts them off.",
		yes:   "quit",
		again: "ctrl+c",
		do:    func() tea.Cmd { return tea.Quit },
	}
	return nil
}
