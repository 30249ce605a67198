package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

func TestOneClientConnectionTooManyIsRefusedInWords(t *testing.T) {
	rig := proxytest.Start(t, fake(t), func(c *proxy.Config) { c.MaxConnections = 1 })
	first := dial(t, rig.Addr)
	get := "GET /v1/models HTTP/1.1\r\nHost: " + rig.Addr + "\r\n\r\n"
	answer := func(raw io.ReadWriter) *http.Response {
		_, _ = io.WriteString(raw, get)
		res, err := http.ReadResponse(bufio.NewReader(raw), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res
	}
	if res := answer(first); res.StatusCode != 200 {
		t.Fatalf("the first: %d", res.StatusCode)
	}
	res := answer(dial(t, rig.Addr))
	if res.StatusCode != 503 || res.Header.Get("Retry-After") != "1" || res.Header.Get("X-Tailrace-Sent") != "no" {
		t.Fatalf("the second: %d %v", res.StatusCode, res.Header)
	}
}

func TestBodyOverTheLimitIs413(t *testing.T) {
	rig := proxytest.Start(t, fake(t), func(c *proxy.Config) { c.MaxRequestBytes = 1 << 20 })
	c := dial(t, rig.Addr)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", chat, rig.Addr, 2<<20)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 413 || !strings.Contains(string(body), "max_request_bytes") || res.Header.Get("X-Cache") != "BYPASS" {
		t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
	}
}

// A client that does not read cannot keep a killed exchange alive: the origin is
// cut at once, the exchange ends a second later.
func TestKillEndsAStreamWhoseClientDoesNotRead(t *testing.T) {
	gone := make(chan bool, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
		piece := strings.Repeat("data: water\n\n", 1000)
		for {
			if _, err := io.WriteString(c, piece); err != nil {
				gone <- true
				return
			}
		}
	})
	rig := proxytest.Start(t, o.Addr, nil)
	c := dial(t, rig.Addr)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", chat, rig.Addr, len(streamBody), streamBody)
	var last int64
	f := rig.Ledger.Wait(t, func(f exchange.Fact) bool { // until backpressure has stopped it
		p, ok := f.(exchange.Progress)
		if ok {
			last = p.Bytes
		}
		return ok && last > 1<<20
	})
	killed := time.Now()
	if _, err := rig.Kill(f.Of().ID); err != nil {
		t.Fatal(err)
	}
	<-gone
	if d := time.Since(killed); d > time.Second {
		t.Errorf("the origin was cut after %v", d)
	}
	if f := rig.Ledger.Finished(t, 1); f.Outcome != exchange.OutcomeKilled {
		t.Errorf("%+v", f)
	}
}

func TestPipelinedRequestsAreAnsweredInOrderAndEachFinishes(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		for {
			req, ok := c.Request()
			if !ok {
				return
			}
			timer := time.NewTimer(30 * time.Millisecond) // the watch reads what is pipelined behind
			<-timer.C
			path := strings.Fields(req)[1]
			c.Say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(path), path))
		}
	})
	rig := proxytest.Start(t, o.Addr, nil)
	c := dial(t, rig.Addr)
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: " + rig.Addr + "\r\n\r\n" }
	_, _ = io.WriteString(c, get("/1")+get("/2"))
	r := bufio.NewReader(c)
	for _, want := range []string{"/1", "/2", "/3", "/4"} {
		if want == "/3" { // these come while nothing, and while something is under way
			_, _ = io.WriteString(c, get("/3"))
			rig.Ledger.Wait(t, func(f exchange.Fact) bool { r, ok := f.(exchange.Received); return ok && r.Target == "/3" })
			_, _ = io.WriteString(c, get("/4"))
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(body) != want {
			t.Fatalf("got %q, want %q", body, want)
		}
	}
	c.Close()
	for n := range 4 {
		if f := rig.Ledger.Finished(t, n+1); f.Outcome != exchange.OutcomeCompleted {
			t.Errorf("%+v", f)
		}
	}
}
