package tui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
)

func TestXKillsTheSelectedExchangeAndAsksNothing(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("2", "g")
	want := exchange.ID(s.m.lists[streams].id)
	if st, _ := s.board.State(want); !st.Live() {
		t.Fatalf("stream %s is selected and not live", want)
	}
	s.press("x")
	if len(s.control.kills) != 1 || s.control.kills[0] != want {
		t.Errorf("killed %v, want %s", s.control.kills, want)
	}
	s.shows("#" + want.String() + " killed while streaming.")
}

func TestKeysThatComeInOneReadAreSeveralKeysAndAPasteIsNone(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("4jj")
	s.shows("[4 Journal]")
	if id := s.m.lists[journal].id; id != 9 {
		t.Errorf("row %d is selected, want 9", id)
	}
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("r1xq"), Paste: true})
	if len(s.control.rows)+len(s.control.kills) != 0 || s.quit {
		t.Error("a paste has been taken for commands")
	}
	s.press("/")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("killed"), Paste: true})
	s.shows("/killed")
}

func TestXOnWhatHasEndedSaysSoAndSendsNothing(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("G", "x")
	if len(s.control.kills) != 0 {
		t.Errorf("killed %v", s.control.kills)
	}
	s.shows("#1 has already finished.")
}

func TestARefusedCommandIsOneLine(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.control.refuse = &exchange.Refusal{Kind: exchange.NotNow, Why: "Row 11 is under way; wait for its end."}
	s.press("4", "r")
	s.shows("Row 11 is under way")
	s.now = s.now.Add(7 * time.Second)
	s.send(tickMsg{})
	s.hides("Row 11 is under way")
}

func TestARetryThatMayCostAsksOnceWithTheRisk(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.control.refuse = &exchange.Refusal{Kind: exchange.NeedsConfirm, Why: "Row 11 was cut before any content.", Risk: exchange.RiskCharged}
	s.press("4", "r")
	s.shows("Retry row 11?", "Row 11 was cut before any content.", "may be charged", "y send it again")
	s.press("y", "y")
	if want := []exchange.Retry{{}, {Confirm: true}}; !reflect.DeepEqual(s.control.retries, want) {
		t.Errorf("%v, want %v", s.control.retries, want)
	}
	s.hides("y send it again")
	s.shows("Row 11 is sent again as #77, attempt 2.")
}

func TestNoMeansNo(t *testing.T) {
	for _, no := range []string{"n", "esc", "ctrl+c"} {
		s := newScreen(t, 80, 24, fixture())
		s.control.refuse = &exchange.Refusal{Kind: exchange.NeedsConfirm, Risk: exchange.RiskPaid}
		s.press("4", "r", no, "y")
		if len(s.control.retries) != 1 || s.quit {
			t.Errorf("%s: %d retries, quit %v", no, len(s.control.retries), s.quit)
		}
		s.hides("y send it again")
	}
}

func TestHoldingRDownSendsOnce(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("4")
	s.keep = true // the command is slow: its answer does not come while the key is down
	for range 40 {
		s.press("r")
		s.now = s.now.Add(30 * time.Millisecond)
	}
	s.keep = false
	for _, c := range s.kept {
		s.run(c)
	}
	for range 100 { // and it stays down after the answer
		s.press("r")
		s.now = s.now.Add(30 * time.Millisecond)
	}
	if len(s.control.rows) != 1 {
		t.Fatalf("%d retries", len(s.control.rows))
	}
	s.pass(2 * time.Second)
	s.press("r")
	if len(s.control.rows) != 2 {
		t.Errorf("a new press after a pause: %d retries", len(s.control.rows))
	}
}

func TestHoldingRDownDoesNotAnswerTheQuestionItHasOpened(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.control.refuse = &exchange.Refusal{Kind: exchange.NeedsConfirm, Risk: exchange.RiskCharged}
	s.press("4", "r", "r", "r", "r")
	s.shows("y send it again")
	if len(s.control.rows) != 1 {
		t.Errorf("%d retries", len(s.control.rows))
	}
}

func TestRunAsNewAsksAndSendsANewRow(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("4", "G", "n")
	s.shows("Run as new?", "charged again")
	if len(s.control.rows) != 0 {
		t.Fatal("sent without asking")
	}
	s.press("y")
	if len(s.control.rows) != 1 || s.control.rows[0] != 1 || s.control.retries[0] != (exchange.Retry{New: true, Confirm: true}) {
		t.Errorf("rows %v, %v", s.control.rows, s.control.retries)
	}
}

func TestROnARequestRetriesItsJournalRow(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("/")
	s.typed("killed")
	s.press("enter", "r")
	if len(s.control.rows) != 1 || s.control.rows[0] != 4 {
		t.Errorf("rows %v, want 4", s.control.rows)
	}
	s.press("esc", "G", "r")
	s.shows("#1 is not in the journal")
}

