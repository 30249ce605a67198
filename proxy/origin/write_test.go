package origin

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

// Pins the reading while a large body is written.
func TestAnEarlyAnswerToALargeUploadArrives(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		line, err := c.br.ReadString('\n')
		if err != nil {
			return
		}
		c.say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\n" + line[:4])
		c.ended()
	})
	p := poolOf(t, o)
	a := mustFetch(t, p, request("POST", "/", strings.Repeat("b", 32<<20)))
	if a.head.Status != 401 || a.body != "POST" {
		t.Errorf("got %d %q", a.head.Status, a.body)
	}
	if open, _ := p.Stats(); open != 0 {
		t.Error("the connection of an unfinished upload was kept")
	}
}

// Pins that an answer counts more than the failure to write the rest.
func TestAnAnswerIsReadFromAnOriginThatHasStoppedReading(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		if _, err := c.br.ReadString('\n'); err != nil {
			return
		}
		c.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
		c.ended()
	})
	if a := fetch(poolOf(t, o), request("PUT", "/", strings.Repeat("b", 4<<20))); a.err != nil || a.head.Status != 413 {
		t.Errorf("got %d, %v", a.head.Status, a.err)
	}
}

// Pins that a large upload that was read whole leaves its connection clean.
func TestALargeUploadLeavesItsConnectionClean(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		for {
			_, body, ok := c.next()
			if !ok {
				return
			}
			c.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n%08d", len(body)))
		}
	})
	p := poolOf(t, o)
	for range 3 {
		if a := mustFetch(t, p, request("POST", "/", strings.Repeat("b", 4<<20))); a.body != "04194304" {
			t.Errorf("the origin read %q", a.body)
		}
	}
	if n := o.accepted.Load(); n > 2 {
		t.Errorf("%d connections for 3 requests one after the other", n)
	}
}

// Pins the request written by hand: fasthttp would canonicalise names, move
// fields and add its own.
func TestTheRequestIsWrittenAsGiven(t *testing.T) {
	for _, c := range []struct{ method, body, want string }{
		{"GET", "", "GET /a/..%2fb//c?q=%20 HTTP/1.1\r\nHost: origin.test\r\nx-lower: 1\r\nX-Stainless-OS: a\r\nx-lower: 2\r\n\r\n"},
		{"POST", "", "POST /a/..%2fb//c?q=%20 HTTP/1.1\r\nHost: origin.test\r\nx-lower: 1\r\nX-Stainless-OS: a\r\nx-lower: 2\r\nContent-Length: 0\r\n\r\n"},
		{"DELETE", "xyz", "DELETE /a/..%2fb//c?q=%20 HTTP/1.1\r\nHost: origin.test\r\nx-lower: 1\r\nX-Stainless-OS: a\r\nx-lower: 2\r\nContent-Length: 3\r\n\r\nxyz"},
	} {
		got := make(chan string, 1)
		o := startRaw(t, func(rc *rawConn) {
			b := make([]byte, len(c.want))
			_, _ = io.ReadFull(rc.br, b)
			got <- string(b)
			rc.say(ok2)
			rc.ended()
		})
		req := request(c.method, "/a/..%2fb//c?q=%20", c.body)
		req.Header = exchange.Header{
			{Name: "x-lower", Value: "1"},
			{Name: "Connection", Value: "close, X-Listed"},
			{Name: "X-Listed", Value: "hop"},
			{Name: "TE", Value: "trailers"},
			{Name: "Transfer-Encoding", Value: "chunked"},
			{Name: "content-length", Value: "99"},
			{Name: "X-Stainless-OS", Value: "a"},
			{Name: "proxy-authorization", Value: "secret"},
			{Name: "x-lower", Value: "2"},
		}
		mustFetch(t, poolOf(t, o), req)
		if g := <-got; g != c.want {
			t.Errorf("the origin read\n%q, want\n%q", g, c.want)
		}
	}
}

// Pins the refusal of line breaks, whoever let them through.
func TestARequestThatWouldBecomeTwoIsNotWritten(t *testing.T) {
	o := startRaw(t, answerAll(ok2))
	p := poolOf(t, o)
	for _, break_ := range []func(*exchange.Request){
		func(r *exchange.Request) { r.Method = "GET /x HTTP/1.1\r\nA:" },
		func(r *exchange.Request) { r.Target = "/a b" },
		func(r *exchange.Request) { r.Target = "" },
		func(r *exchange.Request) { r.Host = "a\r\nX: y" },
		func(r *exchange.Request) { r.Host = "" },
		func(r *exchange.Request) { r.Header = exchange.Header{{Name: "A", Value: "b\r\nC: d"}} },
		func(r *exchange.Request) { r.Header = exchange.Header{{Name: "A: b\r\nC", Value: "d"}} },
	} {
		req := request("GET", "/", "")
		break_(req)
		if e := failure(t, fetch(p, req).err); e.Phase != PhaseWrite || e.Wrote {
			t.Errorf("got %+v", *e)
		}
	}
	if a := mustFetch(t, p, request("GET", "/", "")); !a.reused || o.requests.Load() != 1 {
		t.Errorf("reused %v, %d requests: what was not written on is clean", a.reused, o.requests.Load())
	}
}
