package proxy_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/fakellm"
	"tailrace/proxy/proxytest"
)

const chat = "/v1/chat/completions"

const streamBody = `{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"tell me about rivers"}]}`

// client never re-uses connections, so that what a test sees is its own.
func client(t testing.TB) *http.Client {
	tr := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func post(t testing.TB, url, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func fake(t testing.TB) string {
	t.Helper()
	o, addr, err := fakellm.Start(fakellm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return addr
}

func TestStreamsPassByteForByte(t *testing.T) {
	addr := fake(t)
	rig := proxytest.Start(t, addr, nil)
	for _, c := range []struct{ path, body, header string }{
		{chat, streamBody, "X-None"},
		{"/v1/messages", `{"model":"claude-x","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"tell me about rivers"}]}`, "anthropic-version"},
		{"/api/chat", `{"model":"llama3","messages":[{"role":"user","content":"rivers"}]}`, "X-None"},
	} {
		direct, _ := io.ReadAll(post(t, "http://"+addr+c.path, c.body, c.header, "2023-06-01").Body)
		res := post(t, rig.URL+c.path, c.body, c.header, "2023-06-01")
		through, err := io.ReadAll(res.Body)
		if err != nil || !bytes.Equal(direct, through) || len(direct) < 500 {
			t.Errorf("%s: %d bytes direct, %d through, %v", c.path, len(direct), len(through), err)
		}
		if got := res.Header.Get("X-Cache"); got != "BYPASS" {
			t.Errorf("%s: X-Cache %s", c.path, got)
		}
		if got := res.Header.Get("Cache-Status"); !strings.Contains(got, "declared-stream-") {
			t.Errorf("%s: Cache-Status %s", c.path, got)
		}
	}
}

// The origin goes on only when the client has what was sent before: whatever is
// buffered on the way stops the test.
func TestHeadAndEachEventArriveBeforeTheNextIsSent(t *testing.T) {
	step := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for range 3 {
			if !<-step {
				return
			}
			c.Say("a\r\ndata: one\n\r\n")
		}
		<-step
		c.Say("0\r\n\r\n")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	res := post(t, rig.URL+chat, streamBody)
	buf := make([]byte, 10)
	for range 3 {
		step <- true
		if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != "data: one\n" {
			t.Fatalf("%q %v", buf, err)
		}
	}
	close(step)
	if rest, err := io.ReadAll(res.Body); len(rest) > 0 || err != nil {
		t.Fatalf("%q %v", rest, err)
	}
	if f := rig.Ledger.Finished(t, 1); f.Outcome != exchange.OutcomeIncomplete {
		t.Fatalf("a clean end without marker finished as %s", f.Outcome)
	}
}

func TestKillBeforeTheHeadIs499AndCutsTheOrigin(t *testing.T) {
	gone := make(chan time.Time, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Gone()
		gone <- time.Now()
	})
	rig := proxytest.Start(t, o.Addr, nil)
	go func() {
		sent := proxytest.Of[exchange.Sent](t, rig.Ledger)
		killed := time.Now()
		if ph, err := rig.Kill(sent.ID); err != nil || ph != exchange.PhaseWaiting {
			t.Errorf("kill: %s %v", ph, err)
		}
		select {
		case at := <-gone:
			if d := at.Sub(killed); d > 200*time.Millisecond {
				t.Errorf("the origin saw the close after %v", d)
			}
		case <-time.After(5 * time.Second):
			t.Error("the origin's connection was not closed")
		}
	}()
	res := post(t, rig.URL+chat, streamBody)
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 499 || res.Header.Get("x-should-retry") != "false" || res.Header.Get("X-Tailrace-Sent") != "yes" || res.Header.Get("X-Cache") != "BYPASS" {
		t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
	}
	if !strings.Contains(string(body), `"error"`) {
		t.Fatalf("no error object: %s", body)
	}
	f := rig.Ledger.Finished(t, 1)
	if f.Outcome != exchange.OutcomeKilled {
		t.Fatalf("%+v", f)
	}
	var refusal *exchange.Refusal
	if _, err := rig.Kill(f.ID); !errors.As(err, &refusal) || refusal.Kind != exchange.NotNow || !strings.Contains(refusal.Why, "already finished") {
		t.Fatalf("killed twice: %v", err)
	}
}

func TestKillMidStreamIsAnErrorEventThenABrokenTransfer(t *testing.T) {
	addr := fake(t)
	rig := proxytest.Start(t, addr, nil)
	res := post(t, rig.URL+chat, streamBody, "X-Fakellm", "stall=5")
	lines := bufio.NewReader(res.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	f := proxytest.Of[exchange.Headed](t, rig.Ledger)
	if _, err := rig.Kill(f.ID); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err == nil {
		t.Fatalf("the transfer ended cleanly: %s", rest)
	}
	if !strings.Contains(string(rest), `"error"`) || !strings.Contains(string(rest), "killed by the operator") || strings.Contains(string(rest), "[DONE]") {
		t.Fatalf("no error event: %s", rest)
	}
	if f := rig.Ledger.Finished(t, 1); f.Outcome != exchange.OutcomeKilled {
		t.Fatalf("%+v", f)
	}
}

func TestOriginThatBreaksOffIsNeverACleanEnd(t *testing.T) {
	rig := proxytest.Start(t, fake(t), nil)
	res := post(t, rig.URL+chat, streamBody, "X-Fakellm", "cut=5")
	body, err := io.ReadAll(res.Body)
	if err == nil || !strings.Contains(string(body), `"error"`) {
		t.Fatalf("%v %s", err, body)
	}
	if f := rig.Ledger.Finished(t, 1); f.Outcome != exchange.OutcomeIncomplete {
		t.Fatalf("%+v", f)
	}
}

func TestClientThatLeavesASilentOriginCutsIt(t *testing.T) {
	gone := make(chan bool, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Gone()
		gone <- true
	})
	rig := proxytest.Start(t, o.Addr, nil)
	for _, phase := range []string{"before the head"} {
		c := dial(t, rig.Addr)
		raw := "POST " + chat + " HTTP/1.1\r\nHost: " + rig.Addr + "\r\nContent-Type: application/json\r\nContent-Length: " + length(streamBody) + "\r\n\r\n" + streamBody
		_, _ = io.WriteString(c, raw)
		proxytest.Of[exchange.Sent](t, rig.Ledger)
		at := time.Now()
		c.Close()
		select {
		case <-gone:
			if d := time.Since(at); d > time.Second {
				t.Errorf("%s: seen after %v", phase, d)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: the origin still waits", phase)
		}
	}
	if f := rig.Ledger.Finished(t, 1); f.Outcome != exchange.OutcomeClientGone {
		t.Fatalf("%+v", f)
	}
}

func TestUndeclaredStreamIsAMissThatFlows(t *testing.T) {
	rig := proxytest.Start(t, fake(t), nil)
	res, err := client(t).Get(rig.URL + "/_fakellm/events?n=3&every=5ms")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || strings.Count(string(body), "data:") != 3 || res.Header.Get("X-Cache") != "MISS" {
		t.Fatalf("%v %s %s", err, res.Header.Get("X-Cache"), body)
	}
	proxytest.Of[exchange.Undeclared](t, rig.Ledger)
}

func TestStrictIntentTakesOnlyTheAcceptHeader(t *testing.T) {
	rig := proxytest.Start(t, fake(t), func(c *proxy.Config) { c.Routes[0].Stream.Intent = proxy.IntentStrict })
	res := post(t, rig.URL+chat, streamBody)
	_, _ = io.ReadAll(res.Body)
	if got := res.Header.Get("X-Cache"); got != "MISS" {
		t.Errorf("without the header: %s", got)
	}
	res = post(t, rig.URL+chat, streamBody, "Accept", "application/json, Text/Event-Stream;q=0.9")
	_, _ = io.ReadAll(res.Body)
	if got := res.Header.Get("X-Cache"); got != "BYPASS" {
		t.Errorf("with the header: %s", got)
	}
}

// A client that closes its connection once it has the whole answer has not left.
func TestClientThatClosesAfterTheWholeAnswerIsNotGone(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		timer := time.NewTimer(40 * time.Millisecond) // long enough for the connection to be watched
		defer timer.Stop()
		<-timer.C
		if strings.Contains(req, "/chunked") {
			c.Say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\n\r\n")
			return
		}
		c.Say("HTTP/1.1 429 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	for i, path := range []string{"/chunked", "/length", "/chunked", "/length", "/chunked", "/length"} {
		c := dial(t, rig.Addr)
		_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: "+rig.Addr+"\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		_ = c.Close()
		if f := rig.Ledger.Finished(t, i+1); f.Outcome != exchange.OutcomeCompleted {
			t.Errorf("%s: %s", path, f.Outcome)
		}
	}
}
