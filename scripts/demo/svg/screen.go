package main

import (
	"strconv"
	"strings"

	"tailrace/tui/cell"
)

// style is how a cell looks. A colour is "#rrggbb", or "" for the terminal's own.
type style struct {
	front, back           string
	bold, dim, underlined bool
	reversed              bool
}

// piece is text of one style at a place, in cells.
type piece struct {
	text     string
	at, wide int
	style    style
}

// read takes a screen apart. tmux carries styles from one line to the next.
func read(screen string) [][]piece {
	var lines [][]piece
	var s style
	for line := range strings.Lines(screen) {
		line = strings.TrimSuffix(line, "\n")
		var row []piece
		at := 0
		for line != "" {
			text, rest, escaped := strings.Cut(line, "\x1b[")
			if text != "" {
				w := cell.Width(text)
				row = append(row, piece{text, at, w, s})
				at += w
			}
			line = ""
			if escaped {
				end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
				if end < 0 {
					break
				}
				if rest[end] == 'm' {
					s.apply(rest[:end])
				}
				line = rest[end+1:]
			}
		}
		lines = append(lines, row)
	}
	return lines
}

// apply reads the numbers of a SGR sequence (ECMA-48, 8.3.117; 38 and 48 as in
// ISO 8613-6, with semicolons).
func (s *style) apply(numbers string) {
	var ns []int
	for f := range strings.SplitSeq(numbers, ";") {
		n, _ := strconv.Atoi(f) // an empty one is 0
		ns = append(ns, n)
	}
	for len(ns) > 0 {
		n, more := ns[0], ns[1:]
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 4, n == 24:
			s.underlined = n == 4
		case n == 7, n == 27:
			s.reversed = n == 7
		case n == 38:
			s.front, more = colour(more)
		case n == 48:
			s.back, more = colour(more)
		case n == 39:
			s.front = ""
		case n == 49:
			s.back = ""
		case n >= 30 && n <= 37:
			s.front = indexed(n - 30)
		case n >= 90 && n <= 97:
			s.front = indexed(n - 90 + 8)
		case n >= 40 && n <= 47:
			s.back = indexed(n - 40)
		case n >= 100 && n <= 107:
			s.back = indexed(n - 100 + 8)
		}
		ns = more
	}
}
