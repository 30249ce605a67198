package main

import (
	"fmt"
	"html"
	"strings"
)

// The size of a cell and of what is around the screen, in pixels. A cell is as
// wide as the common monospaced fonts are at this size.
const (
	fontSize   = 14
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13
	margin     = 12
)

// The colours that a terminal has by itself.
const (
	ground = "#16181d"
	ink    = "#d7dae0"
)

// draw writes the picture.
func draw(lines [][]piece, title string) string {
	wide := 0
	for _, l := range lines {
		if n := len(l); n > 0 {
			wide = max(wide, l[n-1].at+l[n-1].wide)
		}
	}
	w, h := float64(wide)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %d" width="%g" height="%d" role="img">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ground)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="%d" fill="%s" xml:space="preserve">`+"\n", fontSize, ink)
	for y, l := range lines {
		for _, p := range l {
			p.draw(&b, y)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func (p piece) draw(b *strings.Builder, y int) {
	front, back := p.style.front, p.style.back
	if p.style.reversed {
		if front, back = back, front; front == "" {
			front = ground
		}
		if back == "" {
			back = ink
		}
	}
	if back != "" {
		fmt.Fprintf(b, `<rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`+"\n",
			pixels(p.at), margin+y*cellHeight, number(float64(p.wide)*cellWidth), cellHeight, back)
	}
	look := ""
	if front != "" {
		look += ` fill="` + front + `"`
	}
	if p.style.bold {
		look += ` font-weight="bold"`
	}
	if p.style.dim {
		look += ` opacity="0.6"`
	}
	if p.style.underlined {
		look += ` text-decoration="underline"`
	}
	for _, word := range p.words() {
		fmt.Fprintf(b, `<text x="%s" y="%d" textLength="%s"%s>%s</text>`+"\n",
			pixels(word.at), margin+y*cellHeight+baseline, number(float64(word.wide)*cellWidth), look, html.EscapeString(word.text))
	}
}

func pixels(cells int) string { return number(margin + float64(cells)*cellWidth) }

// number is short, and the same everywhere: a picture drawn anew should differ
// where the screen does.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", f), "0"), ".")
}
