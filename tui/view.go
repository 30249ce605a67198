package tui

import (
	"strings"

	"tailrace/tui/cell"
)

// View draws the frame out of what look has taken: no lock, no I/O, no clock.
func (m *model) View() string {
	if m.w == 0 || m.h == 0 {
		return ""
	}
	s := m.shape()
	if s.tooSmall {
		return m.drawTooSmall()
	}
	lines := m.drawHead()
	switch {
	case m.help:
		lines = append(lines, m.drawHelp(s.body)...)
	case m.detail != nil:
		lines = append(lines, m.detail.draw(m.t, m.w, s.body)...)
	default:
		lines = append(lines, m.drawPane(&s)...)
	}
	for len(lines) < headLines+s.body {
		lines = append(lines, "")
	}
	lines = append(lines[:headLines+s.body], s.foot...)
	return strings.Join(lines[:min(len(lines), m.h)], "\n")
}

func (m *model) drawTooSmall() string {
	lines := make([]string, 0, m.h)
	for range max(m.h/2-1, 0) {
		lines = append(lines, "")
	}
	for i, s := range []string{"tailrace needs 60x15", "make this window larger"} {
		if len(lines) < m.h {
			r := m.t.row(m.w)
			r.add(plain, cell.Blank((m.w-len(s))/2))
			lines = append(lines, r.add([]tone{strong, dim}[i], s).end())
		}
	}
	return strings.Join(lines, "\n")
}

// drawPane draws the list of the pane and its preview.
func (m *model) drawPane(s *shape) []string {
	var list []string
	var preview func(w, h int) []string
	switch m.pane {
	case requests:
		list, preview = m.drawRequests(s), m.previewExchange
	case streams:
		list, preview = m.drawStreams(s), m.previewExchange
	case queue:
		return m.drawQueue(s)
	case journal:
		list, preview = m.drawJournal(s), m.previewEntry
	}
	switch {
	case s.side:
		return m.beside(s, list, preview(s.previewW, s.previewH))
	case s.previewH > 0 && m.lists[m.pane].id != 0:
		for len(list) < s.listH+1 {
			list = append(list, "")
		}
		list = append(list[:s.listH+1], m.t.rule(m.w, m.previewTitle(), dim))
		for _, l := range preview(s.previewW, s.previewH) {
			list = append(list, " "+l)
		}
	}
	return list
}

// beside joins list and preview with a thin line between them.
func (m *model) beside(s *shape, list, preview []string) []string {
	bar := m.t.on[0][faint] + "│" + m.t.off[0][faint]
	out := make([]string, s.body)
	for i := range out {
		l := ""
		if i < len(list) {
			l = list[i]
		}
		out[i] = l + cell.Blank(s.listW-m.t.width(l)) + bar
		if i < len(preview) {
			out[i] += " " + preview[i]
		}
	}
	return out
}

// width is the width of a finished line, whose colours are not counted.
func (t *theme) width(s string) int {
	if !strings.Contains(s, "\x1b") {
		return cell.Width(s)
	}
	w := 0
	for s != "" {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			return w + cell.Width(s)
		}
		w += cell.Width(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, 'm')
		s = s[end+1:]
	}
	return w
}
