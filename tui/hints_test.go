package tui

import (
	"fmt"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

// lastLine is the line of the hints.
func (s *screen) lastLine() string {
	lines := strings.Split(s.m.View(), "\n")
	return lines[len(lines)-1]
}

func TestHelpAndQuitAreInTheHintsWhateverElseIs(t *testing.T) {
	var facts []exchange.Fact
	for n := exchange.ID(1); n <= 2000; n++ {
		facts = append(facts, exchange.Served{Stamp: at(n, float64(n)), Method: "GET", Target: fmt.Sprintf("/%d", n), Status: 200})
	}
	for _, w := range []int{60, 72, 80, 120} {
		s := newScreen(t, w, 24, facts)
		for range 900 {
			s.press("j")
		}
		for name, keys := range map[string][]string{"list": nil, "paused": {"p"}, "help": {"?"}, "detail": {"esc", "enter"}} {
			s.press(keys...)
			if l := s.lastLine(); !strings.Contains(l, "? help  q quit") {
				t.Errorf("%s at %d: %q", name, w, l)
			}
			s.press("esc")
		}
		if l := s.lastLine(); !strings.Contains(l, " above ▼ ") || !strings.Contains(l, " below") {
			t.Errorf("at %d the place in the list is not told: %q", w, l)
		}
	}
	s := newScreen(t, 60, 24, nil)
	s.press("/")
	s.typed(strings.Repeat("a long filter ", 10))
	if l := s.lastLine(); !strings.Contains(l, "esc no filter") || !strings.Contains(l, "filter ▏") {
		t.Errorf("a long filter hides how to leave it: %q", l)
	}
}

func TestHintsOfferOnlyWhatTheSelectedRowAllows(t *testing.T) {
	offers := func(s *screen, what string, want ...string) {
		t.Helper()
		for _, k := range []string{"x kill", "r retry", "n run as new"} {
			wanted := false
			for _, w := range want {
				wanted = wanted || w == k
			}
			if has := strings.Contains(s.lastLine(), k); has != wanted {
				t.Errorf("%s: %q offered is %v: %q", what, k, has, s.lastLine())
			}
		}
	}
	filtered := func(words string) *screen {
		s := newScreen(t, 120, 30, fixture())
		s.press("/")
		s.typed(words)
		s.press("enter")
		return s
	}
	offers(filtered("gpt-4o streaming"), "a live stream", "x kill")
	offers(filtered("killed"), "a killed one with a row", "r retry")
	offers(filtered("models completed"), "a GET without a row")
	offers(filtered("no such thing"), "nothing")
	s := filtered("killed")
	s.press("enter")
	offers(s, "its detail", "r retry")

	s = newScreen(t, 120, 30, fixture())
	s.observe(call(50, 39, "gpt-4o", "new"), exchange.Sent{Stamp: at(50, 39), Row: 60, Attempt: 1},
		exchange.Finished{Stamp: at(50, 40), Outcome: exchange.OutcomeCompleted, Status: 200})
	offers(s, "an accepted one", "n run as new")
	s.observe(call(51, 39, "gpt-4o", "new"), exchange.Sent{Stamp: at(51, 39), Row: 61, Attempt: 1},
		exchange.Finished{Stamp: at(51, 40), Outcome: exchange.OutcomeCompleted, Status: 400})
	offers(s, "one that the provider refused", "r retry")

	for row, want := range map[int][]string{11: {"r retry"}, 7: {"x kill"}, 1: {"n run as new"}} {
		s = newScreen(t, 120, 30, fixture())
		s.press("4")
		for range 11 - row {
			s.press("j")
		}
		offers(s, fmt.Sprintf("journal row %d", row), want...)
		s.press("enter")
		offers(s, fmt.Sprintf("the detail of journal row %d", row), want...)
	}
}

func TestHelpExplainsTheSignsAndOnlyTheVerdictsThatComeAndFitsNarrowScreens(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {160, 50}} {
		s := newScreen(t, size[0], size[1], fixture())
		s.press("?")
		seen := map[string]bool{}
		for range 60 {
			for _, l := range strings.Split(s.m.View(), "\n")[headLines:] {
				seen[strings.TrimSpace(l)] = true
			}
			s.press("down")
		}
		all := ""
		for l := range seen {
			all += l + "\n"
		}
		for _, want := range []string{"✓ answered", "◇ accepted", "◦ in line", "⠇ under way", "! shed", "✗ failed", "~ a number", "HIT ", "MISS ", "BYPASS ", "newest, follow", "what to try", "back, dismiss"} {
			if !strings.Contains(all, want) {
				t.Errorf("%v: help does not say %q:\n%s", size, want, all)
			}
		}
		for _, not := range []string{"STALE", "REVALIDATED", "tabprevious", "…"} {
			if strings.Contains(all, not) {
				t.Errorf("%v: help says %q:\n%s", size, not, all)
			}
		}
	}
}
