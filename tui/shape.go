package tui

import "tailrace/tui/cell"

// The smallest screen that is drawn on.
const (
	leastWide  = 60
	leastHigh  = 15
	sideBySide = 120 // from here the preview stands beside the list
)

// shape is how the screen is divided: a head of three lines, the body, and a
// foot that is as high as what it has to say.
type shape struct {
	tooSmall bool
	body     int // lines between head and foot
	foot     []string
	side     bool
	listW    int
	listH    int // lines of the list without its titles
	rows     int // items that fit into listH
	previewW int
	previewH int // lines of the preview without its rule, 0: none
}

const headLines = 3

func (m *model) shape() shape {
	s := shape{tooSmall: m.w < leastWide || m.h < leastHigh}
	if s.tooSmall {
		s.rows = 1
		return s
	}
	s.foot = m.foot()
	s.body = max(m.h-headLines-len(s.foot), 1)
	s.listW, s.listH = m.w, s.body-1
	high := 1
	switch m.pane {
	case queue:
		s.listH = max(s.body-2-m.routeLines(s.body), 1)
	case streams:
		high = 2
		m.divide(&s)
	default:
		m.divide(&s)
	}
	s.rows = max(s.listH/high, 1)
	return s
}

// divide gives the preview its place: beside the list on a wide screen, below
// it on a high one.
func (m *model) divide(s *shape) {
	switch {
	case m.w >= sideBySide:
		s.side = true
		s.listW = max(80, m.w*62/100)
		s.previewW = m.w - s.listW - 2
		s.previewH = s.body
	case s.body >= 14:
		s.previewW = m.w - 2
		s.previewH = min(max(s.body*2/5, 6), 14) - 1
		s.listH -= s.previewH + 1
	}
}

// foot is what stands below the body, from a question down to the keys.
func (m *model) foot() []string {
	var out []string
	if m.ask != nil {
		return m.drawQuestion()
	}
	if len(m.o.Try) > 0 && !m.hideTry && m.detail == nil && !m.help {
		out = append(out, m.drawTry()...)
	}
	out = append(out, m.drawSaid()...)
	return append(out, m.drawHints())
}

// questionLines is how many lines a question may take: what it says is what is
// decided on.
const questionLines = 5

func (m *model) drawQuestion() []string {
	out := []string{m.t.rule(m.w, m.ask.title+"?", warn)}
	out = append(out, m.sentence(plain, "", line(m.ask.text), questionLines)...)
	r := m.t.row(m.w).add(plain, " ").add(accent, "y").add(plain, " "+m.ask.yes)
	return append(out, r.add(plain, "   ").add(accent, "n").add(dim, " no").end())
}

// drawTry shows what a newcomer may try, as many of the lines as there is room
// for, first things first; two share a line where they fit.
func (m *model) drawTry() []string {
	most := 3
	switch {
	case m.h >= 30:
		most = 6
	case m.h < 20:
		most = 1
	}
	var lines []string
	for _, l := range m.o.Try {
		l = line(l)
		if n := len(lines) - 1; n >= 0 && cell.Width(lines[n])+cell.Width(l)+6 < m.w {
			lines[n] += "  ·  " + l
		} else if len(lines) < most {
			lines = append(lines, l)
		}
	}
	out := make([]string, 0, most+1)
	if most > 1 {
		out = append(out, m.t.rule(m.w, "try", good))
	}
	for _, l := range lines {
		out = append(out, m.t.row(m.w).add(plain, " "+l).end())
	}
	return out
}
