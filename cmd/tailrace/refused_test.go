package main

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/proxytest"
)

// short makes the clocks of a fetch short enough to see them act; attempts 0
// leaves what the billing says.
func short(free bool, attempts int) func(*proxy.Route, *proxy.Pool) {
	return func(r *proxy.Route, p *proxy.Pool) {
		p.ResponseHeaderTimeout, r.FetchTimeout = 400*time.Millisecond, 600*time.Millisecond
		r.Journal.Free, r.Journal.MaxAttempts = free, 1
		if free {
			r.Journal.MaxAttempts = 3
		}
		if attempts > 0 {
			r.Journal.MaxAttempts = attempts
		}
	}
}

// inDialect reports whether a body is an error as OpenAI's SDKs read it.
func inDialect(body string) bool {
	var v struct {
		Error struct{ Message, Type string }
	}
	return json.Unmarshal([]byte(body), &v) == nil && strings.HasPrefix(v.Error.Message, "tailrace: ") && v.Error.Type != ""
}

// What a call comes to when its provider fails, by the table of the journal:
// what the client sees, what was written, what another send may cost.
func TestWhatAFailedCallComesTo(t *testing.T) {
	t.Parallel()
	const first = `ATTEMPT{"n":1,"after":null} SENT `
	for name, c := range map[string]struct {
		fault    string
		free     bool
		status   int
		sent     string // X-Tailrace-Sent; "" for an answer of the provider's
		sends    int64
		trail    string
		state    string
		risk     int
		attempts int // max_attempts
	}{
		"half a JSON body": {
			fault: "truncate", status: 502, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `HEADERS{"status":200} INCOMPLETE{"error":*}`,
		},
		"half of the announced bytes": {
			fault: "short", status: 502, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `HEADERS{"status":200} INCOMPLETE{"error":*}`,
		},
		"a wrong envelope": {
			fault: "envelope", status: 502, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `HEADERS{"status":200} INCOMPLETE{"error":"unexpected envelope"}`,
		},
		"a wrong envelope where sending again is free": {
			fault: "envelope", free: true, status: 502, sent: "yes", sends: 3, state: "dead-letter", risk: 2,
			trail: first + `HEADERS{"status":200} INCOMPLETE{"error":"unexpected envelope","retry":true} ` +
				`ATTEMPT{"n":2,"after":"INCOMPLETE"} SENT HEADERS{"status":200} INCOMPLETE{"error":"unexpected envelope","retry":true} ` +
				`ATTEMPT{"n":3,"after":"INCOMPLETE"} SENT HEADERS{"status":200} INCOMPLETE{"error":"unexpected envelope"}`,
		},
		"no answer in time": {
			fault: "silent", status: 504, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `TIMEOUT DEAD_LETTER`,
		},
		"an answer that is not whole in time": {
			fault: "stall=3", status: 504, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `HEADERS{"status":200} TIMEOUT DEAD_LETTER`,
		},
		"no answer in time where sending again is free": {
			fault: "silent", free: true, status: 504, sent: "yes", sends: 3, state: "dead-letter", risk: 2,
			trail: first + `TIMEOUT ATTEMPT{"n":2,"after":"TIMEOUT"} SENT TIMEOUT ATTEMPT{"n":3,"after":"TIMEOUT"} SENT TIMEOUT DEAD_LETTER`,
		},
		"a connection that is lost without an answer": {
			fault: "close", status: 502, sent: "yes", sends: 1, state: "dead-letter", risk: 2,
			trail: first + `BROKEN{"error":*} DEAD_LETTER{"error":*}`,
		},
		"a reset connection, free, twice": {
			fault: "reset", free: true, attempts: 2, status: 502, sent: "yes", sends: 2, state: "dead-letter", risk: 2,
			trail: first + `BROKEN{"error":*,"retry":true} ATTEMPT{"n":2,"after":"SENT","last":"BROKEN"} SENT BROKEN{"error":*} DEAD_LETTER{"error":*}`,
		},
		"an error of the provider's": {
			fault: "status=500", status: 500, sends: 1, state: "dead-letter", risk: 2,
			trail: first + `HTTP_ERROR{"status":500} DEAD_LETTER{"error":*}`,
		},
		"a refusal": {
			fault: "status=400", status: 400, sends: 1, state: "rejected", risk: 1,
			trail: first + `HTTP_ERROR{"status":400}`,
		},
		"a refusal without a time to come back": {
			fault: "status=429", status: 429, sends: 1, state: "rejected", risk: 1,
			trail: first + `HTTP_ERROR{"status":429}`,
		},
		"a wait that is longer than a minute": {
			fault: "status=503,retry-after=61", status: 503, sends: 1, state: "rejected", risk: 1,
			trail: first + `HTTP_ERROR{"status":503,"retry_after":61}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, url := origin(t)
			s, _ := stands(t, url, short(c.free, c.attempts))
			got := s.send(t.Context(), say("fails", false), "X-Fakellm", c.fault)
			if got.err != nil || got.status != c.status || !got.is("X-Cache", "MISS") || !got.is("X-Tailrace-Sent", c.sent) {
				t.Errorf("the client got %d %v %s %v", got.status, got.header, got.body, got.err)
			}
			if inDialect(got.body) != (c.sent != "") {
				t.Errorf("the body is %s", got.body)
			}
			if paid := c.sent == "yes" && !c.free; paid != got.is("X-Should-Retry", "false") {
				t.Errorf("x-should-retry is %q", got.header.Get("X-Should-Retry"))
			}
			if n := fake.Stats().Requests; n != c.sends {
				t.Errorf("%d sends, want %d", n, c.sends)
			}
			v := s.row("1")
			if !matches(v.trail(), c.trail) {
				t.Errorf("events:\n got %s\nwant %s", v.trail(), c.trail)
			}
			if v.State != c.state || v.Risk != c.risk || v.Accepted || v.Result != nil || int64(v.Attempts) != c.sends {
				t.Errorf("the row is %+v", v)
			}
		})
	}
}

// matches compares with a pattern in which * stands for a JSON string.
func matches(got, pattern string) bool {
	for part := range strings.SplitSeq(pattern, "*") {
		rest, ok := strings.CutPrefix(got, part)
		if !ok {
			return false
		}
		if got = rest; strings.HasPrefix(got, `"`) {
			d := json.NewDecoder(strings.NewReader(got))
			var s string
			if d.Decode(&s) != nil || s == "" {
				return false
			}
			got = got[d.InputOffset():]
		}
	}
	return got == ""
}

