package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// PanicError is returned by Run when drawing or a key has panicked. The stack
// has been printed to stderr by then, after the terminal was restored.
type PanicError struct{ Value any }

// Error says what the panic said.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the dashboard panicked: %v; please report it with the trace above", e.Value)
}

// unresponsive is how long a program may take to end that was told to. Only a
// terminal that has stopped reading needs longer.
const unresponsive = 2 * time.Second

// Run shows the dashboard until ctx ends, the reader quits, or SIGINT, SIGTERM
// or SIGHUP comes; then it returns nil. The terminal is restored when it
// returns, on every way out. Only one Run may be under way.
func Run(ctx context.Context, o Options) error {
	if o.Output == nil {
		o.Output = os.Stdout
	}
	// Without an input of its own bubbletea opens the terminal even when stdin
	// is a pipe. Its modes are those of the output, the same terminal.
	in, _ := o.Input.(*os.File)
	// 30 a second are the most draws there may be, and half of bubbletea's own
	// rate, whose ticker is what a dashboard at rest costs.
	options := []tea.ProgramOption{tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(30)}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	out, _ := o.Output.(*os.File)
	t := take(in, out)
	if !owned.CompareAndSwap(nil, t) {
		return errors.New("the dashboard is running already")
	}
	defer owned.Store(nil)
	defer t.giveBack()

	var w io.Writer = o.Output
	if out != nil {
		w = t
	}
	inner := newModel(o, newTheme(styles(&o)))
	m := &guard{model: inner, crashed: make(chan struct{})}
	p := tea.NewProgram(m, append(options, tea.WithOutput(w))...)
	inner.crash = m.caught

	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(stop)

	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
		if err != nil && hungUp(stop) {
			err = nil
		}
	case <-ctx.Done():
		leave(p, ended)
	case <-stop:
		leave(p, ended)
	case <-m.crashed:
		leave(p, ended)
	}
	close(inner.done)
	t.giveBack()
	if v, stack := m.panicked(); v != nil {
		report(v, stack)
		return &PanicError{v}
	}
	return err
}

// hungUp tells a terminal that went away, whose reads fail a moment before or
// after its signal comes, from one that is broken.
func hungUp(stop <-chan os.Signal) bool {
	select {
	case <-stop:
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// leave asks the program to end, as q does. Kill closes the input under the
// goroutine that reads it, so it is the last resort: for a program that does
// not end because its terminal takes no bytes.
func leave(p *tea.Program, ended <-chan error) {
	go p.Quit()
	select {
	case <-ended:
	case <-time.After(unresponsive):
		p.Kill()
	}
}

// styles is the renderer whose colours the theme takes. On the program's own
// terminal that is the default one: bubbletea has already asked that terminal
// for its background, and asking twice would eat a reader's first key.
func styles(o *Options) *lipgloss.Renderer {
	r := lipgloss.DefaultRenderer()
	if o.Output != os.Stdout {
		r = lipgloss.NewRenderer(o.Output)
		r.SetHasDarkBackground(true)
	}
	if o.NoColor || os.Getenv("NO_COLOR") != "" {
		r = lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.Ascii)
		r.SetHasDarkBackground(true)
	}
	return r
}

// guard stands between bubbletea and the model: a panic in Update, in View or
// in a command ends the program, and is printed once the terminal is restored.
// bubbletea itself prints a command's panic into the alternate screen.
type guard struct {
	model   *model
	crashed chan struct{} // closed by the first panic

	mu    sync.Mutex
	value any
	stack []byte
}

func (g *guard) Init() tea.Cmd { return g.model.Init() }

func (g *guard) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			g.caught(v)
		}
	}()
	_, cmd = g.model.Update(msg)
	return g, cmd
}

func (g *guard) View() (frame string) {
	defer func() {
		if v := recover(); v != nil {
			g.caught(v)
		}
	}()
	return g.model.View()
}

// caught keeps the first panic and ends the program.
func (g *guard) caught(v any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.value == nil {
		g.value, g.stack = v, debug.Stack()
		close(g.crashed)
	}
}

func (g *guard) panicked() (any, []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.value, g.stack
}

// guarded makes a command whose panic is caught like the loop's own.
func (m *model) guarded(do func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil && m.crash != nil {
				m.crash(v)
			} else if v != nil {
				panic(v)
			}
		}()
		return do()
	}
}
