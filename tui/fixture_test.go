package tui

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("TAILRACE_TUI_CHILD"); what != "" {
		os.Exit(child(what))
	}
	goleak.VerifyTestMain(m)
}

// t0 is when the fixture's traffic begins; the screens are looked at 40 s later.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(id exchange.ID, s float64) exchange.Stamp {
	return exchange.Stamp{ID: id, At: t0.Add(time.Duration(s * float64(time.Second)))}
}

// call is a chat request.
func call(id exchange.ID, s float64, model, asked string) exchange.Received {
	dialect, target := exchange.DialectOpenAI, "/v1/chat/completions"
	if strings.HasPrefix(model, "claude") {
		dialect, target = exchange.DialectAnthropic, "/v1/messages"
	}
	return exchange.Received{
		Stamp: at(id, s), Method: "POST", Target: target, Client: "127.0.0.1:50412", Route: "demo", BodyBytes: 412,
		Header: exchange.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Authorization", Value: exchange.Redacted}},
		Call: exchange.Call{
			Dialect: dialect, API: "chat", Model: model, Declared: exchange.DeclaredBody, Key: "0123456789abcdef",
			Messages: []exchange.Message{{Role: "system", Text: "You are brief."}, {Role: "user", Text: asked}},
		},
	}
}

// fixture is the traffic of the golden screens: one of everything.
func fixture() []exchange.Fact {
	bypass := exchange.Verdict{XCache: exchange.BYPASS, Source: exchange.SourceOrigin, Reason: "declared-stream-body"}
	miss := exchange.Verdict{XCache: exchange.MISS, Source: exchange.SourceOrigin}
	hit := exchange.Verdict{XCache: exchange.HIT, Source: exchange.SourceHot}
	get := func(id exchange.ID, s float64, target string) exchange.Received {
		return exchange.Received{Stamp: at(id, s), Method: "GET", Target: target, Client: "127.0.0.1:50410", Route: "demo"}
	}
	f := []exchange.Fact{
		get(1, 1, "/v1/models?limit=20"),
		exchange.Decided{Stamp: at(1, 1), Verdict: miss},
		exchange.Admitted{Stamp: at(1, 1)},
		exchange.Sent{Stamp: at(1, 1.01), Origin: "127.0.0.1:9001", Attempt: 1},
		exchange.Headed{Stamp: at(1, 1.2), Status: 200},
		exchange.Answered{Stamp: at(1, 1.2), Status: 200, Verdict: miss},
		exchange.Finished{Stamp: at(1, 1.24), Outcome: exchange.OutcomeCompleted, Status: 200, BytesOut: 2048},
		exchange.Served{Stamp: at(2, 2), Method: "GET", Target: "/v1/models?limit=20", Client: "127.0.0.1:50410", Route: "demo", Status: 200, BytesOut: 2048, Verdict: hit, Duration: 180 * time.Microsecond},
		exchange.Served{Stamp: at(3, 3), Method: "GET", Target: "/v1/files", Client: "127.0.0.1:50410", Route: "demo", Status: 200, BytesOut: 90, Verdict: exchange.Verdict{XCache: exchange.STALE, Source: exchange.SourceHot, Reason: "shed"}, Duration: time.Millisecond},
		exchange.Served{Stamp: at(4, 3.5), Method: "GET", Target: "/v1/batches", Client: "127.0.0.1:50410", Route: "demo", Status: 200, BytesOut: 90, Verdict: exchange.Verdict{XCache: exchange.REVALIDATED, Source: exchange.SourceHot}, Duration: 20 * time.Millisecond},
		// 5: shed
		call(5, 4, "gpt-4o", "Will this find a slot?"),
		exchange.Decided{Stamp: at(5, 4), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Queued{Stamp: at(5, 4), Route: "demo", Place: 1},
		exchange.Shed{Stamp: at(5, 4.1), Route: "demo", Reason: "slots", Row: 6},
		exchange.Answered{Stamp: at(5, 4.1), Status: 503, Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Finished{Stamp: at(5, 4.1), Outcome: exchange.OutcomeShed, Status: 503, BytesOut: 190, Cause: "queue full for fetch_wait_timeout"},
	}
	// 6: broken by the origin, 7: killed, 8: flows, 9: flows and was never asked for
	text := "The mill stands where the river bends, and the wheel turns day and night. "
	for _, s := range []struct {
		id    exchange.ID
		from  float64
		model string
		n     int
	}{{6, 5, "claude-sonnet-4", 40}, {7, 8, "gpt-4o", 60}, {8, 20, "gpt-4o", 90}, {9, 30, "qwen2.5:7b", 25}} {
		r := call(s.id, s.from, s.model, "Tell me about the mill.")
		if s.id == 9 {
			r.Call.Declared = exchange.DeclaredNot
		}
		f = append(f, r, exchange.Decided{Stamp: at(s.id, s.from), Verdict: bypass},
			exchange.Queued{Stamp: at(s.id, s.from), Route: "demo", Place: 1},
			exchange.Admitted{Stamp: at(s.id, s.from+.02)},
			exchange.Sent{Stamp: at(s.id, s.from+.03), Origin: "127.0.0.1:9001", Row: int64(s.id) - 3, Key: "0123456789abcdef", Attempt: 1},
			exchange.Headed{Stamp: at(s.id, s.from+.2), Status: 200, Stream: true},
			exchange.Answered{Stamp: at(s.id, s.from+.2), Status: 200, Verdict: bypass, Header: exchange.Header{{Name: "Content-Type", Value: "text/event-stream"}}})
		if s.id == 9 {
			f = append(f, exchange.Undeclared{Stamp: at(9, 30.2)})
		}
		f = append(f, exchange.Progress{
			Stamp: at(s.id, s.from+9), Bytes: int64(s.n) * 80, Events: s.n, Text: strings.Repeat(text, s.n/10),
			Usage: exchange.Usage{Input: 12, Output: s.n}, First: at(s.id, s.from+.4).At, Last: at(s.id, s.from+9).At,
		})
	}
	return append(f,
		exchange.Landed{Stamp: at(6, 14.1), Status: 200, Ending: exchange.EndingBroken, Bytes: 3200, Events: 40, Row: 3, Cause: "the origin broke off after 40 events, without a terminal marker"},
		exchange.Finished{Stamp: at(6, 14.1), Outcome: exchange.OutcomeIncomplete, Status: 200, BytesOut: 3300, Cause: "the origin broke off after 40 events, without a terminal marker"},
		exchange.Landed{Stamp: at(7, 17.5), Status: 200, Ending: exchange.EndingBroken, Bytes: 4800, Events: 60, Row: 4},
		exchange.Finished{Stamp: at(7, 17.5), Outcome: exchange.OutcomeKilled, Status: 200, BytesOut: 4900, Cause: "killed by the operator"},
		// 10: waits for its head and holds a slot, 11: in line
		call(10, 36, "gpt-4o-mini", "How long is the race?"),
		exchange.Decided{Stamp: at(10, 36), Verdict: bypass},
		exchange.Admitted{Stamp: at(10, 36.01)},
		exchange.Sent{Stamp: at(10, 36.02), Origin: "127.0.0.1:9001", Row: 7, Attempt: 2},
		call(11, 39.2, "claude-opus-4", "And how deep?"),
		exchange.Decided{Stamp: at(11, 39.2), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Queued{Stamp: at(11, 39.2), Route: "demo", Place: 1},
	)
}

var fixtureLoads = []exchange.Load{
	{Route: "anthropic", Slots: 256},
	{Route: "openai", Slots: 256},
	{Route: "demo", Slots: 4, InUse: 1, Waiting: 1, Shed: 1, ActiveStreams: 2, BufferBytes: 96 << 10, BufferLimit: 64 << 20},
}

// rows are the fixture's journal, newest first.
func rows() []exchange.Entry {
	type r struct {
		state  exchange.RowState
		newest exchange.EventName
		risk   exchange.Risk
		tokens int
	}
	list := []r{
		{exchange.Accepted, exchange.COMPLETE, exchange.RiskPaid, 12},
		{exchange.Accepted, exchange.CACHEHIT, exchange.RiskPaid, 12},
		{exchange.Partial, exchange.INCOMPLETE, exchange.RiskPaid, 40},
		{exchange.Killed, exchange.KILLED, exchange.RiskPaid, 60},
		{exchange.Streaming, exchange.HEADERS, exchange.RiskCharged, 0},
		{exchange.NotSent, exchange.NOTSENT, exchange.RiskNone, 0},
		{exchange.InFlight, exchange.SENT, exchange.RiskCharged, 0},
		{exchange.DeadLetter, exchange.DEADLETTER, exchange.RiskCharged, 0},
		{exchange.Interrupted, exchange.INTERRUPTED, exchange.RiskCharged, 0},
		{exchange.Rejected, exchange.HTTPERROR, exchange.RiskRefused, 0},
		{exchange.Uncertain, exchange.CLIENTGONE, exchange.RiskCharged, 0},
	}
	var out []exchange.Entry
	for i := len(list) - 1; i >= 0; i-- {
		x := list[i]
		out = append(out, exchange.Entry{
			ID: int64(i + 1), Key: "0123456789abcde" + strconv.FormatInt(int64(i%10), 16), Scope: "POST http://127.0.0.1:9001/v1/chat/completions",
			Route: "demo", Method: "POST", Target: "/v1/chat/completions", Dialect: exchange.DialectOpenAI, API: "chat",
			Model: "gpt-4o", Stream: i > 2, Preview: "Tell me about the mill.", State: x.state, Last: x.newest, Newest: x.newest,
			Attempts: 1 + i%3, Accepted: x.state == exchange.Accepted, Risk: x.risk, Tokens: x.tokens,
			CreatedAt: t0.Add(time.Duration(3*i-60) * time.Second), UpdatedAt: t0.Add(time.Duration(3*i) * time.Second),
		})
	}
	return out
}

// fakePast is a journal in memory.
type fakePast struct {
	mu      sync.Mutex
	rows    []exchange.Entry
	version uint64
	lists   int
	err     error
	detail  func(row int64) Detail
}

func (p *fakePast) Version() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

func (p *fakePast) List(page exchange.Page) ([]exchange.Entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lists++
	return p.rows[:min(page.Limit, len(p.rows))], p.err
}

func (p *fakePast) Detail(row int64) (Detail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.rows {
		if e.ID == row {
			if p.detail != nil {
				return p.detail(row), nil
			}
			return dossier(e), nil
		}
	}
	return Detail{}, errors.New("there is no such row")
}

func dossier(e exchange.Entry) Detail {
	ev := func(n exchange.EventName, s float64, d exchange.Detail) exchange.Event {
		return exchange.Event{Row: e.ID, Name: n, Attempt: 1, At: e.CreatedAt.Add(time.Duration(s * float64(time.Second))), Detail: d}
	}
	d := Detail{
		Messages: []exchange.Message{{Role: "system", Text: "You are brief."}, {Role: "user", Text: e.Preview}},
		Answer:   "It stands where the river bends.",
	}
	d.Entry = e
	d.Events = []exchange.Event{ev(exchange.ATTEMPT, 0, exchange.Detail{N: 1}), ev(exchange.SENT, .01, exchange.Detail{}), ev(e.Newest, 4.2, exchange.Detail{})}
	d.Attempts = []exchange.Attempt{{N: 1, StartedAt: e.CreatedAt, EndedAt: e.CreatedAt.Add(4200 * time.Millisecond), Outcome: exchange.OutcomeInterrupted, Status: 200, Bytes: 812, Raw: []byte("data: {}\n\n")}}
	d.Intent.Body = []byte(`{"model":"gpt-4o","stream":true}`)
	d.Intent.Header = exchange.Header{{Name: "Content-Type", Value: "application/json"}}
	return d
}

// fakeControl notes the commands and answers as it is told.
type fakeControl struct {
	mu      sync.Mutex
	kills   []exchange.ID
	retries []exchange.Retry
	rows    []int64
	refuse  *exchange.Refusal // retries without Confirm
	panics  bool
}

func (c *fakeControl) Kill(id exchange.ID) (exchange.Phase, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.panics {
		panic("kill has panicked")
	}
	c.kills = append(c.kills, id)
	return exchange.PhaseStreaming, nil
}

func (c *fakeControl) Retry(row int64, how exchange.Retry) (exchange.Started, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows, c.retries = append(c.rows, row), append(c.retries, how)
	if c.refuse != nil && !how.Confirm {
		return exchange.Started{}, c.refuse
	}
	return exchange.Started{ID: 77, Row: row, Attempt: 2}, nil
}

func (c *fakeControl) Purge(string) (int, error) { return 0, nil }

// screen drives a model without a terminal.
type screen struct {
	t       *testing.T
	m       *model
	board   *live.Board
	past    *fakePast
	control *fakeControl
	now     time.Time
	quit    bool
	kept    []tea.Cmd // commands that were not run
	keep    bool
}

func asciiTheme(p termenv.Profile) *theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	r.SetHasDarkBackground(true)
	return newTheme(r)
}

func newScreen(t *testing.T, w, h int, facts []exchange.Fact, change ...func(*Options)) *screen {
	s := &screen{t: t, board: live.NewBoard(0), past: &fakePast{rows: rows(), version: 1}, control: &fakeControl{}, now: t0.Add(40 * time.Second)}
	s.board.WatchLoads(func() []exchange.Load { return fixtureLoads })
	for _, f := range facts {
		s.board.Observe(f)
	}
	o := Options{
		Present: s.board, Past: s.past, Control: s.control, Version: "v1.2.3", ProxyURL: "http://127.0.0.1:8245",
		AdminURL: "http://127.0.0.1:8246", JournalPath: "/var/lib/tailrace/journal.db", Now: func() time.Time { return s.now }, QuitAsks: true,
	}
	for _, f := range change {
		f(&o)
	}
	s.m = newModel(o, asciiTheme(termenv.Ascii))
	close(s.m.done) // clocks and the bell return at once: the test is both
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// send gives the model a message and runs what it orders, until nothing is
// left to do.
func (s *screen) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		s.quit = true
		return
	}
	_, cmd := s.m.Update(msg)
	s.run(cmd)
}

func (s *screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if s.keep {
		s.kept = append(s.kept, cmd)
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	default:
		s.send(msg)
	}
}

// press types keys: names as bubbletea gives them, or single characters.
func (s *screen) press(keys ...string) {
	named := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "right": tea.KeyRight,
		"left": tea.KeyLeft, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "ctrl+c": tea.KeyCtrlC, "backspace": tea.KeyBackspace,
		"ctrl+u": tea.KeyCtrlU, "ctrl+w": tea.KeyCtrlW, "shift+tab": tea.KeyShiftTab, "ctrl+z": tea.KeyCtrlZ,
	}
	for _, k := range keys {
		if k == " " {
			s.send(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
		} else if t, ok := named[k]; ok {
			s.send(tea.KeyMsg{Type: t})
		} else {
			s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)})
		}
	}
}

// typed is press for each character.
func (s *screen) typed(text string) {
	for _, r := range text {
		s.press(string(r))
	}
}

// pass lets time go by, with the tick that it would bring.
func (s *screen) pass(d time.Duration) {
	s.now = s.now.Add(d)
	s.send(tickMsg{})
}

func (s *screen) observe(facts ...exchange.Fact) {
	for _, f := range facts {
		s.board.Observe(f)
	}
	s.send(bellMsg{})
}

func (s *screen) shows(parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if !strings.Contains(s.m.View(), p) {
			s.t.Errorf("the screen does not show %q:\n%s", p, s.m.View())
		}
	}
}

func (s *screen) hides(parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if strings.Contains(s.m.View(), p) {
			s.t.Errorf("the screen shows %q:\n%s", p, s.m.View())
		}
	}
}
