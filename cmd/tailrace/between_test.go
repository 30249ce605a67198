package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
)

// waitsAgain is a call whose first attempt has failed and whose second is due.
func waitsAgain(t *testing.T, s *stand, ctx context.Context, prompt string) <-chan *reply {
	waits := s.eventually(ctx, say(prompt, false), "X-Fakellm", "status=500")
	s.comes("1", "retry-wait")
	return waits
}

func slow(r *proxy.Route, _ *proxy.Pool) {
	r.Journal.Free, r.Journal.MaxAttempts, r.MaxFetchConcurrency = true, 9, 1
}

func TestAClientThatLeavesBetweenTwoAttemptsEndsThem(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, slow)
	ctx, leave := context.WithCancel(t.Context())
	waits := waitsAgain(t, s, ctx, "leave")
	sends := fake.Stats().Requests
	leave()
	<-waits
	v := s.comes("1", "uncertain")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HTTP_ERROR{"status":500,"retry":true} CLIENT_GONE`)
	if n := fake.Stats().Requests; n != sends || v.Risk != 2 {
		t.Errorf("%d sends, risk %d", n, v.Risk)
	}
}

func TestAKillBetweenTwoAttemptsEndsThem(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, slow)
	waits := waitsAgain(t, s, t.Context(), "kill")
	s.kill("1", "waiting")
	if got := <-waits; got.status != 499 || !got.is("X-Tailrace-Sent", "yes") {
		t.Errorf("%d %v", got.status, got.header)
	}
	v := s.comes("1", "killed")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HTTP_ERROR{"status":500,"retry":true} KILLED{"phase":"retry-wait","by":"operator"}`)
	if got := s.send(t.Context(), say("kill", false)); got.status != 499 || fake.Stats().Requests != 1 {
		t.Errorf("%d after %d sends", got.status, fake.Stats().Requests)
	}
}

// The second attempt stands in line: it is no attempt yet, and its row must not
// wait for it when nobody does.
func TestAClientThatLeavesItsSecondAttemptInLineEndsIt(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, func(r *proxy.Route, p *proxy.Pool) {
		slow(r, p)
		r.FetchWaitTimeout = time.Minute
	})
	ctx, leave := context.WithCancel(t.Context())
	waits := waitsAgain(t, s, ctx, "leave the line")
	other, end := context.WithCancel(t.Context())
	holds := s.eventually(other, say("holds the slot", false), "X-Fakellm", "silent")
	until(t, "the slot to be taken", func() bool { return fake.Stats().Open == 1 })
	until(t, "the line", func() bool { return s.exchange("1").Phase == "queued" })
	leave()
	<-waits
	if names := s.comes("1", "uncertain").names(); !strings.HasSuffix(names, " SENT HTTP_ERROR CLIENT_GONE") {
		t.Errorf("events are %s", names)
	}
	end()
	<-holds
}

// The second attempt finds no slot. The first was sent all the same, and the
// client is not told that nothing was.
func TestAShedSecondAttemptDoesNotHideTheFirst(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, slow)
	waits := waitsAgain(t, s, t.Context(), "shed")
	ctx, leave := context.WithCancel(t.Context())
	holds := s.eventually(ctx, say("holds the slot", false), "X-Fakellm", "silent")
	until(t, "the slot to be taken", func() bool { return fake.Stats().Open == 1 })
	got := <-waits
	if got.status != 503 || !got.is("X-Tailrace-Sent", "yes") || !got.is("Retry-After", "1") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	leave()
	<-holds
	v := s.row("1")
	if v.State != "not-sent" || v.Risk != 2 {
		t.Errorf("%s, risk %d: %s", v.State, v.Risk, v.trail())
	}
}

// What was between two attempts when the program was asked to end is
// interrupted, as it would have been by a crash.
func TestAnOrderlyEndBetweenTwoAttemptsIsAnInterruption(t *testing.T) {
	t.Parallel()
	_, url := origin(t)
	dir := t.TempDir()
	change := func(m *Main) {
		for i := range m.Config.Routes {
			slow(&m.Config.Routes[i], nil)
		}
		m.Config.DrainTimeout = 0
	}
	r := begin(t, url, dir, change)
	token, err := r.state.token()
	if err != nil {
		t.Fatal(err)
	}
	waits := waitsAgain(t, newStand(t, r.ProxyURL, r.AdminURL, token), t.Context(), "end")
	r.end()
	<-waits
	r = begin(t, url, dir, change)
	defer r.end()
	v := newStand(t, r.ProxyURL, r.AdminURL, token).row("1")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HTTP_ERROR{"status":500,"retry":true} INTERRUPTED{"phase":"retry-wait"}`)
	if v.State != "interrupted" || v.Risk != 2 {
		t.Errorf("%s, risk %d", v.State, v.Risk)
	}
}
