package tui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// views are the keys that lead to every view there is.
var views = map[string][]string{
	"requests": nil, "streams": {"2"}, "queue": {"3"}, "journal": {"4"}, "help": {"?"}, "quit": {"q"},
	"typing": {"/", "é", "漢"}, "paused": {"p", "j"}, "overview": {"enter"}, "messages": {"enter", "2"}, "answer": {"enter", "3"},
	"events": {"enter", "4"}, "headers": {"enter", "5"}, "raw": {"enter", "6"}, "journal detail": {"4", "enter"},
	"journal raw": {"4", "enter", "6"}, "new": {"4", "n"}, "last": {"G"}, "journal messages": {"4", "enter", "2"}, "journal headers": {"4", "enter", "5"},
}

// evil is text that a terminal would obey, hide or draw wider than it says.
const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\u009b1m\u202eabc\u2066\u200b\ufeff\r\n\t\x00\x7f👨\u200d👩\u200d👧🇩🇪❤\ufe0f漢字é\u0301\u0301\u0301\u0301\u0301\xff\xc3"

// hostileFacts fill every field that traffic can write to.
func hostileFacts() []exchange.Fact {
	h := exchange.Header{{Name: "X-" + evil, Value: evil + strings.Repeat("語", 4000)}}
	v := exchange.Verdict{XCache: exchange.MISS, Source: "origin", Reason: evil}
	return []exchange.Fact{
		exchange.Received{
			Stamp: at(1, 1), Method: evil, Target: "/" + strings.Repeat(evil, 900), Host: evil, Client: evil, Route: evil, Header: h,
			Call: exchange.Call{Dialect: "openai", API: evil, Model: evil, Declared: exchange.DeclaredBody, Key: evil, Messages: []exchange.Message{{Role: evil, Text: strings.Repeat(evil, 50)}}},
		},
		exchange.Decided{Stamp: at(1, 1), Verdict: v},
		exchange.Queued{Stamp: at(1, 1), Route: evil, Place: 1 << 30},
		exchange.Received{Stamp: at(2, 2), Method: "POST", Target: evil, Route: evil, Call: exchange.Call{Model: evil, Declared: exchange.DeclaredPath}, Header: h},
		exchange.Admitted{Stamp: at(2, 2)},
		exchange.Sent{Stamp: at(2, 2), Origin: evil, Row: 1, Key: evil, Attempt: 1 << 30},
		exchange.Headed{Stamp: at(2, 3), Status: 200, Header: h},
		exchange.Answered{Stamp: at(2, 3), Status: 999, Header: h, Verdict: v},
		exchange.Progress{Stamp: at(2, 4), Text: strings.Repeat(evil+" ", 100), Bytes: 1 << 60, Events: 1 << 40, Usage: exchange.Usage{Input: 1 << 40, Output: 1 << 40}, First: at(2, 3).At, Last: at(2, 4).At},
		exchange.Received{Stamp: at(3, 2), Method: "GET", Target: strings.Repeat("x", 20_000), Route: "r"},
		exchange.Finished{Stamp: at(3, 9), Outcome: exchange.OutcomeFailed, Status: 502, Cause: strings.Repeat(evil, 30), BytesOut: 1 << 60},
	}
}

func hostileScreen(t *testing.T, w, h int) *screen {
	return newScreen(t, w, h, hostileFacts(), func(o *Options) {
		o.Version, o.ProxyURL, o.JournalPath = evil, "http://127.0.0.1:8245", evil
		o.Demo, o.Try = true, []string{evil, strings.Repeat("long ", 100)}
		o.Notices = func() []string { return []string{evil} }
		e := exchange.Entry{
			ID: 1 << 60, Key: evil, Scope: evil, Route: evil, Method: evil, Target: evil, Dialect: "x", API: evil, Model: evil, Preview: evil,
			State: exchange.Partial, Newest: exchange.EventName(evil), Risk: exchange.RiskPaid, Attempts: 1 << 40, DuplicateOf: 1 << 60,
		}
		p := o.Past.(*fakePast)
		p.rows = []exchange.Entry{e, e}
		p.detail = func(int64) Detail {
			d := dossier(e)
			d.Messages, d.Answer = []exchange.Message{{Role: evil, Text: evil}}, evil
			d.Intent.Body, d.Intent.Header = []byte(evil+"\x00"), exchange.Header{{Name: evil, Value: evil}}
			d.Attempts[0].Error, d.Attempts[0].Raw = evil, []byte(strings.Repeat("語", 200))
			d.Events[2].Detail.Error = evil
			return d
		}
		o.Control.(*fakeControl).refuse = &exchange.Refusal{Kind: exchange.NeedsConfirm, Why: strings.Repeat(evil, 20)}
	})
}

