//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// child is the program in a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, self)
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name != "CI" && name != "NO_COLOR" && !strings.HasPrefix(name, "TAILRACE_") {
			c.Env = append(c.Env, e)
		}
	}
	c.Env = append(c.Env, "TERM=xterm-256color", "TAILRACE_TEST_ARGS="+strings.Join(args, "\n"))
	return c
}

// exit waits for a process and returns its code, or minus the signal.
func exit(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	err := c.Wait()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return -int(s.Signal())
		}
		return e.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

var readyLine = regexp.MustCompile(`(?m)^tailrace (mock )?ready (?:proxy|origin)=(http://127\.0\.0\.1:[0-9]+)`)

// ready waits for the first line of a process and returns the URL in it.
func ready(t *testing.T, out *output) string {
	t.Helper()
	until(t, "the first line", func() bool { return readyLine.MatchString(out.String()) })
	return readyLine.FindStringSubmatch(out.String())[2]
}

// completeAChat sends a chat completion and reads the answer to its end: whoever closes
// before that has left.
func completeAChat(t *testing.T, url string) {
	t.Helper()
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(chat))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %q %v", res.StatusCode, b, err)
	}
}

func TestServeDrainsAndClosesOnASignal(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		dir := filepath.Join(t.TempDir(), "state")
		fake := child(t, "mock", "--listen", "127.0.0.1:0", "--ttft=300ms")
		fakeOut, out, errs := &output{}, &output{}, &output{}
		fake.Stdout = fakeOut
		if err := fake.Start(); err != nil {
			t.Fatal(err)
		}
		c := child(t, "serve", ready(t, fakeOut), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
		c.Stdout, c.Stderr = out, errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		url := ready(t, out)
		res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,"messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body) // what was under way may end
		if err != nil || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
			t.Errorf("%v: the live stream ended with %v after %q", sig, err, body)
		}
		res.Body.Close()
		if code := exit(t, c); code != 0 {
			t.Errorf("%v: exit code %d, %s", sig, code, errs)
		}
		if !strings.Contains(out.String(), "outcome=completed") {
			t.Errorf("%v: the log is %s", sig, out)
		}
		if _, err := os.Stat(filepath.Join(dir, instanceFile)); !os.IsNotExist(err) {
			t.Errorf("%v: it still says who is running: %v", sig, err)
		}
		if err := fake.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := exit(t, fake); code != 0 {
			t.Errorf("%v: the mock's exit code is %d", sig, code)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// kill -9 leaves files that only their owner can read, and the next start
// finds them in order.
func TestEveryFileIsForItsOwnerAloneUnderAnyUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	_, url := origin(t)
	dir := filepath.Join(t.TempDir(), "a", "state")
	for range 2 {
		out := &output{}
		c := child(t, "serve", url, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		completeAChat(t, ready(t, out))
		files := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o600)
			if files++; d.IsDir() {
				want = 0o700
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
		if err != nil || files < 6 {
			t.Errorf("%d files, %v", files, err)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		exit(t, c)
	}
	http.DefaultClient.CloseIdleConnections()
}

// screen is a pseudo-terminal that a process runs on.
type screen struct {
	*output
	tty  *os.File
	read chan struct{}
}

func onScreen(t *testing.T, c *exec.Cmd) *screen {
	t.Helper()
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{output: &output{}, tty: tty, read: make(chan struct{})}
	go func() {
		defer close(s.read)
		_, _ = io.Copy(s.output, tty) // ends with an error when the process does
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill() // a test that failed leaves it running
		<-s.read
		tty.Close()
	})
	return s
}

// A terminal that does not answer would hold every command up for five seconds.
func TestNoCommandAsksTheTerminalBeforeItBegins(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"key", "--prompt", "1"}} {
		c := child(t, args...)
		s := onScreen(t, c)
		if code := exit(t, c); code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
		<-s.read
		if strings.Contains(s.String(), "\x1b") || len(s.String()) < 5 {
			t.Errorf("%q writes %q", args, s)
		}
	}
}

func TestTheDashboardShowsTheTrafficAndGivesTheTerminalBack(t *testing.T) {
	_, url := origin(t)
	for name, leave := range map[string]func(*exec.Cmd, *screen) error{
		"q":       func(_ *exec.Cmd, s *screen) error { _, err := s.tty.Write([]byte("q")); return err },
		"SIGTERM": func(c *exec.Cmd, _ *screen) error { return c.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(c *exec.Cmd, _ *screen) error { return c.Process.Signal(syscall.SIGHUP) },
	} {
		dir := t.TempDir()
		c := child(t, url, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
		s := onScreen(t, c)
		shown := regexp.MustCompile(`OPENAI_BASE_URL=(http://127\.0\.0\.1:[0-9]+)`)
		until(t, "the dashboard", func() bool { return shown.MatchString(s.String()) })
		completeAChat(t, shown.FindStringSubmatch(s.String())[1])
		until(t, "the request on screen", func() bool { // ended: q would ask while it is live
			return strings.Contains(s.String(), "gpt-test") && strings.Contains(s.String(), "MISS") && strings.Contains(s.String(), "completed")
		})
		if err := leave(c, s); err != nil {
			t.Fatal(err)
		}
		if code := exit(t, c); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		<-s.read
		for what, pair := range map[string][2]string{
			"the alternate screen is left on": {"\x1b[?1049h", "\x1b[?1049l"},
			"the cursor is left hidden":       {"\x1b[?25l", "\x1b[?25h"},
		} {
			if on, off := strings.LastIndex(s.String(), pair[0]), strings.LastIndex(s.String(), pair[1]); on < 0 || off < on {
				t.Errorf("%s: %s", name, what)
			}
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
