package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
	"tailrace/proxy/proxytest"
)

const completions = "/v1/chat/completions"

func TestTheSameRequestTwiceIsSentOnceAndReplayed(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, nil)
	body := say("twice", false)
	call := llm.Inspect(&exchange.Request{Method: "POST", Target: completions, Body: []byte(body), Header: exchange.Header{{Name: "Content-Type", Value: "application/json"}}}, false)
	first, second := s.send(t.Context(), body), s.send(t.Context(), body)
	check(t, "the second answer", second.body, first.body)
	for name, want := range map[string][2]string{
		"X-Cache": {"MISS", "HIT"}, "X-Cache-Source": {"origin", "journal"}, "Idempotent-Replayed": {"", "true"},
		"X-Journal-Key": {call.Key, call.Key}, "X-Journal-Attempts": {"1", "1"}, "Age": {"", "0"},
		"Content-Length": {fmt.Sprint(len(first.body)), fmt.Sprint(len(first.body))},
		"Content-Type":   {"application/json", "application/json"}, "Date": {first.header.Get("Date"), first.header.Get("Date")},
	} {
		if !first.is(name, want[0]) || !second.is(name, want[1]) {
			t.Errorf("%s is %q and then %q, want %q", name, first.header.Get(name), second.header.Get(name), want)
		}
	}
	if n := fake.Stats().Requests; n != 1 {
		t.Errorf("the origin was asked %d times", n)
	}
	v := s.row("1")
	check(t, "events", v.trail(), `ATTEMPT{"n":1,"after":null} SENT HEADERS{"status":200} COMPLETE CACHE_HIT`)
	if v.State != "accepted" || v.Last != "COMPLETE" || v.Result == nil || *v.Result.Body != first.body {
		t.Errorf("the row is %+v", v)
	}
}

// gated is an origin that answers every chat completion with body, but only
// once open has been closed.
func gated(t *testing.T, open <-chan struct{}, head, body string) *proxytest.Origin {
	return proxytest.Raw(t, func(c *proxytest.Conn) {
		for {
			if _, ok := c.Request(); !ok {
				return
			}
			select {
			case <-open:
			case <-t.Context().Done():
				return
			}
			c.Say(head + "Content-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body)
		}
	})
}

const okJSON = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// Riders of a journaled call get what its leader gets, be that an answer, a
// refusal, or an answer that is not accepted. What is no plain answer after all
// cannot be shared, and each fetches for itself.
func TestEqualRequestsInFlightAreOneSend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head, body string
		status     int
		sends      int64
	}{
		"an answer":        {okJSON, `{"choices":[]}`, 200, 1},
		"a refusal":        {"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n", `{"error":{"message":"no"}}`, 400, 1},
		"no envelope":      {okJSON, `{"error":"none"}`, 502, 1},
		"a large refusal":  {"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n", `{"error":"` + strings.Repeat("x", 1<<20) + `"}`, 400, 1},
		"a large answer":   {okJSON, `{"choices":["` + strings.Repeat("x", 1<<20) + `"]}`, 200, 1},
		"an event stream":  {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n", "data: [DONE]\n\n", 200, 8},
		"an empty refusal": {"HTTP/1.1 403 Forbidden\r\n", "", 403, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := make(chan struct{})
			o := gated(t, open, c.head, c.body)
			s, r := stands(t, "http://"+o.Addr, nil)
			const clients = 8
			var replies []<-chan *reply
			for range clients {
				replies = append(replies, s.eventually(t.Context(), say("equal", false)))
			}
			until(t, "all of them to wait", func() bool { return aboard(s) == clients })
			close(open)
			for i, c2 := range replies {
				got := <-c2
				if got.err != nil || got.status != c.status || c.status != 502 && got.body != c.body {
					t.Errorf("client %d got %d %.100q %v, want %d", i, got.status, got.body, got.err, c.status)
				}
			}
			if n := o.Requests.Load(); n != c.sends {
				t.Errorf("the origin was asked %d times, want %d", n, c.sends)
			}
			rows, err := r.journal.List(exchange.Page{})
			attempts := int64(0)
			for i := range rows {
				attempts += int64(rows[i].Attempts)
			}
			if err != nil || attempts != c.sends {
				t.Errorf("the journal has %d attempts in %+v %v", attempts, rows, err)
			}
		})
	}
}

