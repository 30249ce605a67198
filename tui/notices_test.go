package tui

import (
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

const (
	kept      = "prompts and answers are kept in /var/lib/tailrace/state and stay on this disk until that folder is deleted"
	unwritten = "journal: an event could not be written: disk full"
)

// warned is a screen with notices that the test may add to.
func warned(t *testing.T, w, h int, first ...string) (*screen, *[]string) {
	said := first
	s := newScreen(t, w, h, fixture(), func(o *Options) {
		o.Notices = func() []string { return append([]string(nil), said...) }
	})
	return s, &said
}

// unbroken is the screen with its lines joined, so that a wrapped sentence is
// found.
func (s *screen) unbroken() string {
	return strings.Join(strings.Fields(s.m.View()), " ")
}

func TestASentenceIsShownToItsEnd(t *testing.T) {
	why := "Row 1 has an accepted result, and the same request is answered from it without a call; to have it done again all the same, run it as new with n."
	for _, size := range [][2]int{{60, 15}, {60, 20}, {80, 24}} {
		s, _ := warned(t, size[0], size[1], kept)
		if !strings.Contains(s.unbroken(), kept) {
			t.Errorf("%v: the notice is cut:\n%s", size, s.m.View())
		}
		s.control.refuse = &exchange.Refusal{Kind: exchange.NotNow, Why: why}
		s.press("4", "G", "r")
		if !strings.Contains(s.unbroken(), why) {
			t.Errorf("%v: the refusal is cut:\n%s", size, s.m.View())
		}
		s.fits("said")
		s.pass(10 * time.Second)
		s.shows("run it as new") // it takes longer to read
		s.pass(10 * time.Second)
		s.hides("run it as new")
	}
}

func TestASentenceThatIsTooLongIsSeenToGoOn(t *testing.T) {
	s, _ := warned(t, 60, 15, strings.Repeat("word ", 100))
	s.shows("…")
	s.fits("a long notice")
	if n := strings.Count(s.m.View(), "word word"); n > 3*6 {
		t.Errorf("the notice fills the screen:\n%s", s.m.View())
	}
}

func TestEscPutsANoticeAwayAndANewOneIsSaid(t *testing.T) {
	s, said := warned(t, 80, 24, kept)
	s.shows("prompts and answers", "esc dismiss")
	s.press("/", "g", "enter", "esc")
	s.shows("prompts and answers") // esc took the filter away
	s.press("esc")
	s.hides("prompts and answers", "esc dismiss")
	*said = append(*said, unwritten)
	s.pass(time.Second)
	s.shows(unwritten)
	s.hides("prompts and answers")
}

func TestAnOlderNoticeFadesAndTheNewestStays(t *testing.T) {
	s, said := warned(t, 80, 24, kept)
	s.pass(2 * time.Minute)
	s.shows("prompts and answers") // the only one is the newest
	s.press("esc")
	*said = append(*said, "an early warning", unwritten)
	s.pass(time.Second)
	s.shows("! an early warning", "! "+unwritten)
	s.m.ticking = false
	s.m.restful = time.Time{}
	if !s.m.ages() {
		t.Error("no tick will take the older notice away")
	}
	s.pass(time.Minute)
	s.hides("an early warning")
	s.shows("! " + unwritten)
	s.pass(time.Hour)
	s.shows("! " + unwritten)
}
