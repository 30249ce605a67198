package tui

import (
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// page gathers lines of one width.
type page struct {
	t     *theme
	w     int
	lines []string
}

func (p *page) add(r *row) { p.lines = append(p.lines, r.end()) }

func (p *page) gap() { p.lines = append(p.lines, "") }

// wrap adds text from traffic, broken into lines.
func (p *page) wrap(in tone, text string) {
	for _, l := range cell.Wrap(cell.Text(text), p.w) {
		p.add(p.t.row(p.w).add(in, l))
	}
}

func (p *page) first(h int) []string { return p.lines[:min(h, len(p.lines))] }

// flat puts text on one line as a person would read it.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

func (m *model) previewTitle() string {
	if m.pane == journal {
		if e := m.past.selected(&m.lists[journal]); e != nil {
			return "row " + strconv.FormatInt(e.ID, 10) + "  " + line(e.Model)
		}
		return ""
	}
	if m.picked.ID == 0 {
		return ""
	}
	return "#" + m.picked.ID.String() + "  " + line(m.picked.Method) + " " + line(m.picked.Target)
}

// previewExchange says what the selected exchange is about, and shows the last
// lines of its text as they come.
func (m *model) previewExchange(w, h int) []string {
	s := &m.picked
	if s.ID == 0 || h < 1 {
		return nil
	}
	p := page{t: m.t, w: w}
	if m.w >= sideBySide {
		p.add(m.t.row(w).add(strong, m.previewTitle()))
	}
	m.facts(&p, s)
	text := page{t: m.t, w: w}
	if ask := lastAsked(s); ask != "" && h-len(p.lines) > 3 {
		p.add(m.t.row(w).add(dim, "asked  ").add(plain, cell.Cut(line(flat(ask)), w-7)))
	}
	if s.Text != "" {
		text.wrap(plain, s.Text)
		if s.Live() && len(text.lines) > 0 {
			text.lines[len(text.lines)-1] += m.t.on[0][alive] + cursorSign(m.t, text.lines, w) + m.t.off[0][alive]
		}
	}
	free := h - len(p.lines)
	if len(text.lines) > 0 && free > 2 && m.w >= sideBySide {
		p.gap()
		free--
	}
	if free > 0 {
		p.lines = append(p.lines, text.lines[max(len(text.lines)-free, 0):]...)
	}
	return p.first(h)
}

// cursorSign marks the place where text is growing, where there is room for it.
func cursorSign(t *theme, lines []string, w int) string {
	if t.width(lines[len(lines)-1]) >= w {
		return ""
	}
	return "▏"
}

// facts are the two to six lines that explain an exchange.
func (m *model) facts(p *page, s *exchange.State) {
	r := m.t.row(p.w)
	in, word := stateWord(s)
	r.add(in, word)
	if s.Status != 0 {
		r.add(plain, "  ").add(statusTone(s.Status), strconv.Itoa(s.Status))
	}
	why := ""
	if x := s.Verdict.XCache; x != "" {
		r.add(plain, "  ").add(verdictTone(x), string(x))
		why = verdictWords(s)
		if s.Verdict.Reason != "" {
			why = line(s.Verdict.Reason) + "; " + why
		}
	}
	if cell.Width(why) < r.left() {
		p.add(r.add(dim, " "+why))
	} else {
		p.add(r)
		p.wrap(dim, why)
	}
	p.wrap(dim, route(s))
	if s.Cause != "" {
		in := outcomeTone(s.Outcome)
		if in == dim {
			in = warn
		}
		p.wrap(in, s.Cause)
	}
}

// route is the way of an exchange, in words.
func route(s *exchange.State) string {
	way := "from " + or(s.Client, "an operator's retry") + " by " + s.Route
	if s.Origin != "" {
		way += " to " + s.Origin
	}
	if s.Attempt > 1 {
		way += ", attempt " + strconv.Itoa(s.Attempt)
	}
	if s.Leader != 0 {
		way += ", rides on #" + s.Leader.String()
	}
	if s.Row != 0 {
		way += ", journal row " + strconv.FormatInt(s.Row, 10)
	}
	return way
}

// lastAsked is the last thing that was said to the model.
func lastAsked(s *exchange.State) string {
	if n := len(s.Call.Messages); n > 0 {
		return s.Call.Messages[n-1].Text
	}
	return ""
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
