//go:build unix

package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// child is the program that the tests below start in a pseudo-terminal.
func child(what string) int {
	board := live.NewBoard(0)
	for _, f := range fixture() {
		board.Observe(f)
	}
	o := Options{Present: board, Past: &fakePast{rows: rows(), version: 1}, Control: &fakeControl{panics: true}, ProxyURL: "http://127.0.0.1:8245"}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch what {
	case "goroutine":
		trigger := make(chan struct{})
		o.Notices = func() []string { // called once the screen is up: then the goroutine may go
			select {
			case <-trigger:
			default:
				close(trigger)
			}
			return nil
		}
		go func() {
			defer Guard()
			<-trigger
			time.Sleep(200 * time.Millisecond) // long enough for a frame to be on its way
			panic("a goroutine has panicked")
		}()
	case "view":
		o.Notices = func() []string {
			if board.Snapshot(live.Query{}).Counts.Purged > 0 {
				panic("look has panicked")
			}
			return nil
		}
		time.AfterFunc(300*time.Millisecond, func() { board.Observe(exchange.Purged{Count: 1}) })
	case "busy":
		go func() { // a screen that changes all the time, for a terminal that does not read
			for i := exchange.ID(100); ctx.Err() == nil; i++ {
				board.Observe(exchange.Served{Stamp: exchange.Stamp{ID: i, At: time.Now()}, Method: "GET", Target: fmt.Sprint("/", i), Status: 200})
				time.Sleep(time.Millisecond)
			}
		}()
	case "context":
		time.AfterFunc(400*time.Millisecond, cancel)
	}
	err := Run(ctx, o)
	fmt.Println("run has returned:", err)
	var p *PanicError
	if errors.As(err, &p) {
		return 1
	}
	return 0
}

// run is a child in a pseudo-terminal.
type run struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	tty    *os.File
	before *term.State

	mu  sync.Mutex
	out bytes.Buffer
}

func start(t *testing.T, what string, read bool) *run {
	t.Helper()
	r := &run{t: t}
	var err error
	if r.pty, r.tty, err = pty.Open(); err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	if err := pty.Setsize(r.pty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if r.before, err = term.GetState(r.tty.Fd()); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(os.Args[0])
	// CI stops termenv from asking the terminal, which nobody would answer here.
	r.cmd.Env = append(os.Environ(), "TAILRACE_TUI_CHILD="+what, "TERM=xterm-256color", "CI=1")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = r.tty, r.tty, r.tty
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read1 := make(chan struct{})
	go func() {
		defer close(read1)
		if read {
			_, _ = io.Copy(r, r.pty)
		}
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.tty.Close()
		_ = r.pty.Close()
		<-read1
	})
	return r
}

func (r *run) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *run) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// until waits for text to appear.
func (r *run) until(text string) {
	r.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !strings.Contains(r.output(), text) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%q has not appeared in %q", text, r.output())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// ends waits for the child and checks that the terminal is as it was.
func (r *run) ends(code int, within time.Duration) {
	r.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(within + 10*time.Second):
		r.t.Fatalf("it has not ended")
	}
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d; it said:\n%s", got, code, r.output()[max(len(r.output())-3000, 0):])
	}
	after, err := term.GetState(r.tty.Fd())
	if err != nil {
		r.t.Fatal(err)
	}
	if d := cmp.Diff(fmt.Sprint(*r.before), fmt.Sprint(*after)); d != "" {
		r.t.Errorf("the terminal's modes have changed:\n%s", d)
	}
}

// restored checks what the terminal was told last.
func (r *run) restored() {
	r.t.Helper()
	out := r.output()
	alt, back := strings.LastIndex(out, "\x1b[?1049h"), strings.LastIndex(out, "\x1b[?1049l")
	if alt < 0 || back < alt {
		r.t.Errorf("it is left in the alternate screen: %q", out[max(len(out)-300, 0):])
	}
	if hide, show := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); show < hide {
		r.t.Error("the cursor is left hidden")
	}
	if strings.Contains(out[back:], "tailrace  ") {
		r.t.Errorf("a frame was drawn after the terminal was given back: %q", out[back:])
	}
}

func TestTheTerminalIsRestoredOnEveryWayOut(t *testing.T) {
	for _, c := range []struct {
		name, child string
		do          func(*run)
		code        int
		says        string
	}{
		{"q", "", func(r *run) { _, _ = r.pty.WriteString("q") }, 0, "run has returned: <nil>"},
		{"SIGTERM", "", func(r *run) { _ = r.cmd.Process.Signal(syscall.SIGTERM) }, 0, "run has returned: <nil>"},
		{"SIGHUP", "", func(r *run) { _ = r.cmd.Process.Signal(syscall.SIGHUP) }, 0, "run has returned: <nil>"},
		{"SIGINT", "", func(r *run) { _ = r.cmd.Process.Signal(syscall.SIGINT) }, 0, "run has returned: <nil>"},
		{"the context", "context", func(*run) {}, 0, "run has returned: <nil>"},
		{"a panic in a command", "", func(r *run) { _, _ = r.pty.WriteString("2x") }, 1, "panic: kill has panicked"},
		{"a panic in the loop", "view", func(*run) {}, 1, "panic: look has panicked"},
		{"a panic elsewhere", "goroutine", func(*run) {}, 1, "panic: a goroutine has panicked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, orDefault(c.child), true)
			r.until("[1 Requests]")
			began := time.Now()
			c.do(r)
			r.ends(c.code, 0)
			if d := time.Since(began); d > 3*time.Second {
				t.Errorf("it took %v", d)
			}
			r.until(c.says)
			r.restored()
			if back := strings.LastIndex(r.output(), "\x1b[?1049l"); strings.Index(r.output(), c.says) < back {
				t.Error("it was said into the alternate screen")
			}
		})
	}
}

func orDefault(what string) string {
	if what == "" {
		return "plain"
	}
	return what
}

func TestATerminalThatGoesAwayIsAnOrderlyEnd(t *testing.T) {
	r := start(t, "plain", true)
	r.until("[1 Requests]")
	_ = r.tty.Close()
	_ = r.pty.Close()
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on without a terminal")
	}
}

func TestATerminalThatHasStoppedReadingDoesNotHoldTheExit(t *testing.T) {
	r := start(t, "busy", false)
	time.Sleep(time.Second) // its frames fill the kernel's buffer; nobody reads them
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	// The child's last Println would wait for this terminal too: what counts is
	// that the modes come back although nothing can be written.
	deadline := time.Now().Add(6 * time.Second)
	for {
		after, err := term.GetState(r.tty.Fd())
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(fmt.Sprint(*r.before), fmt.Sprint(*after)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the terminal is left in raw mode")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
