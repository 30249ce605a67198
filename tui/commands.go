package tui

import (
	"errors"
	"strconv"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// held is how soon a second retry of the same row is taken for the same press:
// a terminal repeats a held key after at most 660 ms, then 10 to 50 times a
// second, and each repeat begins the time anew.
const held = time.Second

// surprise is how long a row that came by itself under a following selection is
// neither killed nor sent by one key: a reader needs 200 to 400 ms to see what has changed.
const surprise = 500 * time.Millisecond

// sent is what keeps a held key from doing a thing twice.
type sent struct {
	under bool      // a command is under way
	row   int64     // that was last retried
	at    time.Time // when the key was last seen
}

// doneMsg is the answer to a command.
type doneMsg struct {
	said string // when it was carried out
	err  error
	row  int64          // a retry of this row
	how  exchange.Retry // as it was asked for
}

// question is asked once and answered with y or n.
type question struct {
	title, text string
	yes         string // what y does
	again       string // a key that means yes too
	do          func() tea.Cmd
}

// target is what a command of the moment is about.
func (m *model) target() (id exchange.ID, row int64) {
	switch {
	case m.detail != nil:
		return m.detail.id, m.detail.row
	case m.pane == journal:
		return m.rowLive, int64(m.lists[journal].id)
	}
	return m.picked.ID, m.picked.Row
}

// surprised reports, once, whether following has moved the selection so lately
// that a key was meant for the row before.
func (m *model) surprised() bool {
	if m.detail != nil || !m.lists[m.pane].follow || m.now.Sub(m.came) >= surprise {
		return false
	}
	m.came = time.Time{}
	return true
}

func (m *model) kill() tea.Cmd {
	id, row := m.target()
	if m.sent.under || id == 0 && row == 0 {
		return nil
	}
	if id == 0 {
		id = m.exchangeOf(row)
	}
	if id == 0 {
		m.say(dim, "Nothing is under way for row "+strconv.FormatInt(row, 10)+": there is nothing to kill.")
		return nil
	}
	if m.surprised() {
		m.say(warn, "#"+id.String()+" came this moment; x again kills it.")
		return nil
	}
	if s, ok := m.o.Present.State(id); ok && !s.Live() {
		m.say(dim, "#"+id.String()+" has already finished.")
		return nil
	}
	m.sent.under = true
	control := m.o.Control
	return m.guarded(func() tea.Msg {
		phase, err := control.Kill(id)
		return doneMsg{said: "#" + id.String() + " killed while " + string(phase) + ".", err: err}
	})
}

// rowAlone is the journal row on screen of which no exchange is shown, when an
// exchange may be at work on it.
func (m *model) rowAlone() int64 {
	switch {
	case m.detail != nil && m.detail.id == 0:
		return m.detail.row
	case m.detail == nil && m.pane == journal:
		if e := m.past.selected(&m.lists[journal]); e != nil && e.State.Active() {
			return e.ID
		}
	}
	return 0
}

// exchangeOf finds the exchange that works on a journal row, 0 when none does.
// One that rides on another's fetch comes after that.
func (m *model) exchangeOf(row int64) exchange.ID {
	found := m.o.Present.Snapshot(live.Query{Row: row, Live: true, Oldest: true, Limit: 16}).Rows
	for i := range found {
		if found[i].Leader == 0 {
			return found[i].ID
		}
	}
	if len(found) > 0 {
		return found[0].ID
	}
	return 0
}

// retry sends a row again; a key that is held down does it once.
func (m *model) retry(how exchange.Retry) tea.Cmd {
	_, row := m.target()
	if row == 0 {
		if id, _ := m.target(); id != 0 {
			m.say(dim, "#"+id.String()+" is not in the journal: only journaled calls can be retried.")
		}
		return nil
	}
	again := m.sent.row == row && m.now.Sub(m.sent.at) < held
	if m.sent.under || again {
		if again {
			m.sent.at = m.now
		}
		return nil
	}
	if m.surprised() {
		m.say(warn, "Row "+strconv.FormatInt(row, 10)+" came this moment; r again sends it.")
		return nil
	}
	return m.send(row, how)
}

func (m *model) send(row int64, how exchange.Retry) tea.Cmd {
	m.sent = sent{under: true, row: row, at: m.now}
	control := m.o.Control
	return m.guarded(func() tea.Msg {
		started, err := control.Retry(row, how)
		said := "Row " + strconv.FormatInt(started.Row, 10) + " is sent again as #" + started.ID.String() + ", attempt " + strconv.Itoa(started.Attempt) + "."
		return doneMsg{said: said, err: err, row: row, how: how}
	})
}

// runAsNew sends an accepted request again. It always costs, so it asks.
func (m *model) runAsNew() tea.Cmd {
	_, row := m.target()
	if row == 0 || m.sent.under {
		return nil
	}
	m.ask = &question{
		title: "Run as new",
		text:  "Row " + strconv.FormatInt(row, 10) + " is sent as a new request beside the old one and charged again.",
		yes:   "send it",
		do:    func() tea.Cmd { return m.send(row, exchange.Retry{New: true, Confirm: true}) },
	}
	return nil
}

// carriedOut takes in the answer to a command. A retry that may cost money is
// asked about once, with what it may cost.
func (m *model) carriedOut(msg doneMsg) {
	m.sent.under = false
	if msg.row != 0 {
		m.sent.at = m.now
	}
	var refused *exchange.Refusal
	switch {
	case msg.err == nil:
		m.say(good, msg.said)
	case errors.As(msg.err, &refused) && refused.Kind == exchange.NeedsConfirm && !msg.how.Confirm:
		how := msg.how
		how.Confirm = true
		m.ask = &question{
			title: "Retry row " + strconv.FormatInt(msg.row, 10),
			text:  joinSentences(refused.Why, riskWords(refused.Risk)),
			yes:   "send it again",
			do:    func() tea.Cmd { return m.send(msg.row, how) },
		}
	default:
		m.say(warn, msg.err.Error())
	}
}

// answer takes y or n for the open question. Other keys are not an answer: a
// held r must not close what it has opened.
func (m *model) answer(k tea.KeyMsg) tea.Cmd {
	q := m.ask
	switch {
	case key.Matches(k, m.keys.Yes), q.again != "" && k.String() == q.again:
		m.ask = nil
		return q.do()
	case key.Matches(k, m.keys.No), k.String() == "ctrl+c":
		m.ask = nil
	}
	return nil
}

// say shows a sentence for as long as it takes to read it, 6 s at least.
func (m *model) say(in tone, text string) {
	text = line(text)
	m.note = note{in: in, text: text, until: m.now.Add(max(6*time.Second, time.Duration(len(text))*80*time.Millisecond))}
}

// joinSentences puts the second behind the first, unless that says it already.
func joinSentences(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	case contains(a, "charged") || contains(a, "paid") || contains(a, "billed") || contains(a, "never left"):
		return a // it speaks of the risk in its own words, perhaps with numbers
	}
	return a + " " + b
}
