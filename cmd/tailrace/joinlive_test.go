package main

import (
	"strings"
	"testing"

	"tailrace/proxy/proxytest"
)

// An operator has sent a stream again and it still runs: the application's next
// identical request reads it live, from its first byte, and is not sent.
func TestAStreamThatAnOperatorRetriesIsJoinedLiveOnce(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	const first = `data: {"choices":[{"index":0,"delta":{"content":"down"}}]}` + "\n\n"
	const rest = `data: {"choices":[{"index":0,"delta":{"content":"stream"}}]}` + "\n\ndata: [DONE]\n\n"
	open := make(chan bool)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say(head + first)
		if c.N == 1 {
			c.Gone() // until it is killed
			return
		}
		<-open
		c.Say(rest)
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	body := say("join me", true)
	killed := s.eventually(t.Context(), body)
	s.comes("1", "streaming")
	s.kill("1", "streaming")
	if r := <-killed; r.err == nil {
		t.Fatalf("a killed stream ended cleanly: %s", r.body)
	}
	if r := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); r.status != 202 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	s.comes("1", "streaming")
	joined := s.eventually(t.Context(), body)
	until(t, "the client to be aboard", func() bool { return s.exchange("3").Phase == "streaming" })
	open <- true
	r := <-joined
	if r.err != nil || r.body != first+rest || !r.is("X-Cache", "BYPASS") {
		t.Errorf("%v %q %v", r.err, r.body, r.header)
	}
	if n := origin.Requests.Load(); n != 2 {
		t.Errorf("%d sends, want 2", n)
	}
	row := s.comes("1", "accepted")
	if strings.Contains(row.names(), "CACHE_HIT") {
		t.Errorf("what was read live was owed as well: %s", row.names())
	}
	close(open)
	if r := s.send(t.Context(), body); r.body != first+rest || origin.Requests.Load() != 3 {
		t.Errorf("the next one was not sent anew: %q, %d sends", r.body, origin.Requests.Load())
	}
}
