package tui

import (
	"slices"
	"time"

	"tailrace/tui/cell"
)

// fades is how long a notice is shown beside a newer one. The newest stays
// until it is dismissed: it may say that something is not being written.
const fades = time.Minute

// notice is a warning of the program, as it has been heard here.
type notice struct {
	text  string
	since time.Time
	away  bool // dismissed
}

// hear takes in the program's notices, newest last.
func (m *model) hear(all []string) {
	n := len(all)
	if n == len(m.notices) && (n == 0 || all[n-1] == m.notices[n-1].text) {
		return
	}
	known := m.notices
	m.notices = make([]notice, n)
	for i, s := range all {
		m.notices[i] = notice{text: s, since: m.now}
		if at := slices.IndexFunc(known, func(k notice) bool { return k.text == s }); at >= 0 {
			m.notices[i] = known[at]
		}
	}
}

// shows reports whether the i-th notice is still on screen.
func (m *model) shows(i int) bool {
	n := &m.notices[i]
	return !n.away && (i == len(m.notices)-1 || m.now.Sub(n.since) < fades)
}

// noticed reports whether there is something that esc puts away.
func (m *model) noticed() bool {
	for i := range m.notices {
		if m.shows(i) {
			return true
		}
	}
	return m.note.text != ""
}

// fading reports whether a notice on screen will go by itself.
func (m *model) fading() bool {
	for i := range max(len(m.notices)-1, 0) {
		if m.shows(i) {
			return true
		}
	}
	return false
}

// dismiss puts away what has been said so far.
func (m *model) dismiss() {
	m.note = note{}
	for i := range m.notices {
		m.notices[i].away = true
	}
}

// sentenceLines is how many lines one sentence may take.
const sentenceLines = 3

// drawSaid draws the answer to the last key, below the notices, in no more
// lines than a fifth of the screen: of the notices, the newest come first. The
// help page is read alone.
func (m *model) drawSaid() []string {
	room := min(max(m.h/5, sentenceLines), 2*sentenceLines)
	var out []string
	if m.note.text != "" {
		out = m.sentence(m.note.in, "", m.note.text, sentenceLines)
	}
	for i := len(m.notices) - 1; i >= 0 && len(out) < room && !m.help; i-- {
		if m.shows(i) {
			out = append(m.sentence(warn, "! ", line(m.notices[i].text), min(room-len(out), sentenceLines)), out...)
		}
	}
	return out
}

// sentence breaks a sentence into no more lines than there is room for; what
// does not fit is seen to be missing.
func (m *model) sentence(in tone, sign, text string, most int) []string {
	lines := cell.Wrap(text, m.w-2-len(sign))
	if len(lines) > most {
		lines[most-1] = cell.Cut(lines[most-1]+" "+lines[most], m.w-2-len(sign))
		lines = lines[:most]
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = m.t.row(m.w).add(in, " "+sign+l).end()
		sign = cell.Blank(len(sign))
	}
	return out
}
