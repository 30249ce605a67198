package cell

import "strings"

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
