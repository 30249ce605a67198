package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Ellipsis marks what was cut off. It is one cell wide.
const Ellipsis = "…"

// Width is how many cells a line takes. The line has been through [Line] or
// [Text] and holds no colours.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	w := 0
	for len(s) > 0 {
		c, n := clusterWidth(s)
		w += n
		s = s[len(c):]
	}
	return w
}

// clusterWidth is the first cluster of s and its width. Where terminals differ
// it takes the larger one: a line that comes out short is out of line, one that
// comes out long tears the frame.
func clusterWidth(s string) (cluster string, width int) {
	if len(s) > 0 && s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	cluster, _, width, _ = uniseg.FirstGraphemeClusterInString(s, -1)
	first, n := utf8.DecodeRuneInString(cluster)
	switch {
	case wide(first):
		width = 2
	case spacing(first):
		width = 1
	}
	for _, r := range cluster[n:] {
		if spacing(r) {
			width++
		}
	}
	return cluster, width
}

// wide names what uniseg takes for narrow and terminals (East_Asian_Width W)
// draw in two cells.
func wide(r rune) bool {
	switch {
	case r == 0x3030, r == 0x303d, r == 0x3297, r == 0x3299, r == 0x1f202, r == 0x1f237:
		return true
	}
	return r >= 0x1f260 && r <= 0x1f265
}

// spacing names the marks that uniseg counts as nothing and that take a cell of
// their own in terminals that add up runes, which is most of them.
func spacing(r rune) bool {
	return r == 0xff9e || r == 0xff9f || unicode.Is(unicode.Mc, r)
}

// Cut shortens a line to at most w cells, with an ellipsis where it was cut.
func Cut(s string, w int) string {
	if len(s) <= w || Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return head(s, w-1) + Ellipsis
}

// CutLeft shortens a line to at most w cells and keeps its end, which is what
// tells paths apart.
func CutLeft(s string, w int) string {
	over := Width(s) - w
	if over <= 0 {
		return s
	}
	if w <= 0 {
		return ""
	}
	for over++; over > 0 && s != ""; {
		c, n := clusterWidth(s)
		over -= n
		s = s[len(c):]
	}
	return Ellipsis + s
}

// head is the longest beginning of at most w cells.
func head(s string, w int) string {
	i := 0 // only what fits is looked at: a line may be a megabyte
	for i < len(s) {
		c, n := clusterWidth(s[i:])
		if w -= n; w < 0 {
			break
		}
		i += len(c)
	}
	return s[:i]
}

// Pad cuts or fills a line to exactly w cells.
func Pad(s string, w int) string {
	s = Cut(s, w)
	return s + Blank(w-Width(s))
}

// PadLeft is Pad for what stands at the right edge of its column: numbers.
func PadLeft(s string, w int) string {
	s = Cut(s, w)
	return Blank(w-Width(s)) + s
}

const blanks = "                                                                                "

// Blank is n spaces, none when n is negative.
func Blank(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}
