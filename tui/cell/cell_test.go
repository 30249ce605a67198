package cell

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// obeyed reports the first rune that a terminal would act on, hide or join.
func obeyed(s string, lines bool) (rune, bool) {
	for i, r := range s {
		switch {
		case r == '\n' && lines:
		case r < 0x20, r >= 0x7f && r < 0xa0,
			r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"),
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			return r, true
		}
	}
	return 0, false
}

var hostile = []string{
	"\x1b]52;c;ZXZpbA==\x07", "\x1b[2J\x1b[H", "\x1bP1$r\x1b\\", "\x9b31m", "\u009b31m", "a\rb", "a\r\nb",
	"\u202egnp.exe", "\u2066x\u2069", "zero\u200bwidth\u200d\u200c\ufeff", "\xff\xfe\xc3(", "\xed\xa0\x80",
	"👨‍👩‍👧‍👦", "👍🏽", "🇩🇪🇫🇷", "❤️", "1️⃣", "e\u0301\u0302\u0303\u0304\u0305\u0306", "\u0301x", "漢字かな", "한국어", "שלום",
	"🈷", "ｶﾞ", "কাজ", "䷀", "\U000e0041\U000e0042", "\ufff9a\ufffa", "\u3164", "\u00ad", "\U0010fffd", "a\tb", "\x00\x7f",
	strings.Repeat("語", 50), strings.Repeat("\u0300", 50), "ก็็็็็็", "नमस्ते", "\u1100\u1161\u11a8", "🏴\U000e0067\U000e007f",
}

func TestNothingThatATerminalObeysIsLeft(t *testing.T) {
	for _, s := range hostile {
		if r, bad := obeyed(Line(s), false); bad {
			t.Errorf("Line(%q) = %q holds %U", s, Line(s), r)
		}
		if r, bad := obeyed(Text(s), true); bad {
			t.Errorf("Text(%q) = %q holds %U", s, Text(s), r)
		}
	}
}

func TestWhatIsTakenOutIsSeen(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":         "plain text",
		"\x1b[31mred":        "␛[31mred",
		"a\nb\rc":            "a␊b␍c",
		"del\x7f":            "del␡",
		"c1 \u009b and \x9b": "c1 � and �",
		"\u202eevil":         "�evil",
		"a\u200bb":           "a�b",
		"\ufeffbom":          "�bom",
		"héllo 漢字":           "héllo 漢字",
		"👨‍👩‍👧":              "👨👩👧",
		"👍🏽 ❤️":              "👍 ❤",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Text("one\r\ntwo\rthree\tx"); got != "one\ntwo␍three  x" {
		t.Errorf("Text keeps line breaks: %q", got)
	}
}

func TestCleanTextIsLeftAsItIs(t *testing.T) {
	for _, s := range hostile {
		if once := Text(s); Text(once) != once {
			t.Errorf("%q: once %q, twice %q", s, once, Text(once))
		}
	}
}

func TestWidthsAgreeWithTheRendererAndWithEachOther(t *testing.T) {
	for _, s := range hostile {
		check(t, Line(s))
	}
}

func check(t *testing.T, s string) {
	t.Helper()
	// The renderer cuts what it takes for too wide. It may take a line for
	// narrower (it joins Devanagari conjuncts, terminals do not): that is safe.
	if got, want := Width(s), ansi.StringWidth(s); got < want {
		t.Errorf("Width(%q) = %d, the renderer says %d", s, got, want)
	}
	// What stands before it in a row does not change its width.
	if got, want := Width(" "+s), 1+Width(s); got != want {
		t.Errorf("behind a blank %q is %d wide, want %d", s, got-1, want-1)
	}
	for w := range 12 {
		if got := Width(Cut(s, w)); got > w {
			t.Errorf("Cut(%q, %d) is %d wide", s, w, got)
		}
		if got := Width(CutLeft(s, w)); got > w {
			t.Errorf("CutLeft(%q, %d) is %d wide", s, w, got)
		}
		if got := Width(Pad(s, w)); got != w {
			t.Errorf("Pad(%q, %d) is %d wide", s, w, got)
		}
		if got := Width(PadLeft(s, w)); got != w {
			t.Errorf("PadLeft(%q, %d) is %d wide", s, w, got)
		}
	}
}

func TestCutShowsThatSomethingIsMissing(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Cut("abcdef", 6), "abcdef"},
		{Cut("abcdef", 4), "abc…"},
		{Cut("漢字漢字", 4), "漢…"},
		{Cut("abc", 0), ""},
		{CutLeft("/v1/chat/completions", 12), "…completions"},
		{CutLeft("漢字漢字", 4), "…字"},
		{PadLeft("42", 5), "   42"},
		{Pad("ab", 4), "ab  "},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestWrapBreaksAtSpacesAndNeverIsWider(t *testing.T) {
	got := Wrap("the quick brown fox\njumps over", 9)
	if want := "the quick|brown fox|jumps|over"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	if got := Wrap("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 10); len(got) != 3 {
		t.Errorf("a long word: %q", got)
	}
	if got := Wrap("語", 1); len(got) != 1 || got[0] != "?" {
		t.Errorf("a cluster wider than the line: %q", got)
	}
	for _, s := range hostile {
		for w := 1; w < 8; w++ {
			for _, line := range Wrap(Text(s), w) {
				if Width(line) > w {
					t.Errorf("Wrap(%q, %d) has %q", s, w, line)
				}
			}
		}
	}
}

func TestUnitsKeepTheirWidth(t *testing.T) {
	for d := time.Duration(1); d < 2000*24*time.Hour; d = d*3/2 + 1 {
		if s := Duration(d); len(s) > 6 {
			t.Errorf("Duration(%d) = %q", d, s)
		}
		if s := Age(d); len(s) > 3 {
			t.Errorf("Age(%d) = %q", d, s)
		}
	}
	for n := int64(1); n < 1<<49; n = n*3/2 + 1 {
		if s := Bytes(n); len(s) > 8 {
			t.Errorf("Bytes(%d) = %q", n, s)
		}
		if s := Count(n); n < 1e10 && len(s) > 5 {
			t.Errorf("Count(%d) = %q", n, s)
		}
	}
	for _, c := range []struct{ got, want string }{
		{Duration(840 * time.Millisecond), "840ms"},
		{Duration(1249 * time.Millisecond), "1.24s"},
		{Duration(59999 * time.Millisecond), "59.9s"},
		{Duration(123 * time.Second), "2m03s"},
		{Duration(62 * time.Minute), "1h02m"},
		{Age(61 * time.Second), "1m"},
		{Count(12_345), "12.3k"},
		{Bytes(1536), "1.5 KiB"},
		{Bytes(64 << 20), "64 MiB"},
		{Bytes(1023), "1023 B"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := Line(s), Text(s)
		if r, bad := obeyed(line, false); bad {
			t.Errorf("Line(%q) = %q holds %U", s, line, r)
		}
		if r, bad := obeyed(text, true); bad {
			t.Errorf("Text(%q) = %q holds %U", s, text, r)
		}
		if Line(line) != line {
			t.Errorf("Line(%q): once %q, twice %q", s, line, Line(line))
		}
		check(t, line)
		for _, l := range Wrap(text, 5) {
			if Width(l) > 5 {
				t.Errorf("Wrap of %q has %q", text, l)
			}
		}
	})
}
