package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// tone says what a piece of text means; the theme gives it a colour.
type tone int

const (
	plain  tone = iota
	strong      // what the eye should find first
	dim         // labels, times, what has passed
	faint       // rules and unused slots
	accent      // ours: the name, keys, the selected tab
	alive       // what is going on now
	good        // HIT, 2xx, accepted
	warn        // STALE, shed, refused, a risk
	bad         // failed, killed, 5xx
	cool        // BYPASS
	mild        // REVALIDATED
	tones       // how many there are
)

// theme holds, for each tone, the sequence that switches it on. lipgloss
// renders a style in microseconds; a frame has hundreds of pieces, 30 times a
// second, so each style is rendered once and its frame of sequences kept.
type theme struct {
	on, off [2][tones]string // index 1: on the selected row
}

// newTheme renders the styles with the colour profile of r.
func newTheme(r *lipgloss.Renderer) *theme {
	col := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	styles := [tones]lipgloss.Style{
		plain:  r.NewStyle(),
		strong: r.NewStyle().Bold(true),
		dim:    col("242", "246"),
		faint:  col("250", "239"),
		accent: col("25", "110").Bold(true),
		alive:  col("30", "80"),
		good:   col("28", "114"),
		warn:   col("130", "179"),
		bad:    col("160", "203"),
		cool:   col("97", "140"),
		mild:   col("30", "73"),
	}
	selected := lipgloss.AdaptiveColor{Light: "254", Dark: "237"}
	t := &theme{}
	for i, s := range styles {
		t.on[0][i], t.off[0][i] = sequences(s)
		t.on[1][i], t.off[1][i] = sequences(s.Background(selected))
	}
	return t
}

// sequences takes a style's rendering apart at a mark.
func sequences(s lipgloss.Style) (on, off string) {
	on, off, _ = strings.Cut(s.Render("x"), "x")
	return on, off
}

// row is one line of the screen while it is written. It counts cells and never
// holds more than max of them.
type row struct {
	b        strings.Builder
	t        *theme
	w, max   int
	selected int // 1 on the selected row
}

func (t *theme) row(max int) *row { return &row{t: t, max: max} }
