//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"tailrace/proxy/proxytest"
)

var whereLine = regexp.MustCompile(`(?m)^tailrace ready proxy=(\S+) admin=(\S+) token=(\S+) journal=`)

// process runs the program in a process of its own, on the state directory dir.
func process(t *testing.T, dir string, args ...string) (*stand, *exec.Cmd) {
	t.Helper()
	out := &output{}
	c := child(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir}, args...)...)
	c.Stdout = out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var at []string
	until(t, "the first line", func() bool { at = whereLine.FindStringSubmatch(out.String()); return at != nil })
	token, err := os.ReadFile(at[3])
	if err != nil {
		t.Fatal(err)
	}
	return newStand(t, at[1], at[2], strings.TrimSpace(string(token))), c
}

// dies ends a process as a power switch would.
func dies(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := exit(t, c); code != -int(syscall.SIGKILL) {
		t.Fatalf("exit code %d", code)
	}
}

// leaves ends a process in order.
func leaves(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exit(t, c); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// scripted is an origin whose n-th request, from 1, is answered by answer; it
// holds what answer leaves open until its client is gone.
func scripted(t *testing.T, answer func(n int64, c *proxytest.Conn) (open bool)) *proxytest.Origin {
	var o *proxytest.Origin
	started := make(chan struct{})
	o = proxytest.Raw(t, func(c *proxytest.Conn) {
		<-started
		for {
			if _, ok := c.Request(); !ok {
				return
			}
			if answer(o.Requests.Load(), c) {
				c.Gone()
				return
			}
		}
	})
	close(started)
	return o
}

// The documented "try it once": a process is killed between SENT and COMPLETE.
// Nothing is sent by itself; the operator's retry completes it; the application
// then gets that answer.
func TestAfterAKillNothingIsSentByItselfAndARetryCompletesIt(t *testing.T) {
	t.Parallel()
	const answer = `{"choices":[{"message":{"content":"at last"}}]}`
	o := scripted(t, func(n int64, c *proxytest.Conn) bool {
		if n == 1 {
			return true
		}
		c.Say(okJSON + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(answer), answer))
		return false
	})
	dir, body := t.TempDir(), say("try it once", false)
	s, c := process(t, dir, "http://"+o.Addr)
	waits := s.eventually(t.Context(), body)
	until(t, "the send", func() bool { return o.Requests.Load() == 1 })
	dies(t, c)
	if got := <-waits; got.err == nil {
		t.Errorf("the client got %d %s from a dead process", got.status, got.body)
	}

	s, c = process(t, dir, "http://"+o.Addr)
	defer func() { leaves(t, c) }()
	v := s.row("1")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT INTERRUPTED{"phase":"waiting"}`)
	if v.State != "interrupted" || v.Last != "INTERRUPTED" || v.Risk != 2 || v.Accepted {
		t.Errorf("%+v", v)
	}
	var problem struct {
		Detail string
		Status int
		Risk   int
	}
	no := s.operator("POST", "/v1/journal/1/retry", "", &problem)
	if no.status != 409 || !no.is("Content-Type", "application/problem+json") || problem.Risk != 2 || problem.Status != 409 || !strings.Contains(problem.Detail, "may already have been charged") {
		t.Errorf("without confirm: %d %v %s", no.status, no.header, no.body)
	}
	if n := o.Requests.Load(); n != 1 {
		t.Errorf("%d sends before the operator has confirmed", n)
	}
	var started struct {
		ID      string
		Attempt int
	}
	if yes := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, &started); yes.status != 202 || started.ID != "1" || started.Attempt != 2 {
		t.Errorf("with confirm: %d %s", yes.status, yes.body)
	}
	s.comes("1", "accepted")
	if over := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); over.status != 409 {
		t.Errorf("retry of an accepted row: %d %s", over.status, over.body)
	}
	for range 2 {
		got := s.send(t.Context(), body)
		if got.status != 200 || got.body != answer || !got.is("X-Cache", "HIT") || !got.is("X-Cache-Source", "journal") || !got.is("Idempotent-Replayed", "true") || !got.is("X-Journal-Attempts", "2") {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	}
	if n := o.Requests.Load(); n != 2 {
		t.Errorf("%d sends, want exactly two", n)
	}
	check(t, "events", s.row("1").trail(), `ATTEMPT{"n":1,"after":null} SENT INTERRUPTED{"phase":"waiting"} CONFIRMED{"risk":2} `+
		`ATTEMPT{"n":1,"after":"SENT","last":"CONFIRMED"} SENT HEADERS{"status":200} COMPLETE CACHE_HIT CACHE_HIT`)
}

// Without an operator it is the application that may send again: its row goes
// on, and says after what.
func TestTheNextRequestAfterAKillGoesOnWithItsRow(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	dir, body := t.TempDir(), say("again", false)
	s, c := process(t, dir, url)
	s.eventually(t.Context(), body, "X-Fakellm", "silent")
	until(t, "the send", func() bool { return fake.Stats().Requests == 1 })
	dies(t, c)
	s, c = process(t, dir, url)
	defer func() { leaves(t, c) }()
	if got := s.send(t.Context(), body); got.status != 200 || !got.is("X-Cache", "MISS") || !got.is("X-Journal-Attempts", "2") || fake.Stats().Requests != 2 {
		t.Errorf("%d %v after %d sends", got.status, got.header, fake.Stats().Requests)
	}
	check(t, "events", s.row("1").trail(), `ATTEMPT{"n":1,"after":null} SENT INTERRUPTED{"phase":"waiting"} `+
		`ATTEMPT{"n":1,"after":"SENT","last":"INTERRUPTED"} SENT HEADERS{"status":200} COMPLETE`)
}

const (
	okSSE     = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	lastChunk = "0\r\n\r\n"
)

// delta is one event of a chat stream, as a chunk.
func delta(text string) string {
	return chunk(`data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n")
}