func TestTheFilterFollowsEachKeyAndEscTakesItAway(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("/")
	s.typed("claude incomplet")
	s.shows("/claude incomplet", "claude-s")
	s.hides("qwen")
	s.press("e", "backspace", "enter")
	if s.m.lists[requests].total != 1 {
		t.Errorf("%d rows", s.m.lists[requests].total)
	}
	s.shows("/claude incomplet")
	s.press("/", "ctrl+w")
	if s.m.filters[requests] != "claude " {
		t.Errorf("%q", s.m.filters[requests])
	}
	s.press("ctrl+u")
	s.typed("nothing like it")
	s.press("enter")
	s.shows("Nothing matches /nothing like it")
	s.press("esc")
	s.shows("qwen")
	s.press("4", "/")
	s.typed("DEAD_letter")
	s.press("enter")
	if s.m.lists[journal].total != 1 {
		t.Errorf("journal: %d rows", s.m.lists[journal].total)
	}
}

func TestQuitAsksWhileSomethingIsLive(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("q", "x", "q")
	if s.quit || len(s.control.kills) != 0 {
		t.Fatal("q answers its own question, or x works behind it")
	}
	s.press("q", "y")
	if !s.quit {
		t.Error("y does not quit")
	}
	for name, s := range map[string]*screen{
		"nothing is live": newScreen(t, 80, 24, nil),
		"the demo":        newScreen(t, 80, 24, fixture(), func(o *Options) { o.QuitAsks = false }),
	} {
		if s.press("q"); !s.quit {
			t.Errorf("%s: q asks", name)
		}
	}
	s = newScreen(t, 80, 24, fixture())
	if s.press("ctrl+c", "ctrl+c"); !s.quit {
		t.Error("ctrl+c twice does not quit")
	}
}

func TestTheSelectionStaysWithItsRowWhileRequestsArrive(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("j", "j")
	id, line := s.m.lists[requests].id, s.m.lists[requests].line
	for n := exchange.ID(50); n < 60; n++ {
		s.observe(exchange.Served{Stamp: at(n, 40), Method: "GET", Target: "/new", Status: 200})
	}
	if c := s.m.lists[requests]; c.id != id || c.line != line {
		t.Errorf("row %d in line %d, was %d in line %d", c.id, c.line, id, line)
	}
	s.shows("▲ 10 above")
	s.press("g")
	if c := s.m.lists[requests]; c.offset != 0 || !c.follow {
		t.Errorf("g: %+v", c)
	}
}

func TestEveryRowCanBeReached(t *testing.T) {
	var facts []exchange.Fact
	for n := exchange.ID(1); n <= 200; n++ {
		facts = append(facts, exchange.Served{Stamp: at(n, float64(n)), Method: "GET", Target: fmt.Sprintf("/%d", n), Status: 200})
	}
	for _, keys := range [][]string{{"j"}, {"pgdown"}, {"G"}} {
		s := newScreen(t, 80, 24, facts)
		seen := map[uint64]bool{}
		for range 250 {
			seen[s.m.lists[requests].id] = true
			s.press(keys...)
		}
		if !seen[1] {
			t.Errorf("%v never comes to the oldest row; it ends at %+v", keys, s.m.lists[requests])
		}
		if keys[0] == "j" && len(seen) != 200 {
			t.Errorf("j stops at %d of 200 rows", len(seen))
		}
		for range 250 {
			s.press("k")
		}
		if c := s.m.lists[requests]; c.id != 200 || !c.follow {
			t.Errorf("k does not come back to the newest: %+v", c)
		}
	}
}

func TestPauseHoldsTheListAndNotTheCounters(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("p")
	s.observe(exchange.Served{Stamp: at(50, 40), Method: "GET", Target: "/while-paused", Status: 200, Verdict: exchange.Verdict{XCache: exchange.HIT}})
	s.hides("/while-paused")
	s.shows("PAUSED", "HIT 2", "p go on")
	list := func() string { return strings.Join(strings.Split(s.m.View(), "\n")[headLines:headLines+12], "\n") }
	before := list()
	s.pass(7 * time.Second)
	if got := list(); got != before {
		t.Errorf("its clocks go on:\n%s\nwas\n%s", got, before)
	}
	s.press("j", "G")
	if id := s.m.lists[requests].id; id != 1 {
		t.Errorf("a paused list cannot be read to its end: %d", id)
	}
	s.press("p", "g")
	s.shows("/while-paused", "follow", "7s")
	s.hides("PAUSED")
}

func TestEnterOpensAndEscGoesBack(t *testing.T) {
	s := newScreen(t, 80, 40, fixture())
	s.press("/")
	s.typed("killed")
	s.press("enter", "enter")
	s.shows("[Overview]", "killed by the operator", "Journal row 4")
	s.press("right")
	s.shows("[Messages]", "You are brief.", "Tell me about the mill.")
	s.press("l")
	s.shows("[Answer]", "It stands where the river bends.")
	s.press("l")
	s.shows("ATTEMPT", "SENT", "KILLED", "+4.19s")
	s.press("l")
	s.shows("text/event-stream", "Authorization: [redacted]")
	s.press("l")
	s.shows(`{"model":"gpt-4o","stream":true}`)
	s.press("esc", "esc")
	s.shows("[1 Requests]")
	s.hides("[Raw]")
}