// fits checks the three rules that hold for every frame.
func (s *screen) fits(name string) {
	s.t.Helper()
	frame := s.m.View()
	lines := strings.Split(frame, "\n")
	if len(lines) > s.m.h {
		s.t.Errorf("%s at %dx%d: %d lines", name, s.m.w, s.m.h, len(lines))
	}
	for i, l := range lines {
		if w := cell.Width(l); w > s.m.w {
			s.t.Errorf("%s at %dx%d: line %d is %d wide: %q", name, s.m.w, s.m.h, i, w, l)
		}
		if w := ansi.StringWidth(l); w > s.m.w {
			s.t.Errorf("%s at %dx%d: the renderer takes line %d for %d wide: %q", name, s.m.w, s.m.h, i, w, l)
		}
	}
	for _, r := range frame {
		if r != '\n' && (r < 0x20 || r >= 0x7f && r < 0xa0 || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			s.t.Fatalf("%s at %dx%d: %U has reached the screen", name, s.m.w, s.m.h, r)
		}
	}
}

func TestNoByteOfTrafficActsOnTheTerminalAndEveryFrameFits(t *testing.T) {
	for name, keys := range views {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {81, 25}, {119, 31}, {120, 36}, {160, 50}} {
			for kind, s := range map[string]*screen{"hostile": hostileScreen(t, size[0], size[1]), "usual": newScreen(t, size[0], size[1], fixture())} {
				s.press(keys...)
				s.fits(kind + " " + name)
				s.press("r")
				s.fits(kind + " " + name + ", retry asked")
			}
		}
	}
}

func TestEveryFrameFitsAnyWindow(t *testing.T) {
	for _, name := range []string{"requests", "streams", "queue", "journal", "help", "overview", "quit"} {
		s := hostileScreen(t, 80, 24)
		s.press(views[name]...)
		for w := 1; w < 240; w += 17 {
			for h := 1; h < 70; h += 7 {
				s.m.w, s.m.h = w, h
				s.run(s.m.look())
				s.fits(name)
			}
		}
	}
}

func TestASmallWindowSaysSoCalmly(t *testing.T) {
	for _, size := range [][2]int{{59, 30}, {80, 14}, {10, 3}, {1, 1}} {
		s := newScreen(t, size[0], size[1], fixture())
		s.fits("small")
		if size[0] > 20 {
			s.shows("tailrace needs 60x15")
		}
	}
}

func TestVerdictsStatusesAndEventsStandInFullAt80Columns(t *testing.T) {
	s := newScreen(t, 80, 30, fixture())
	s.shows("HIT", "MISS", "STALE", "REVALIDATED", "BYPASS", "503", "incomplete", "killed", "streaming", "queued #1", "waiting")
	s.press("4")
	s.shows("SENT", "INTERRUPTED", "CACHE_HIT", "DEAD_LETTER", "INCOMPLETE", "CLIENT_GONE", "HTTP_ERROR", "NOT_SENT", "dead-letter", "interrupted", "charged?")
}

func TestColoursChangeNothingButColours(t *testing.T) {
	for _, keys := range views {
		with, without := newScreen(t, 120, 36, fixture()), newScreen(t, 120, 36, fixture())
		with.m.t = asciiTheme(termenv.TrueColor)
		with.press(keys...)
		without.press(keys...)
		got := ansi.Strip(with.m.View())
		if got != without.m.View() {
			t.Errorf("after %v the screen without colours says something else", keys)
		}
		if with.m.View() == got {
			t.Errorf("after %v there is no colour at all", keys)
		}
		for l := range strings.SplitSeq(with.m.View(), "\n") {
			if i := strings.LastIndex(l, "\x1b["); i >= 0 && !strings.HasPrefix(l[i:], "\x1b[0m") {
				t.Errorf("after %v a line ends in colour: %q", keys, l)
			}
		}
	}
}
