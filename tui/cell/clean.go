// Package cell puts foreign text into the cells of a terminal.
//
// [Line] and [Text] are the only way for a byte that came from traffic to
// reach the screen: what they return holds nothing that a terminal obeys.
// [Width], [Cut], [Pad] and [Wrap] measure it. They agree with each other, and
// with what terminals do, because the forms that terminals disagree about
// (variation selectors, joined emoji, skin tones) have been taken out.
package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Replacement stands for what must not be shown. It is visible on purpose: text
// that hides something should look like it.
const Replacement = '\uFFFD'

// marksPerBase bounds combining marks, which otherwise pile up over other lines.
const marksPerBase = 3

// Line makes text fit for one line: line breaks become a visible sign.
func Line(s string) string { return clean(s, false) }

// Text makes text fit for several lines, which end in "\n"; tabs become spaces.
func Text(s string) string { return clean(s, true) }

// clean replaces, visibly: C0, DEL, C1 (also as bare bytes, which are invalid
// UTF-8), bidirectional controls, zero-width and tag characters, private and
// unassigned ones. After it no byte below 0x20 is left but "\n" in Text.
func clean(s string, lines bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	var last rune // last rune written, 0 at a line's start
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && n == 1
		i += n
		switch {
		case r == '\n' && lines:
			last, marks = 0, 0
			b.WriteByte('\n')
			continue
		case r == '\r' && lines && i < len(s) && s[i] == '\n':
			continue // CRLF is one line break
		case r == '\t':
			b.WriteString("  ")
			last, marks = ' ', 0
			continue
		case joins(r) && pictograph(last), variation(r):
			continue // the parts of an emoji stand side by side
		case unicode.In(r, unicode.Mn, unicode.Me):
			if last == 0 || last == ' ' || last == Replacement {
				r = Replacement
			} else if marks++; marks > marksPerBase {
				continue
			} else {
				b.WriteRune(r)
				continue
			}
		case broken || forbidden(r):
			r = picture(r)
		}
		b.WriteRune(r)
		last, marks = r, 0
	}
	return b.String()
}

// plain reports whether all of it is printable ASCII, as nearly all text is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// picture is the visible sign for what is not shown: U+2400 to U+2421 for C0
// and DEL, the replacement character for the rest.
func picture(r rune) rune {
	switch {
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	}
	return Replacement
}

func forbidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x2028, r == 0x2029, r == 0x00ad, r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true // separators, and letters that are drawn as nothing
	case r >= 0x2630 && r <= 0x2637, r >= 0x268a && r <= 0x268f, r >= 0x4dc0 && r <= 0x4dff, r >= 0x1d300 && r <= 0x1d376,
		r == 0x2e3a, r == 0x2e3b, r == 0x302e, r == 0x302f, r == 0x16ff0, r == 0x16ff1:
		return true // one cell or two, depending on the Unicode version of the terminal
	case r >= 0x1f3fb && r <= 0x1f3ff:
		return true // a skin tone on its own tints the blank before it
	}
	// Cf is bidi overrides and isolates, zero widths, tags, the soft hyphen;
	// Co and what is not assigned has whatever width the font gives it.
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Co)
}

func variation(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

// joins reports whether a rune glues or tints the emoji before it.
func joins(r rune) bool {
	return r == 0x200d || r >= 0x1f3fb && r <= 0x1f3ff || r == 0x20e3
}

func pictograph(r rune) bool {
	return r >= 0x2190 && unicode.Is(unicode.So, r) || r >= 0x1f000
}