func TestTheAnswerOfALiveStreamGrowsAndStaysAtItsEnd(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("2", "/")
	s.typed("gpt-4o streaming")
	s.press("enter", "enter", "3")
	for n := range 60 {
		s.observe(exchange.Progress{Stamp: at(8, 40), Text: fmt.Sprintf("\nline %d", n), Usage: exchange.Usage{Output: n}, Last: s.now})
		s.shows(fmt.Sprintf("line %d", n))
	}
	s.press("up", "up")
	s.observe(exchange.Progress{Stamp: at(8, 40), Text: "\nthe very last", Last: s.now})
	s.hides("the very last")
	s.press("G")
	s.shows("the very last")
}

func TestTheJournalIsReadInACommandAndAgainOnlyWhenItHasChanged(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.past.version++
	s.pass(time.Second)
	if s.past.lists != 1 {
		t.Fatalf("read %d times while it is not on screen, want once at the start", s.past.lists)
	}
	s.past.version--
	s.press("4")
	s.pass(time.Second)
	s.observe(exchange.Purged{})
	if s.past.lists != 1 {
		t.Errorf("read %d times without a change", s.past.lists)
	}
	s.past.mu.Lock()
	s.past.version++
	s.past.rows[0].Newest = exchange.CACHEHIT
	s.past.mu.Unlock()
	s.pass(time.Second)
	if s.past.lists != 2 {
		t.Errorf("read %d times after one change", s.past.lists)
	}
	s.keep = true // nothing runs: Update and View themselves must not read
	s.past.version++
	before := s.past.lists
	s.press("j", "k", "g", "G", "enter", "esc")
	s.m.View()
	if s.past.lists != before {
		t.Error("Update or View reads the journal")
	}
}

func TestWithoutAJournalThePaneSaysSo(t *testing.T) {
	s := newScreen(t, 80, 24, fixture(), func(o *Options) { o.Past = nil })
	s.press("4", "r", "n", "enter")
	s.shows("There is no journal")
	s = newScreen(t, 80, 24, fixture(), func(o *Options) { o.Past.(*fakePast).err = fmt.Errorf("disk gone") })
	s.press("4")
	s.shows("The journal cannot be read: disk gone")
}

func TestTheScreenTicksOnlyWhileSomethingAges(t *testing.T) {
	ticks := func(s *screen) bool {
		s.m.ticking = false
		return s.m.tick() != nil
	}
	if !ticks(newScreen(t, 80, 24, fixture())) {
		t.Error("live rows do not age")
	}
	s := newScreen(t, 80, 24, nil)
	if ticks(s) {
		t.Error("an empty screen ticks")
	}
	s.observe(exchange.Served{Stamp: at(1, 40), Method: "GET", Target: "/x", Status: 200})
	if !ticks(s) {
		t.Error("a row of this minute does not age")
	}
	s.pass(5 * time.Minute)
	if ticks(s) {
		t.Error("old rows tick")
	}
}

func TestHelpIsMadeFromTheKeymapAndNamesEveryKey(t *testing.T) {
	s := newScreen(t, 160, 50, fixture())
	s.press("?")
	v := reflect.ValueOf(s.m.keys)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "Yes" || name == "No" || name == "Help" {
			continue // shown with each question, and in the hint line
		}
		h := v.Field(i).Interface().(key.Binding).Help()
		s.shows(h.Key, h.Desc)
	}
	s.press("?")
	s.hides("previous pane")
}

func TestCtrlZIsNotBound(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	before := s.m.View()
	s.keep = true
	s.press("ctrl+z") // it would stop the proxy with the dashboard
	for _, c := range s.kept {
		if _, ok := c().(tea.SuspendMsg); ok {
			t.Error("ctrl+z suspends")
		}
	}
	if s.m.View() != before {
		t.Error("ctrl+z does something")
	}
}

func TestPanesAreReachedByNumberAndTab(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	for i, name := range paneNames {
		s.press(fmt.Sprint(i + 1))
		s.shows(fmt.Sprintf("[%d %s]", i+1, name))
	}
	s.press("tab")
	s.shows("[1 Requests]")
	s.press("shift+tab")
	s.shows("[4 Journal]")
}

func TestTheHeadAlwaysSaysWhereToPointAClient(t *testing.T) {
	for name, keys := range views {
		s := newScreen(t, 80, 24, fixture())
		s.press(keys...)
		head := strings.Split(s.m.View(), "\n")[:headLines]
		for _, want := range []string{"OPENAI_BASE_URL=http://127.0.0.1:8245/v1", "ANTHROPIC_BASE_URL=http://127.0.0.1:8245", "HIT 1", "MISS 1", "slots demo 1/4 +1 in line"} {
			if !strings.Contains(strings.Join(head, "\n"), want) {
				t.Errorf("%s: the head does not say %q:\n%s", name, want, strings.Join(head, "\n"))
			}
		}
	}
}
