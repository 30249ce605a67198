package tui

import (
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// BenchmarkFrame is what one draw costs, from the look at the board to the
// finished frame, with streams that all have their text at its bound.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{20, 10_000} {
		for _, keys := range []string{"1", "2"} {
			b.Run(fmt.Sprintf("%d_streams_pane_%s", n, keys), func(b *testing.B) {
				board := live.NewBoard(0)
				for id := exchange.ID(1); id <= exchange.ID(n); id++ {
					board.Observe(call(id, 1, "gpt-4o", "ask"))
					board.Observe(exchange.Sent{Stamp: at(id, 1)})
					board.Observe(exchange.Headed{Stamp: at(id, 1), Stream: true})
					for range 4 {
						board.Observe(exchange.Progress{Stamp: at(id, 2), Text: fmt.Sprintf("%4000s", "word "), Usage: exchange.Usage{Output: 1}, Last: t0})
					}
				}
				m := newModel(Options{Present: board, Now: func() time.Time { return t0.Add(time.Minute) }}, asciiTheme(termenv.TrueColor))
				close(m.done)
				m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
				m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(keys)})
				b.ReportAllocs()
				for b.Loop() {
					m.Update(bellMsg{})
					m.View()
				}
			})
		}
	}
}
