package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

func TestFactsSettleBeforeTheyAreDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := live.NewBoard(0)
		m := newModel(Options{Present: board}, asciiTheme(0))
		got := make(chan tea.Msg)
		go func() { got <- m.waitForBell()() }()
		time.Sleep(time.Hour) // at rest nothing wakes up
		synctest.Wait()
		began := time.Now()
		for range 10 {
			board.Observe(exchange.Purged{})
		}
		if _, ok := (<-got).(bellMsg); !ok {
			t.Error("the bell does not wake the screen")
		}
		if d := time.Since(began); d != settle {
			t.Errorf("drawn after %v, want %v", d, settle)
		}
		select {
		case <-board.Bell():
			t.Error("ten facts at once are more than one draw")
		default:
		}
		go func() { got <- m.waitForBell()() }()
		synctest.Wait()
		close(m.done)
		if msg := <-got; msg != nil {
			t.Errorf("the wait ends with %v when the program ends", msg)
		}
	})
}

func TestAPanicAnywhereEndsTheProgram(t *testing.T) {
	for name, cause := range map[string]func(*guard){
		"Update":  func(g *guard) { g.model.o.Present = nil; g.Update(tea.WindowSizeMsg{Width: 80, Height: 24}) },
		"View":    func(g *guard) { g.model.w, g.model.h, g.model.t = 80, 24, nil; g.View() },
		"command": func(g *guard) { g.model.guarded(func() tea.Msg { panic("boom") })() },
	} {
		g := &guard{model: newModel(Options{Present: live.NewBoard(0)}, asciiTheme(0)), crashed: make(chan struct{})}
		g.model.crash = g.caught
		cause(g)
		cause(g) // once is enough: the second changes nothing
		<-g.crashed
		if v, stack := g.panicked(); v == nil || len(stack) == 0 {
			t.Errorf("%s: panic %v, stack of %d bytes", name, v, len(stack))
		}
	}
}

func TestRestoreWithoutADashboardDoesNothing(t *testing.T) {
	Restore()
	Restore()
}
