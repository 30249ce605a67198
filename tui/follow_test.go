package tui

import (
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

func TestFollowingIsStandingOnTheNewestRow(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.shows("follow ")
	for id := exchange.ID(50); id < 60; id++ {
		s.observe(call(id, 40, "gpt-4o", "new"))
		if c := s.m.lists[requests]; c.id != uint64(id) || c.line != 0 {
			t.Fatalf("#%d came, and #%d in line %d is selected", id, c.id, c.line)
		}
	}
	s.press("j")
	s.hides("follow  slots")
	s.shows("f follow")
	s.observe(call(60, 41, "gpt-4o", "new"))
	if id := s.m.lists[requests].id; id != 58 {
		t.Errorf("not following, and the selection has moved from #58 to #%d", id)
	}
	s.press("g")
	s.observe(call(61, 42, "gpt-4o", "new"))
	if id := s.m.lists[requests].id; id != 61 {
		t.Errorf("g follows, and #%d is selected", id)
	}
	s.press("f")
	s.observe(call(62, 43, "gpt-4o", "new"))
	if id := s.m.lists[requests].id; id != 61 {
		t.Errorf("f has ended following, and #%d is selected", id)
	}
}

func TestARowThatCameThisMomentIsNotKilledByOneKey(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.observe(call(50, 40, "gpt-4o", "new"))
	s.now = s.now.Add(100 * time.Millisecond)
	s.press("x")
	if len(s.control.kills) != 0 {
		t.Fatalf("killed %v, which came under the key", s.control.kills)
	}
	s.shows("#50 came this moment; x again kills it.")
	s.press("x")
	if len(s.control.kills) != 1 || s.control.kills[0] != 50 {
		t.Errorf("x again: killed %v", s.control.kills)
	}
	s.observe(call(51, 41, "gpt-4o", "new"))
	s.now = s.now.Add(time.Second)
	s.press("x")
	if len(s.control.kills) != 2 {
		t.Errorf("a second later: killed %v", s.control.kills)
	}
}

func TestARowThatCameThisMomentIsNotSentByOneKey(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.observe(call(50, 40, "gpt-4o", "new"), exchange.Shed{Stamp: at(50, 40), Row: 60},
		exchange.Finished{Stamp: at(50, 40), Outcome: exchange.OutcomeShed, Status: 503})
	s.press("r")
	if len(s.control.rows) != 0 {
		t.Fatalf("sent %v, which came under the key", s.control.rows)
	}
	s.shows("Row 60 came this moment; r again sends it.")
	s.press("r")
	if len(s.control.rows) != 1 || s.control.rows[0] != 60 {
		t.Errorf("r again: sent %v", s.control.rows)
	}
	s.shows("Row 60 is sent again as #77, attempt 2.")
}

func TestXOnAJournalRowKillsTheExchangeThatWorksOnIt(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("4", "j", "j", "j", "j")
	s.shows("x kill")
	s.press("x")
	if len(s.control.kills) != 1 || s.control.kills[0] != 10 { // row 7 is exchange 10's
		t.Fatalf("killed %v, want 10", s.control.kills)
	}
	s.press("enter", "x")
	if len(s.control.kills) != 2 {
		t.Errorf("x does nothing in the detail of a live row: %v", s.control.kills)
	}
	s.press("esc", "g")
	s.hides("x kill")
	s.press("x")
	s.shows("Nothing is under way for row 11: there is nothing to kill.")
	if len(s.control.kills) != 2 {
		t.Errorf("killed %v", s.control.kills)
	}
}

func TestAPausedJournalStandsStillToo(t *testing.T) {
	s := newScreen(t, 80, 24, fixture())
	s.press("4", "p")
	before := s.m.View()
	s.past.mu.Lock()
	s.past.version++
	s.past.rows = append([]exchange.Entry{{ID: 99, Model: "new-model", State: exchange.NotSent}}, s.past.rows...)
	s.past.mu.Unlock()
	s.pass(5 * time.Second)
	s.hides("new-model")
	cut := func(v string) string { return strings.Join(strings.Split(v, "\n")[headLines:headLines+11], "\n") }
	if cut(s.m.View()) != cut(before) {
		t.Errorf("the list has changed:\n%s", s.m.View())
	}
	s.press("p")
	s.shows("new-model")
}
