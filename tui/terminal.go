package tui

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
)

// leaveScreen undoes everything that the dashboard switches on: mouse, focus
// and paste reports, the hidden cursor, colours, the alternate screen.
const leaveScreen = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?1049l\x1b[?25h\r"

// owned is the terminal that the running dashboard has taken, nil without one.
var owned atomic.Pointer[terminal]

// terminal is a terminal and the state it was found in.
type terminal struct {
	in, out *os.File
	inWas   *term.State
	outWas  *term.State

	mu     sync.Mutex // held while bytes are on their way to out
	closed atomic.Bool
	given  sync.Once
}

// take remembers the state of the terminal. in or out may be nil.
func take(in, out *os.File) *terminal {
	t := &terminal{in: in, out: out}
	if in != nil {
		t.inWas, _ = term.GetState(in.Fd())
	}
	if out != nil {
		t.outWas, _ = term.GetState(out.Fd())
	}
	return t
}

// Write passes a frame on, until the terminal has been given back: what the
// renderer says after that would land on somebody's shell.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed.Load() {
		return len(p), nil
	}
	return t.out.Write(p)
}

// WriteString is Write; without it io.WriteString would find the file's own.
func (t *terminal) WriteString(s string) (int, error) { return t.Write([]byte(s)) }

func (t *terminal) Read(p []byte) (int, error) { return t.out.Read(p) }
func (t *terminal) Fd() uintptr                { return t.out.Fd() }
func (t *terminal) Close() error               { return nil }

var _ term.File = (*terminal)(nil) // else bubbletea does not ask for its size

// giveBack restores the terminal, once. A terminal that has stopped reading
// (ctrl+s, a dead ssh) would hold a write for ever: then only its modes are
// restored, which takes no writing.
func (t *terminal) giveBack() {
	t.given.Do(func() {
		t.closed.Store(true)
		if t.out != nil && t.free() {
			wrote := make(chan struct{})
			go func() {
				defer close(wrote)
				defer t.mu.Unlock()
				_, _ = io.WriteString(t.out, leaveScreen)
			}()
			select {
			case <-wrote:
			case <-time.After(300 * time.Millisecond):
			}
		}
		if t.inWas != nil {
			_ = term.Restore(t.in.Fd(), t.inWas)
		}
		if t.outWas != nil {
			_ = term.Restore(t.out.Fd(), t.outWas)
		}
	})
}

// free waits a moment for a frame that is being written, and takes the lock.
func (t *terminal) free() bool {
	for range 60 {
		if t.mu.TryLock() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// Restore gives the terminal back if a dashboard has it, from any goroutine, at
// any time, as often as one likes. Nothing is drawn after it. It returns within
// a second, also when the terminal has stopped reading.
func Restore() {
	if t := owned.Load(); t != nil {
		t.giveBack()
	}
}

// Guard belongs at the top of a goroutine that is not the dashboard's own:
//
//	go func() {
//		defer tui.Guard()
//		...
//
// When the goroutine panics it restores the terminal, prints the panic and the
// stack to stderr, and ends the program with 1. Without it the trace would be
// printed into the alternate screen of a terminal in raw mode, and lost.
func Guard() {
	if v := recover(); v != nil {
		Restore()
		report(v, debug.Stack())
		os.Exit(1)
	}
}

func report(v any, stack []byte) {
	fmt.Fprintf(os.Stderr, "panic: %v\n\n%s", v, stack)
}
