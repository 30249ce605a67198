package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a file, as a sentence that says what is wrong,
// where, and what to do.
type Problem struct {
	File         string
	Line, Column int // from 1
	Text         string
}

// String gives the form that editors can jump to: file:line:column: sentence.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Problems are all mistakes of a file, in the order of their places.
type Problems []Problem

// Error gives one line for each.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}

// nearest returns the word that was probably meant, or "".
func nearest(word string, words []string) string {
	best, least := "", 3 // a distance above 2 is another word
	for _, w := range words {
		if d := distance(word, w); d < least && d < len(w)/2+1 {
			best, least = w, d
		}
	}
	return best
}

// distance counts the letters to add, drop or change to make b out of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
