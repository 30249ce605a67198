package origin

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Pins the look at pooled connections, and the check for bytes in our own
// buffers when a connection is given back: without either, the answer with the
// marker of nobody is handed to the next request.
func TestBytesOnAnIdleConnectionNeverAnswerARequest(t *testing.T) {
	const poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
	large := "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + strings.Repeat("p", 40000)
	ca := newCA(t)
	for name, extra := range map[string]string{"small": poison, "larger than every buffer": large} {
		for _, together := range []bool{true, false} {
			for _, scheme := range []string{"http", "https"} {
				t.Run(fmt.Sprintf("%s together=%v %s", name, together, scheme), func(t *testing.T) {
					written := make(chan struct{}, 1)
					wrap := func(c net.Conn) net.Conn { return c }
					if scheme == "https" {
						wrap = ca.server
					}
					o := startOn(t, scheme, wrap, func(c *rawConn) {
						for {
							r, _, ok := c.next()
							if !ok {
								return
							}
							s := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(r.URL.Path), r.URL.Path)
							if together {
								c.say(s + extra)
							} else {
								c.say(s)
								c.say(extra)
							}
							written <- struct{}{}
						}
					})
					p := startPool(t, Config{Targets: []string{o.url}, CAFile: ca.file})
					for i := range 100 {
						marker := fmt.Sprintf("/%d", i)
						if a := mustFetch(t, p, request("GET", marker, "")); a.body != marker {
							t.Fatalf("request %s got %.20q", marker, a.body)
						}
						<-written
					}
				})
			}
		}
	}
}

// Pins the second look, in Send: between Get and Send lies a commit to disk.
func TestAConnectionThatGoesBadAfterGetIsReplacedBeforeTheFirstByte(t *testing.T) {
	for _, how := range []string{"closed", "written on"} {
		t.Run(how, func(t *testing.T) {
			spoil, spoilt := make(chan struct{}), make(chan struct{})
			o := startRaw(t, func(c *rawConn) {
				for first := true; ; first = false {
					r, _, ok := c.next()
					if !ok {
						return
					}
					c.say(ok2)
					if r.URL.Path == "/first" && first {
						<-spoil
						if how == "closed" {
							c.Close()
						} else {
							c.say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
						}
						close(spoilt)
					}
				}
			})
			p := poolOf(t, o)
			mustFetch(t, p, request("GET", "/first", ""))
			c, err := p.Get(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if !c.Reused() {
				t.Fatal("the pooled connection was not used")
			}
			close(spoil)
			<-spoilt
			_, body, err := c.Send(request("POST", "/second", "x"), patient)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(body); string(b) != "ok" || err != nil {
				t.Errorf("got %q, %v", b, err)
			}
			if c.Reused() || o.requests.Load() != 2 || o.accepted.Load() != 2 {
				t.Errorf("reused %v, %d requests, %d connections", c.Reused(), o.requests.Load(), o.accepted.Load())
			}
			if open, _ := p.Stats(); open != 1 {
				t.Errorf("%d connections are open: the new one takes the old one's place", open)
			}
		})
	}
}

// Pins that the failed dial of the second look says that nothing was written.
func TestAReplacementThatCannotBeDialledWroteNothing(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		c.next()
		c.say(ok2)
	})
	down := false
	p := startPool(t, Config{Targets: []string{o.url}, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if down {
			return nil, errRefused
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}})
	mustFetch(t, p, request("GET", "/", ""))
	tg := p.targets[0]
	eventually(t, "the origin has closed", func() bool { return !tg.idle[0].look.clean() })
	l, err := tg.take(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	down = true
	c := newConn(context.Background(), tg, l, true)
	_, _, err = c.Send(request("POST", "/", "x"), patient)
	if e := failure(t, err); e.Phase != PhaseConnect || e.Wrote || c.Wrote() {
		t.Errorf("got %+v", *e)
	}
	c.Close()
	if open, idle := p.Stats(); open != 0 || idle != 0 {
		t.Errorf("open %d, idle %d", open, idle)
	}
}

// Pins the look for connections that the origin closes while they are idle.
func TestEveryPOSTSucceedsOnAnOriginThatClosesIdleConnections(t *testing.T) {
	closed := make(chan struct{}, 1)
	o := startRaw(t, func(c *rawConn) {
		if _, _, ok := c.next(); ok {
			c.say(ok2) // no Connection: close
			c.Close()
			closed <- struct{}{}
		}
	})
	p := poolOf(t, o)
	for i := range 50 {
		if a := fetch(p, request("POST", "/", "x")); a.err != nil {
			t.Fatalf("POST %d: %v", i, a.err)
		}
		<-closed
	}
	if n := o.requests.Load(); n != 50 {
		t.Errorf("the origin saw %d requests of 50", n)
	}
}

// Pins the 1-byte background read, the look where nothing can be peeked at.
func TestAWatchedConnectionIsThrownAwayWhenItIsWrittenOn(t *testing.T) {
	for _, how := range []string{"poison while idle", "closed while idle", "poison after Get"} {
		synctest.Test(t, func(t *testing.T) {
			p := piped(t, Config{}, func(c *rawConn) {
				for {
					r, _, ok := c.next()
					if !ok {
						return
					}
					c.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(r.URL.Path), r.URL.Path))
					time.Sleep(time.Second)
					if strings.HasPrefix(how, "closed") {
						return
					}
					c.say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
				}
			})
			for i := range 100 {
				marker := fmt.Sprintf("/%d", i)
				c, err := p.Get(context.Background(), 0)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(how, "Get") {
					time.Sleep(2 * time.Second)
				}
				_, body, err := c.Send(request("GET", marker, ""), Limits{})
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if b, err := io.ReadAll(body); string(b) != marker || err != nil {
					t.Fatalf("%s: request %s got %q, %v", how, marker, b, err)
				}
				c.Close()
				if !strings.HasSuffix(how, "Get") {
					time.Sleep(2 * time.Second)
				}
			}
		})
	}
}

func TestAConnectionIsUsedAgainUntilItHasBeenIdleForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{MaxIdle: 90 * time.Second}, answerAll(ok2))
		for i, pause := range []time.Duration{0, 89 * time.Second, 89 * time.Second, 90 * time.Second} {
			time.Sleep(pause)
			synctest.Wait()
			open, idle := p.Stats()
			a := mustFetch(t, p, request("GET", "/", ""))
			kept := i > 0 && pause < 90*time.Second
			if a.reused != kept || (open == 1) != kept || idle != open {
				t.Errorf("%d, after %v: reused %v, open %d, idle %d", i, pause, a.reused, open, idle)
			}
		}
	})
}
