//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// atOnce is how soon the demo is gone: it never drains.
const atOnce = 500 * time.Millisecond

func TestTheDemoLeavesAtOnceAndGivesTheTerminalBack(t *testing.T) {
	for name, leave := range map[string]func(*exec.Cmd, *screen) error{
		"q":      func(_ *exec.Cmd, s *screen) error { _, err := s.tty.Write([]byte("q")); return err },
		"SIGHUP": func(c *exec.Cmd, _ *screen) error { return c.Process.Signal(syscall.SIGHUP) },
	} {
		dir := t.TempDir()
		c := child(t, "demo", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
		c.Env = append(c.Env, "GORACE=atexit_sleep_ms=0") // a race build sleeps for a second at its end
		s := onScreen(t, c)
		until(t, "a live stream, and what to try", func() bool {
			return strings.Contains(s.String(), "streaming") && strings.Contains(s.String(), "SIGKILL") && strings.Contains(s.String(), "the journal goes on")
		})
		began := time.Now()
		if err := leave(c, s); err != nil {
			t.Fatal(err)
		}
		if code := exit(t, c); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		if took := time.Since(began); took > atOnce {
			t.Errorf("%s: it took %v to leave", name, took)
		}
		<-s.read
		end := s.String()[strings.LastIndex(s.String(), "\x1b[?1049l")+1:]
		if !strings.Contains(end, "its journal is kept in "+dir) || !strings.Contains(s.String(), "\x1b[?1049h") {
			t.Errorf("%s: the screen ends with %q", name, end)
		}
	}
}

var adminOf = regexp.MustCompile(`admin=(http://127\.0\.0\.1:[0-9]+)`)

// A demo that dies is gone on with at the next start: its rows are there, and
// what it was doing is interrupted.
func TestTheDemosJournalGoesOnAfterAKill(t *testing.T) {
	dir := t.TempDir()
	type row struct{ ID, State, Key string }
	errs := &output{}
	start := func(args ...string) (*exec.Cmd, func() []row) {
		c := child(t, append([]string{"demo", "--headless", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir}, args...)...)
		out := &output{}
		c.Stdout, c.Stderr = out, errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		ready(t, out)
		return c, func() []row {
			token, err := os.ReadFile(filepath.Join(dir, tokenFile))
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, adminOf.FindStringSubmatch(out.String())[1]+"/v1/journal", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var page struct{ Requests []row }
			if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
				t.Fatal(err)
			}
			return page.Requests
		}
	}
	count := func(rows []row, state string) (n int) {
		for _, r := range rows {
			if r.State == state {
				n++
			}
		}
		return n
	}
	kill := func(c *exec.Cmd) {
		_ = c.Process.Kill()
		exit(t, c)
	}

	c, rows := start()
	until(t, "an answer and a live stream in the journal", func() bool {
		all := rows()
		return count(all, "accepted") > 0 && count(all, "streaming") > 0
	})
	kill(c)
	c, rows = start()
	all := rows()
	if count(all, "interrupted") < 2 || all[len(all)-1].State != "interrupted" || count(all, "accepted") == 0 { // the live stream, and the victim that nobody has completed
		t.Errorf("after the kill there are %+v", all)
	}
	// What the kill interrupted is counted, though the child saw it first; the
	// victim of the first start was counted then, and there is no second one.
	news := counted(count(all, "interrupted")-1, "request was", "requests were") + " under way when tailrace last ended"
	until(t, news, func() bool { return strings.Contains(errs.String(), news) })
	kill(c)
	c, rows = start("--fresh")
	if all = rows(); count(all, "interrupted") != 1 || all[len(all)-1].ID != "1" {
		t.Errorf("a fresh one begins with %+v", all)
	}
	kill(c)
	http.DefaultClient.CloseIdleConnections()
}
