package main

import "tailrace/tui/cell"

// words are the parts of a piece that are told their width: ASCII between wide
// gaps, and runs of one other character. A sign that the reader's font has not
// comes from another one, with another width, and must not move its neighbours.
func (p piece) words() []piece {
	var out []piece
	at := p.at
	last := rune(0)
	for _, r := range p.text {
		c := string(r)
		w := cell.Width(c)
		n := len(out) - 1
		switch {
		case r == ' ' && (n < 0 || last == ' ' || last == 0):
			last = 0 // a second space ends the word
		case n >= 0 && last != 0 && (r < 0x80 && last < 0x80 || r == last):
			out[n].text += c
			out[n].wide += w
			last = r
		case r != ' ':
			out = append(out, piece{c, at, w, p.style})
			last = r
		default:
			last = 0
		}
		at += w
	}
	for i := range out {
		for n := len(out[i].text); n > 0 && out[i].text[n-1] == ' '; n-- {
			out[i].text, out[i].wide = out[i].text[:n-1], out[i].wide-1
		}
	}
	return out
}
