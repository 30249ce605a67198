package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/proxytest"
)

// exchangeView is what the admin port says of an exchange.
type exchangeView struct {
	ID, Phase, Outcome string
	Status             int
	Tokens             int `json:"output_tokens"`
}

// exchange reads one exchange of the board.
func (s *stand) exchange(id string) *exchangeView {
	v := &exchangeView{}
	s.operator("GET", "/v1/exchanges/"+id, "", v)
	return v
}

// kill ends an exchange when it has come to a phase.
func (s *stand) kill(id, phase string) {
	s.Helper()
	until(s.T, "exchange "+id+" to be "+phase, func() bool { return s.exchange(id).Phase == phase })
	if r := s.operator("POST", "/v1/exchanges/"+id+"/kill", "", nil); r.status != http.StatusAccepted {
		s.Fatalf("killing exchange %s: %d %s", id, r.status, r.body)
	}
}

// silent is an origin that never answers, and says when its client is gone.
func silent(t *testing.T) (*proxytest.Origin, <-chan time.Time) {
	gone := make(chan time.Time, 8)
	return proxytest.Raw(t, func(c *proxytest.Conn) {
		if _, ok := c.Request(); ok {
			c.Gone()
			gone <- time.Now()
		}
	}), gone
}

func within(t *testing.T, what string, gone <-chan time.Time, since time.Time, limit time.Duration) {
	t.Helper()
	select {
	case at := <-gone:
		if late := at.Sub(since); late > limit {
			t.Errorf("%s saw the end after %v, want at most %v", what, late, limit)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("%s never saw the end", what)
	}
}

func TestAKillBeforeTheHeadCutsTheOriginAndIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"plain": say("kill", false), "a stream": say("kill", true)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, gone := silent(t)
			s, _ := stands(t, "http://"+o.Addr, nil)
			waits := s.eventually(t.Context(), body)
			s.kill("1", "waiting")
			killed := time.Now()
			got := <-waits
			within(t, "the origin", gone, killed, 200*time.Millisecond)
			if got.status != 499 || !got.is("X-Should-Retry", "false") || !got.is("X-Tailrace-Sent", "yes") || !inDialect(got.body) {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
			// Whatever brings it back within 10 s does not bring it to the provider.
			for range 3 {
				if got = s.send(t.Context(), body); got.status != 499 || !got.is("X-Tailrace-Sent", "no") || !got.is("X-Should-Retry", "false") {
					t.Errorf("again: %d %v %s", got.status, got.header, got.body)
				}
			}
			if n := o.Requests.Load(); n != 1 {
				t.Errorf("%d sends", n)
			}
			v := s.comes("1", "killed")
			check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT KILLED{"phase":"waiting","by":"operator"}`)
			if v.Risk != 2 || len(s.rows()) != 1 {
				t.Errorf("risk %d, %d rows", v.Risk, len(s.rows()))
			}
			if r := s.operator("POST", "/v1/exchanges/1/kill", "", nil); r.status != http.StatusConflict || !strings.Contains(r.body, "already finished") {
				t.Errorf("a second kill: %d %s", r.status, r.body)
			}
		})
	}
}

// The leader is killed; whoever rides on its fetch gets the answer, and the
// journal knows of no kill.
func TestAKilledLeaderDoesNotHurtItsRiders(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	o := gated(t, open, okJSON, `{"choices":[]}`)
	s, _ := stands(t, "http://"+o.Addr, nil)
	leader := s.eventually(t.Context(), say("lead", false))
	until(t, "the leader", func() bool { return aboard(s) == 1 })
	rider := s.eventually(t.Context(), say("lead", false))
	until(t, "the rider", func() bool { return aboard(s) == 2 })
	s.kill("1", "waiting")
	if got := <-leader; got.status != 499 {
		t.Errorf("the leader got %d %s", got.status, got.body)
	}
	close(open)
	if got := <-rider; got.status != 200 || got.body != `{"choices":[]}` || o.Requests.Load() != 1 {
		t.Errorf("the rider got %d %s, %d sends", got.status, got.body, o.Requests.Load())
	}
	check(t, "events", s.comes("1", "accepted").names(), "ATTEMPT SENT HEADERS COMPLETE")
}

func TestAClientThatLeavesBeforeTheHeadIsWrittenDown(t *testing.T) {
	t.Parallel()
	o, gone := silent(t)
	s, _ := stands(t, "http://"+o.Addr, nil)
	ctx, leave := context.WithCancel(t.Context())
	waits := s.eventually(ctx, say("leave", false))
	until(t, "the send", func() bool { return o.Requests.Load() == 1 })
	left := time.Now()
	leave()
	<-waits
	within(t, "the origin", gone, left, time.Second)
	v := s.comes("1", "uncertain")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT CLIENT_GONE`)
	if v.Risk != 2 || v.Last != "CLIENT_GONE" {
		t.Errorf("%+v", v)
	}
	until(t, "its end on the board", func() bool { return s.exchange("1").Outcome == "client-gone" })
	// The next request of the client may send again, and goes on with the row.
	ctx, leave = context.WithCancel(t.Context())
	waits = s.eventually(ctx, say("leave", false))
	until(t, "the second send", func() bool { return o.Requests.Load() == 2 })
	leave()
	<-waits
	until(t, "the second end", func() bool { return strings.Count(s.row("1").names(), "CLIENT_GONE") == 2 })
	check(t, "events", s.row("1").trail(), `ATTEMPT{"n":1,"after":null} SENT CLIENT_GONE ATTEMPT{"n":1,"after":"SENT","last":"CLIENT_GONE"} SENT CLIENT_GONE`)
}