func chunk(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// dechunked is the body that chunks make.
func dechunked(chunks ...string) string {
	var b strings.Builder
	for _, c := range chunks {
		_, rest, _ := strings.Cut(c, "\r\n")
		b.WriteString(strings.TrimSuffix(rest, "\r\n"))
	}
	return b.String()
}

// The retried result of an interrupted stream is replayed once, to whoever asks
// next; the one after that is sent anew.
func TestTheRetriedResultOfAnInterruptedStreamIsReplayedOnce(t *testing.T) {
	t.Parallel()
	whole := []string{delta("one"), delta("two"), chunk("data: [DONE]\n\n")}
	o := scripted(t, func(n int64, c *proxytest.Conn) bool {
		if n == 1 {
			c.Say(okSSE + delta("lost"))
			return true
		}
		c.Say(okSSE + strings.Join(whole, "") + lastChunk)
		return false
	})
	dir, body := t.TempDir(), say("a stream", true)
	s, c := process(t, dir, "http://"+o.Addr)
	waits := s.eventually(t.Context(), body)
	until(t, "the first piece", func() bool { return strings.Contains(s.row("1").names(), "HEADERS") && s.exchange("1").Tokens == 1 })
	dies(t, c)
	if got := <-waits; got.err == nil || got.body != dechunked(delta("lost")) {
		t.Errorf("the client got %q %v", got.body, got.err)
	}

	s, c = process(t, dir, "http://"+o.Addr)
	defer func() { leaves(t, c) }()
	if v := s.row("1"); v.State != "interrupted" || !strings.HasPrefix(v.trail(), `ATTEMPT{"n":1,"after":null} SENT HEADERS{"status":200,"stream":true} INTERRUPTED{"phase":"streaming"`) {
		t.Errorf("%s %s", v.State, v.trail())
	}
	if no := s.operator("POST", "/v1/journal/1/retry", "", nil); no.status != 409 || o.Requests.Load() != 1 {
		t.Errorf("without confirm: %d %s, %d sends", no.status, no.body, o.Requests.Load())
	}
	if yes := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); yes.status != 202 {
		t.Errorf("with confirm: %d %s", yes.status, yes.body)
	}
	s.comes("1", "accepted")
	owed := s.send(t.Context(), body)
	if owed.err != nil || !owed.is("X-Cache", "BYPASS") || !owed.is("X-Cache-Source", "journal") || !owed.is("Idempotent-Replayed", "true") || !owed.is("Content-Type", "text/event-stream") {
		t.Errorf("%v %v", owed.header, owed.err)
	}
	check(t, "the replayed stream", owed.body, dechunked(whole...))
	if names := s.row("1").names(); !strings.HasSuffix(names, "SENT HEADERS COMPLETE CACHE_HIT") || o.Requests.Load() != 2 {
		t.Errorf("%s after %d sends", names, o.Requests.Load())
	}
	anew := s.send(t.Context(), body)
	if !anew.is("X-Cache-Source", "origin") || anew.body != owed.body || o.Requests.Load() != 3 {
		t.Errorf("%v after %d sends", anew.header, o.Requests.Load())
	}
	check(t, "events of the new row", s.comes("2", "accepted").trail(), `ATTEMPT{"n":1,"after":"CACHE_HIT"} SENT HEADERS{"status":200,"stream":true} COMPLETE`)
}

// What was acknowledged before a kill is there after it: the last byte of an
// answer goes out when its result is on the disk.
func TestAnAnswerThatAClientHasSurvivesAKill(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	dir := t.TempDir()
	s, c := process(t, dir, url)
	answers := map[string]string{}
	for i := range 8 {
		body := say(fmt.Sprint("acknowledged ", i), false)
		answers[body] = s.send(t.Context(), body).body
	}
	dies(t, c)
	s, c = process(t, dir, url)
	defer func() { leaves(t, c) }()
	for body, want := range answers {
		if got := s.send(t.Context(), body); !got.is("X-Cache", "HIT") || got.body != want {
			t.Errorf("%s: %v", body, got.header)
		}
	}
	if n := fake.Stats().Requests; n != 8 {
		t.Errorf("%d sends", n)
	}
}

// A credential is written nowhere, so a new process cannot retry with it until
// the application has come back with it.
func TestARetryWaitsForTheCredentialThatWasNotWrittenDown(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	dir, key := t.TempDir(), []string{"Authorization", "Bearer sk-canary-0123456789abcdef"}
	s, c := process(t, dir, url)
	s.eventually(t.Context(), say("keyed", false), append(key, "X-Fakellm", "silent")...)
	until(t, "the send", func() bool { return fake.Stats().Requests == 1 })
	dies(t, c)
	s, c = process(t, dir, url)
	defer func() { leaves(t, c) }()
	no := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil)
	if no.status != 409 || !strings.Contains(no.body, "credential") {
		t.Errorf("%d %s", no.status, no.body)
	}
	s.send(t.Context(), say("another", false), key...)
	no = s.operator("POST", "/v1/journal/1/retry", "", nil)
	if no.status != 409 || !strings.Contains(no.body, "X-Fakellm") {
		t.Errorf("the field whose value is not kept is not named: %d %s", no.status, no.body)
	}
	if yes := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); yes.status != 202 {
		t.Errorf("%d %s", yes.status, yes.body)
	}
	s.comes("1", "accepted")
	if got := s.send(t.Context(), say("keyed", false), key...); !got.is("X-Cache", "HIT") || fake.Stats().Requests != 3 {
		t.Errorf("%v after %d sends", got.header, fake.Stats().Requests)
	}
}
