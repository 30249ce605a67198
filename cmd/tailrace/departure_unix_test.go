//go:build unix

package main

import (
	"context"
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
	"golang.org/x/sys/unix"
)

// busy is a serve with one request under way that will not end by itself.
func busy(t *testing.T, args ...string) (c *exec.Cmd, errs *output, state string) {
	t.Helper()
	fake, url := origin(t)
	out, errs := &output{}, &output{}
	c = child(t, append([]string{"serve", url, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)...)
	c.Stdout, c.Stderr = out, errs
	c.Env = append(c.Env, "TMPDIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	proxy := ready(t, out)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy+"/v1/chat/completions", strings.NewReader(chat))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Fakellm", "silent")
		if res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req); err == nil {
			res.Body.Close()
		}
	}()
	t.Cleanup(func() { <-asked })
	until(t, "the request to be under way", func() bool { return fake.Stats().Open == 1 })
	journal := regexp.MustCompile(`journal=(\S+)`).FindStringSubmatch(out.String())[1]
	return c, errs, filepath.Dir(journal)
}

func signalled(t *testing.T, c *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func TestASecondSignalLeavesAtOnceAndLeavesNothingBehind(t *testing.T) {
	for _, again := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		for _, args := range [][]string{{"--ephemeral"}, {"--state", t.TempDir()}} {
			c, errs, state := busy(t, args...)
			signalled(t, c, syscall.SIGTERM)
			until(t, "the sentence of the drain", func() bool {
				return strings.Contains(errs.String(), "tailrace: 1 request is under way; up to 10s to end; a second signal leaves at once\n")
			})
			began := time.Now()
			signalled(t, c, again)
			if code := exit(t, c); code != 1 || time.Since(began) > 3*time.Second || !strings.Contains(errs.String(), "tailrace: left at once") {
				t.Errorf("%v %q: exit code %d after %v, it says %s", again, args, code, time.Since(began), errs)
			}
			gone := filepath.Join(state, instanceFile)
			if args[0] == "--ephemeral" {
				gone = state
			}
			if _, err := os.Stat(gone); !os.IsNotExist(err) {
				t.Errorf("%v %q: %s is still there: %v", again, args, gone, err)
			}
		}
	}
}

// A shell that dies sends SIGHUP after the terminal has: both mean the same.
func TestASecondHangupIsNoHurry(t *testing.T) {
	d := &departure{again: make(chan struct{}), signals: make(chan os.Signal)}
	d.begun, d.begin = context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.wait()
	}()
	for n := range 3 { // each is taken when the one before has been dealt with
		select {
		case d.signals <- syscall.SIGHUP:
		case <-d.again:
			t.Fatalf("hangup %d was taken for hurry", n)
		}
	}
	if d.begun.Err() == nil {
		t.Error("the first begins nothing")
	}
	d.signals <- syscall.SIGTERM
	<-d.again
	<-ended
}

// kill -9 leaves a terminal raw. What is given back at the end is what the
// dashboard found, so that must be a terminal that one can type at.
func TestATerminalThatIsRawAtTheStartIsMadeOrdinary(t *testing.T) {
	control, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	defer tty.Close()
	mode := func() *unix.Termios {
		m, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := *mode()
	raw := before
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(tty.Fd()), setTermios, &raw); err != nil {
		t.Fatal(err)
	}
	pipe, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	cook(pipe, tty)
	if got := *mode(); got != before {
		t.Errorf("it is %+v, was %+v", got, before)
	}
	quiet := before
	quiet.Lflag &^= unix.ECHO // somebody's choice
	if err := unix.IoctlSetTermios(int(tty.Fd()), setTermios, &quiet); err != nil {
		t.Fatal(err)
	}
	cook(tty)
	if got := *mode(); got != quiet {
		t.Errorf("an ordinary one became %+v, was %+v", got, quiet)
	}
}
