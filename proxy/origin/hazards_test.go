package origin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
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

// Pins that the pool and its line are ours: one who left the line is not sent.
func TestAWaiterThatLeavesIsNeverSent(t *testing.T) {
	release := make(chan struct{})
	o := startRaw(t, func(c *rawConn) {
		for {
			if _, _, ok := c.next(); !ok {
				return
			}
			<-release
			c.say(ok2)
		}
	})
	p := startPool(t, Config{Targets: []string{o.url}, MaxConnections: 1})
	first := make(chan answer, 1)
	go func() { first <- fetch(p, request("GET", "/", "")) }()
	eventually(t, "the first is sent", func() bool { return o.requests.Load() == 1 })

	gone := errors.New("the client left")
	ctx, leave := context.WithCancelCause(context.Background())
	left := make(chan error, 1)
	go func() {
		c, err := p.Get(ctx, time.Minute)
		if err == nil {
			c.Close()
		}
		left <- err
	}()
	eventually(t, "the second stands in line", func() bool { return lineOf(p) == 1 })
	leave(gone)
	if err := <-left; err != gone {
		t.Errorf("got %v", err)
	}
	if lineOf(p) != 0 {
		t.Error("it still stands in line")
	}
	close(release)
	if a := <-first; a.err != nil {
		t.Error(a.err)
	}
	if open, idle := p.Stats(); open != 1 || idle != 1 || o.requests.Load() != 1 {
		t.Errorf("open %d, idle %d, %d requests", open, idle, o.requests.Load())
	}
}

func lineOf(p *Pool) int {
	t := p.targets[0]
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.line)
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

// Pins the buffers that grow to 64 and to 256 KiB, and their bound.
func TestLargeHeadsPassUpToTheirBound(t *testing.T) {
	for _, size := range []int{100, 3900, 4096, 5 << 10, 60 << 10, 70 << 10, 250 << 10, 300 << 10} {
		value := strings.Repeat("v", 1000)
		var head strings.Builder
		head.WriteString("HTTP/1.1 200 OK\r\n")
		lines := 0
		for ; head.Len() < size; lines++ {
			head.WriteString("X-Pad: " + value[:min(1000, size-head.Len())] + "\r\n")
		}
		head.WriteString("Content-Length: 2\r\n\r\nok")
		o := startRaw(t, answerAll(head.String()))
		p := poolOf(t, o)
		for range 2 {
			a := fetch(p, request("GET", "/", ""))
			if size > maxHead {
				if e := failure(t, a.err); !errors.Is(e, ErrBadHead) || !strings.Contains(e.Error(), "256 KiB") {
					t.Errorf("%d bytes: %v", size, a.err)
				}
				continue
			}
			if a.err != nil || a.body != "ok" || len(a.head.Header) != lines {
				t.Errorf("%d bytes: %d fields, body %q, %v", size, len(a.head.Header), a.body, a.err)
			}
		}
		if want := int64(1); size <= maxHead && o.accepted.Load() != want {
			t.Errorf("%d bytes: %d connections, want %d", size, o.accepted.Load(), want)
		}
	}
}

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

// Pins what happens with 1xx, and with a 101 that nobody asked for.
func TestInterimResponsesAreDroppedAndAnUpgradeIsRefused(t *testing.T) {
	interim := "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	for head, want := range map[string]string{
		"HTTP/1.1 100 Continue\r\n\r\n" + interim + ok2:                                               "ok",
		strings.Repeat(interim, maxInterim) + ok2:                                                     "ok",
		strings.Repeat(interim, maxInterim+1) + ok2:                                                   "interim responses without end",
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" + ok2: "switched protocols",
	} {
		o := startRaw(t, answerAll(head))
		p := poolOf(t, o)
		a := fetch(p, request("GET", "/", ""))
		if want == "ok" {
			if a.err != nil || a.body != "ok" || a.head.Header.Has("Link") {
				t.Errorf("got %+v", a)
			}
			continue
		}
		if !errors.Is(a.err, ErrBadHead) || !strings.Contains(a.err.Error(), want) {
			t.Errorf("got %v, want %q", a.err, want)
		}
		if open, _ := p.Stats(); open != 0 {
			t.Error("the connection was kept")
		}
	}
}

// Pins that the field lines are read by us: fasthttp replaces Date, sorts known
// fields to the front and joins others.
func TestTheHeadOfAnAnswerIsUntouched(t *testing.T) {
	o := startRaw(t, answerAll("HTTP/1.1 299 Quite  Fine\r\n"+
		"date: Tue, 15 Nov 1994 08:12:31 GMT\r\nX-b: 1\r\nset-cookie: a=1\r\nx-B: 2\r\nSet-Cookie: b=2\r\n"+
		"SERVER: \r\ncontent-TYPE: text/odd\r\nX-Spaced : \t v v \t\r\nX-Latin: \xe9\r\nContent-Length: 2\r\n\r\nok"))
	a := mustFetch(t, poolOf(t, o), request("GET", "/", ""))
	want := "date: Tue, 15 Nov 1994 08:12:31 GMT\nX-b: 1\nset-cookie: a=1\nx-B: 2\nSet-Cookie: b=2\n" +
		"SERVER: \ncontent-TYPE: text/odd\nX-Spaced: v v\nX-Latin: \xe9\n"
	if got := names(a.head.Header); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if a.head.Status != 299 || a.head.Reason != "Quite  Fine" || a.head.Length != 2 {
		t.Errorf("got %d %q, length %d", a.head.Status, a.head.Reason, a.head.Length)
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