func TestARefusalIsPassedOnByteForByteAndSentAgainWhenAskedAgain(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, nil)
	field := []string{"X-Fakellm", "status=400"}
	direct := s.do(t.Context(), "POST", url+completions, say("no", false), field...)
	through := s.send(t.Context(), say("no", false), field...)
	check(t, "the body", through.body, direct.body)
	again := s.send(t.Context(), say("no", false))
	if again.status != 200 || fake.Stats().Requests != 3 {
		t.Errorf("%d after %d sends", again.status, fake.Stats().Requests)
	}
	v := s.row("1")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HTTP_ERROR{"status":400} ATTEMPT{"n":1,"after":"SENT","last":"HTTP_ERROR"} SENT HEADERS{"status":200} COMPLETE`)
	if raw := v.AttemptList[0].Raw; raw == nil || *raw != direct.body {
		t.Errorf("the raw answer of the first attempt is %v", raw)
	}
}

// The provider said when to come back: the slot is given back meanwhile, and the
// client sees the answer alone.
func TestAWaitThatTheProviderNamesIsTakenOnce(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, func(r *proxy.Route, _ *proxy.Pool) { r.MaxFetchConcurrency = 1 })
	began := time.Now()
	waits := s.eventually(t.Context(), say("wait", false), "X-Fakellm", "status=429,retry-after=1,times=1")
	until(t, "the refusal", func() bool { return strings.HasSuffix(s.row("1").names(), "HTTP_ERROR") })
	if other := s.send(t.Context(), say("meanwhile", false)); other.status != 200 {
		t.Errorf("the only slot is held while nothing is fetched: %d %s", other.status, other.body)
	}
	got := <-waits
	if took := time.Since(began); got.status != 200 || took < time.Second {
		t.Errorf("%d after %v", got.status, took)
	}
	if n := fake.Stats().Requests; n != 3 || !got.is("X-Journal-Attempts", "2") {
		t.Errorf("%d sends, %v", n, got.header)
	}
	check(t, "events", s.row("1").trail(), `ATTEMPT{"n":1,"after":null} SENT HTTP_ERROR{"status":429,"retry_after":1,"retry":true} `+
		`ATTEMPT{"n":2,"after":"SENT","last":"HTTP_ERROR"} SENT HEADERS{"status":200} COMPLETE`)
}

func TestWhatNeverLeftIsTriedTwiceAlsoWherePaid(t *testing.T) {
	t.Parallel()
	s, _ := stands(t, "http://"+nobody(t), nil)
	got := s.send(t.Context(), say("nobody", false))
	if got.status != 502 || !got.is("X-Tailrace-Sent", "no") || !got.is("X-Should-Retry", "") || !inDialect(got.body) || !strings.Contains(got.body, "refused the connection") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	v := s.row("1")
	want := `ATTEMPT{"n":1,"after":null} NOT_SENT{"error":*,"phase":"dial","retry":true} ATTEMPT{"n":2,"after":"ATTEMPT","last":"NOT_SENT"} NOT_SENT{"error":*,"phase":"dial"}`
	if !matches(v.trail(), want) || v.State != "not-sent" || v.Risk != 0 || v.Attempts != 2 {
		t.Errorf("%s %d:\n got %s\nwant %s", v.State, v.Risk, v.trail(), want)
	}
}

// nobody is an address of this machine that refuses connections.
func nobody(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	return addr
}

// A pool that has been used may have lost its connection while the journal
// wrote: that is noticed before the first byte, and costs no attempt.
func TestAConnectionThatDiedMeanwhileIsReplacedWithinTheAttempt(t *testing.T) {
	t.Parallel()
	o := proxytest.Raw(t, func(c *proxytest.Conn) { // closes after each answer without saying so
		if _, ok := c.Request(); ok {
			c.Say(okJSON + "Content-Length: 14\r\n\r\n{\"choices\":[]}")
		}
	})
	s, _ := stands(t, "http://"+o.Addr, nil)
	for i, prompt := range []string{"one", "two", "three", "four"} {
		if got := s.send(t.Context(), say(prompt, false)); got.status != 200 || o.Requests.Load() != int64(i+1) {
			t.Fatalf("%d %s after %d sends", got.status, got.body, o.Requests.Load())
		}
	}
	for _, v := range s.rows() {
		if v.Attempts != 1 || v.State != "accepted" {
			t.Errorf("%+v", v)
		}
	}
	if slices.ContainsFunc(s.rows(), func(v rowView) bool { return s.row(v.ID).names() != "ATTEMPT SENT HEADERS COMPLETE" }) {
		t.Error("a lost connection has left an event")
	}
}