// aboard counts the exchanges that wait for an answer: a leader and riders.
func aboard(s *stand) int {
	var v struct{ Exchanges []struct{ Phase string } }
	s.operator("GET", "/v1/exchanges", "", &v)
	n := 0
	for _, e := range v.Exchanges {
		if e.Phase == "waiting" {
			n++
		}
	}
	return n
}

func TestTwoClientsOfTheSameStreamAreTwoSends(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, r := stands(t, url, nil)
	body := say("both", true)
	first := s.eventually(t.Context(), body, "X-Fakellm", "ttft=150ms")
	until(t, "the first to be sent", func() bool { return fake.Stats().Requests == 1 })
	second := s.send(t.Context(), body)
	one := <-first
	check(t, "the second's stream", second.body, one.body)
	if n := fake.Stats().Requests; n != 2 || !one.is("X-Cache", "BYPASS") || !second.is("X-Cache", "BYPASS") || !second.is("X-Cache-Source", "origin") {
		t.Errorf("%d sends, %v, %v", n, one.header, second.header)
	}
	rows, err := r.journal.List(exchange.Page{})
	if err != nil || len(rows) != 2 || rows[0].DuplicateOf != rows[1].ID || rows[0].Generation != 2 || rows[1].DuplicateOf != 0 {
		t.Errorf("%+v %v", rows, err)
	}
	for _, id := range []string{"1", "2"} {
		check(t, "events of row "+id, s.comes(id, "accepted").names(), "ATTEMPT SENT HEADERS COMPLETE")
	}
	// A stream that its client has seen to its end is never replayed.
	if third := s.send(t.Context(), body); !third.is("X-Cache-Source", "origin") || fake.Stats().Requests != 3 {
		t.Errorf("%v after %d sends", third.header, fake.Stats().Requests)
	}
}

func TestNothingIsReplayedToAnotherCredential(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, nil)
	for i, field := range [][]string{
		{"Authorization", "Bearer one"}, {"Authorization", "Bearer two"}, {"x-api-key", "one"}, {"Cookie", "a=1"}, nil,
	} {
		if got := s.send(t.Context(), say("whose", false), field...); !got.is("X-Cache", "MISS") || fake.Stats().Requests != int64(i+1) {
			t.Errorf("%v: %v after %d sends", field, got.header, fake.Stats().Requests)
		}
	}
	if got := s.send(t.Context(), say("whose", false), "Authorization", "Bearer two"); !got.is("X-Cache", "HIT") || fake.Stats().Requests != 5 {
		t.Errorf("the second credential does not get its own answer: %v", got.header)
	}
}

// Two gateways may serve the same path: the upstream is part of the scope, and
// so is the path.
func TestNothingIsReplayedForAnotherPath(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	s, _ := stands(t, url, nil)
	for _, path := range []string{completions, "/other" + completions, completions + "?tier=flex"} {
		if got := s.do(t.Context(), "POST", s.proxy+path, say("where", false)); !got.is("X-Cache", "MISS") {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
	if n := fake.Stats().Requests; n != 3 {
		t.Errorf("%d sends", n)
	}
}

// A reader that looks all the time sees a result whole, or not at all.
func TestAReaderSeesAResultWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	_, url := origin(t)
	s, _ := stands(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var before, whole int
	var bodies []string
	wg.Go(func() {
		for ctx.Err() == nil || whole == 0 {
			r := s.do(t.Context(), http.MethodGet, s.admin+"/v1/journal/1", "", "Authorization", "Bearer "+s.token)
			var v rowView
			if r.err != nil {
				return
			}
			if r.status != http.StatusOK {
				continue // not begun
			}
			if err := json.Unmarshal([]byte(r.body), &v); err != nil {
				t.Error(err)
				return
			}
			switch {
			case v.Result == nil && v.Accepted, v.Result != nil && !v.Accepted:
				t.Errorf("the row says accepted=%v, and its result is %v", v.Accepted, v.Result)
			case v.Result == nil:
				before++
			default:
				whole++
				bodies = append(bodies, *v.Result.Body)
			}
		}
	})
	got := s.send(t.Context(), say("large", false), "X-Fakellm", "size=400KiB,pace=5ms,tokens=20")
	cancel()
	wg.Wait()
	if got.status != 200 || len(got.body) < 400<<10 {
		t.Fatalf("%d, %d bytes", got.status, len(got.body))
	}
	for _, b := range bodies {
		if b != got.body {
			t.Errorf("a result of %d bytes was seen, the answer has %d", len(b), len(got.body))
		}
	}
	if before == 0 || whole == 0 {
		t.Errorf("looked %d times before and %d times after: that shows nothing", before, whole)
	}
}
