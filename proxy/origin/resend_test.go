package origin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

// Pins that Send writes exactly once: nothing loops over attempts.
func TestAnOriginThatClosesWithoutAnAnswerSeesOneRequest(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "QUERY", "OPTIONS"} {
		for _, pooled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s pooled=%v", method, pooled), func(t *testing.T) {
				o := startRaw(t, func(c *rawConn) {
					for {
						r, _, ok := c.next()
						if !ok || r.URL.Path == "/close" {
							return
						}
						c.say(ok2)
					}
				})
				p := poolOf(t, o)
				before := int64(0)
				if pooled {
					mustFetch(t, p, request("GET", "/", ""))
					before = 1
				}
				req := request(method, "/close", "")
				req.Header = exchange.Header{{Name: "Idempotency-Key", Value: "k"}}
				a := fetch(p, req)
				e := failure(t, a.err)
				if !errors.Is(e, ErrTruncated) || e.Phase != PhaseHead || !e.Wrote || e.Got {
					t.Errorf("got %+v", *e)
				}
				if a.reused != pooled {
					t.Errorf("reused = %v", a.reused)
				}
				if n := o.requests.Load() - before; n != 1 {
					t.Errorf("the origin saw %d requests", n)
				}
			})
		}
	}
}

// Pins the same for timeouts and truncated bodies.
func TestATimeoutOrATruncatedBodyIsNotSentAgain(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		if r, _, ok := c.next(); ok && r.URL.Path == "/cut" {
			c.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok")
			return
		}
		c.ended()
	})
	p := poolOf(t, o)
	if a := fetch(p, request("GET", "/cut", "")); !errors.Is(a.err, ErrTruncated) {
		t.Errorf("truncated: %v", a.err)
	}
	c, err := p.Get(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, _, err := c.Send(request("GET", "/hang", ""), Limits{Header: 20 * time.Millisecond}); !errors.Is(err, ErrHeaderTimeout) {
		t.Errorf("timed out: %v", err)
	}
	if _, _, err := c.Send(request("GET", "/again", ""), patient); err == nil {
		t.Error("a connection that failed was written on again")
	}
	if n := o.requests.Load(); n != 2 {
		t.Errorf("the origin saw %d requests, want 2", n)
	}
}

// Pins that a body that was not read to its end ends its connection, undrained.
func TestAnUnreadBodyEndsItsConnection(t *testing.T) {
	for _, closeBody := range []bool{true, false} {
		ended := make(chan struct{})
		o := startRaw(t, func(c *rawConn) {
			if r, _, ok := c.next(); !ok || r.URL.Path != "/stream" {
				c.say(ok2)
				return
			}
			c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
			c.ended()
			close(ended)
		})
		p := poolOf(t, o)
		c, err := p.Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := c.Send(request("GET", "/stream", ""), patient)
		if err != nil {
			t.Fatal(err)
		}
		if b := make([]byte, 3); readFull(body, b) != nil || string(b) != "one" {
			t.Errorf("got %q", b)
		}
		if closeBody {
			body.Close()
			<-ended // before Conn.Close
		}
		c.Close()
		<-ended
		if _, err := body.Read(make([]byte, 1)); err == nil || err == io.EOF {
			t.Errorf("a read after the end: %v", err)
		}
		if open, _ := p.Stats(); open != 0 {
			t.Errorf("%d connections are open", open)
		}
		if a := mustFetch(t, p, request("GET", "/", "")); a.body != "ok" || a.reused {
			t.Errorf("the next one: %+v", a)
		}
	}
}

func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return err
}
