package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tailrace/proxy/proxytest"
)

const okStream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

func contentEvent(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

// A key held down on "run as new" is one send while that runs.
func TestRunAsNewHeldDownSendsOnce(t *testing.T) {
	open := make(chan bool)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say(okStream + contentEvent("a"))
		if c.N > 1 {
			select {
			case <-open:
			case <-t.Context().Done():
			}
		}
		c.Say("data: [DONE]\n\n")
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	if r := s.send(t.Context(), say("again", true)); r.err != nil {
		t.Fatal(r.err)
	}
	statuses := make(chan int, 10)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { statuses <- s.operator("POST", "/v1/journal/1/retry", `{"new":true}`, nil).status })
	}
	wg.Wait()
	begun := 0
	for range 10 {
		if <-statuses == http.StatusAccepted {
			begun++
		}
	}
	close(open)
	check(t, "the new row", s.comes("2", "accepted").names(), "CONFIRMED ATTEMPT SENT HEADERS COMPLETE")
	check(t, "the old row", s.row("1").Last, "COMPLETE")
	if n := origin.Requests.Load(); begun != 1 || n != 2 {
		t.Errorf("%d of 10 began, %d sends, want 1 and 2", begun, n)
	}
}

// A provider that repeats the key it was given does not bring it to disk,
// whatever the key looks like.
func TestACredentialThatTheProviderRepeatsIsNotKept(t *testing.T) {
	const key = "mygateway.CANARY.secretvalue"
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		body := `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`
		status := "401 Unauthorized"
		if c.N == 2 {
			status = "200 OK" // a wrong envelope
		}
		c.Say("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nX-Echo: " + key + "\r\nConnection: close\r\n\r\n" + body)
	})
	s, r := stands(t, "http://"+origin.Addr, nil)
	for _, prompt := range []string{"one", "two"} {
		s.send(t.Context(), `{"model":"m","api_key":"CANARY-member","messages":[{"role":"user","content":"`+prompt+`"}]}`, "Authorization", "Bearer "+key)
	}
	for _, id := range []string{"1", "2"} {
		if row := s.operator("GET", "/v1/journal/"+id, "", nil); strings.Contains(row.body, "CANARY") {
			t.Errorf("row %s tells it: %s", id, row.body)
		}
	}
	files, err := filepath.Glob(filepath.Join(r.state.dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), "CANARY") {
			t.Errorf("it is in %s", filepath.Base(f))
		}
	}
}

// What was redacted on disk is in memory: a retry by the same process sends the
// very bytes.
func TestARetryWithinTheProcessSendsTheBytesThatWereRedacted(t *testing.T) {
	got := make(chan string, 4)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		got <- req[strings.Index(req, "\r\n\r\n")+4:]
		if c.N == 1 {
			c.Reset()
			return
		}
		c.Say(okJSON + "Content-Length: 14\r\nConnection: close\r\n\r\n" + `{"choices":[]}`)
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	body := say("my key is sk-abcdefghijklmnop1234", false)
	s.send(t.Context(), body)
	if r := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); r.status != http.StatusAccepted {
		t.Fatalf("%d %s", r.status, r.body)
	}
	s.comes("1", "accepted")
	if first, second := <-got, <-got; first != body || second != body {
		t.Errorf("sent %q, then %q", first, second)
	}
	if row := s.operator("GET", "/v1/journal/1", "", nil); strings.Contains(row.body, "sk-abc") {
		t.Errorf("the journal has it: %s", row.body)
	}
}

// Killed while a refusal's body is under way: that is what the journal says, and
// the same request is refused for a while.
func TestAKillInTheMiddleOfARefusalIsWrittenDown(t *testing.T) {
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 500 No\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"half")
		c.Gone()
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	waiting := s.eventually(t.Context(), say("x", false))
	s.kill("1", "streaming")
	if r := <-waiting; r.status != 499 {
		t.Errorf("the client got %d %v", r.status, r.err)
	}
	check(t, "events", s.comes("1", "killed").names(), "ATTEMPT SENT HTTP_ERROR KILLED")
	if r := s.send(t.Context(), say("x", false)); r.status != 499 || origin.Requests.Load() != 1 {
		t.Errorf("it was sent again: %d, %d sends", r.status, origin.Requests.Load())
	}
}

// A client joins a retried stream live and leaves: its result is owed to the
// next one.
func TestALiveJoinThatLeavesIsOwedToTheNext(t *testing.T) {
	open := make(chan bool)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say(okStream + contentEvent("a"))
		if c.N == 1 {
			c.Reset()
			return
		}
		select {
		case <-open:
		case <-t.Context().Done():
		}
		c.Say("data: [DONE]\n\n")
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	body := say("join and leave", true)
	s.send(t.Context(), body)
	s.comes("1", "partial")
	if r := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); r.status != http.StatusAccepted {
		t.Fatalf("%d %s", r.status, r.body)
	}
	s.comes("1", "streaming")
	ctx, leave := context.WithCancel(t.Context())
	joined := s.eventually(ctx, body)
	until(t, "the client to be aboard", func() bool { return s.exchange("3").Phase == "streaming" })
	leave()
	<-joined
	until(t, "it to be gone", func() bool { return s.exchange("3").Outcome == "client-gone" })
	close(open)
	s.comes("1", "accepted")
	r := s.send(t.Context(), body)
	if !r.is("X-Cache-Source", "journal") || r.body != contentEvent("a")+"data: [DONE]\n\n" || origin.Requests.Load() != 2 {
		t.Errorf("%v %q, %d sends", r.header, r.body, origin.Requests.Load())
	}
}

// Any request with the same credential arms the retries of a process that has
// been started anew.
func TestAnyRequestWithTheCredentialArmsARetry(t *testing.T) {
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		if c.N == 1 {
			c.Request()
			c.Reset()
			return
		}
		c.Request()
		c.Say(okJSON + "Content-Length: 14\r\nConnection: close\r\n\r\n" + `{"choices":[]}`)
	})
	dir := t.TempDir()
	first := begin(t, "http://"+origin.Addr, dir, func(*Main) {})
	token, err := first.state.token()
	if err != nil {
		t.Fatal(err)
	}
	newStand(t, first.ProxyURL, first.AdminURL, token).send(t.Context(), say("arm", false), "Authorization", "Bearer abcdefgh12345678")
	first.end()
	second := begin(t, "http://"+origin.Addr, dir, func(*Main) {})
	t.Cleanup(second.end)
	s := newStand(t, second.ProxyURL, second.AdminURL, token)
	if r := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); r.status != http.StatusConflict {
		t.Fatalf("a retry without its credential: %d %s", r.status, r.body)
	}
	s.do(t.Context(), "GET", s.proxy+"/v1/models", "", "Authorization", "Bearer abcdefgh12345678")
	if r := s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil); r.status != http.StatusAccepted {
		t.Fatalf("armed: %d %s", r.status, r.body)
	}
	s.comes("1", "accepted")
}