// Streams that do not end well: what the client sees, and what was written.
func TestWhatAStreamThatEndsBadlyComesTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  string
		broken bool
		trail  string
		state  string
		risk   int
	}{
		"cut after content": {
			fault: "cut=3", broken: true, state: "partial", risk: 3,
			trail: `INCOMPLETE{"error":*,"tokens":3,"delivered":true}`,
		},
		"an end without the marker": {
			fault: "end=3", state: "partial", risk: 3,
			trail: `INCOMPLETE{"error":"the stream ended without its terminal marker","tokens":3,"delivered":true}`,
		},
		"an end without anything": {
			fault: "end=0", state: "dead-letter", risk: 2,
			trail: `INCOMPLETE{"error":"the stream ended without its terminal marker"}`,
		},
		"silence": {
			fault: "stall=2", broken: true, state: "partial", risk: 3,
			trail: `INCOMPLETE{"error":"idle budget: the origin stopped without heartbeats","tokens":2,"delivered":true}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, url := origin(t)
			// free: what has content is never sent again by itself even there.
			s, _ := stands(t, url, func(r *proxy.Route, p *proxy.Pool) {
				short(true, 0)(r, p)
				r.Stream.IdleTimeout = 300 * time.Millisecond
			})
			body := say("bad end", true)
			direct := s.do(t.Context(), "POST", url+completions, body, "X-Fakellm", strings.Replace(c.fault, "stall", "end", 1))
			got := s.send(t.Context(), body, "X-Fakellm", c.fault)
			if (got.err != nil) != c.broken || !strings.HasPrefix(got.body, direct.body) || !got.is("X-Cache", "BYPASS") {
				t.Errorf("the client got %v %v after %q, direct it is %q", got.header, got.err, got.body, direct.body)
			}
			rest := strings.TrimPrefix(got.body, direct.body)
			if c.broken != strings.Contains(rest, `"message":"tailrace: `) || strings.Contains(rest, "[DONE]") || !c.broken && rest != "" {
				t.Errorf("behind the origin's bytes comes %q", rest)
			}
			v := s.comes("1", c.state)
			want := `ATTEMPT{"n":1,"after":null} SENT HEADERS{"status":200,"stream":true} ` + c.trail
			if !matches(v.trail(), want) || v.Risk != c.risk || v.Accepted {
				t.Errorf("%d:\n got %s\nwant %s", v.Risk, v.trail(), want)
			}
			if n := fake.Stats().Requests; n != 2 {
				t.Errorf("%d sends, one of them direct", n)
			}
		})
	}
}

// A client library that reads on sees an error event and a broken transfer;
// without the end chunk it cannot take the answer for a whole one.
func TestAKillInTheMiddleOfAStreamIsNoEndOfIt(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, nil)
	body := say("mid", true)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.proxy+completions, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Fakellm", "stall=4")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r := bufio.NewReader(res.Body)
	for seen := 0; seen < 4; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"content":"`) {
			seen++
		}
	}
	s.kill("1", "streaming")
	rest, err := io.ReadAll(r)
	if err == nil || !strings.Contains(string(rest), "killed by the operator") || strings.Contains(string(rest), "[DONE]") {
		t.Errorf("%v after %q", err, rest)
	}
	// Who reads the error and asks again at once is refused as well.
	if got := s.send(t.Context(), body); got.status != 499 || fake.Stats().Requests != 1 {
		t.Errorf("%d %s after %d sends", got.status, got.body, fake.Stats().Requests)
	}
	v := s.comes("1", "killed")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HEADERS{"status":200,"stream":true} KILLED{"phase":"streaming","by":"operator","tokens":4}`)
	if v.Risk != 3 {
		t.Errorf("risk %d", v.Risk)
	}
}
