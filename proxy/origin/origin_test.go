package origin

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rawOrigin is an origin without an HTTP library on its writing side: each
// connection is given to script, which reads requests with next.
type rawOrigin struct {
	url      string
	accepted atomic.Int64
	requests atomic.Int64
}

type rawConn struct {
	net.Conn
	o  *rawOrigin
	br *bufio.Reader
}

// next reads a request with its body. ok is false when the connection ended.
func (c *rawConn) next() (r *http.Request, body string, ok bool) {
	r, err := http.ReadRequest(c.br)
	if err != nil {
		return nil, "", false
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, "", false
	}
	c.o.requests.Add(1)
	return r, string(b), true
}

func (c *rawConn) say(s string) { _, _ = io.WriteString(c, s) }

// ended waits until the other side has closed, and is how an origin notices.
func (c *rawConn) ended() { _, _ = io.Copy(io.Discard, c.br) }

func startRaw(t *testing.T, script func(c *rawConn)) *rawOrigin {
	return startOn(t, "http", func(c net.Conn) net.Conn { return c }, script)
}

func startOn(t *testing.T, scheme string, wrap func(net.Conn) net.Conn, script func(c *rawConn)) *rawOrigin {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &rawOrigin{url: scheme + "://" + ln.Addr().String()}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		open []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			o.accepted.Add(1)
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				w := wrap(c)
				script(&rawConn{Conn: w, o: o, br: bufio.NewReader(w)})
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return o
}

func startPool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func poolOf(t *testing.T, o *rawOrigin) *Pool {
	return startPool(t, Config{Name: "test", Targets: []string{o.url}, ConnectTimeout: 10 * time.Second})
}

func request(method, target, body string) *exchange.Request {
	return &exchange.Request{Method: method, Target: target, Host: "origin.test", Body: []byte(body)}
}

// patient are limits that no test means to reach.
var patient = Limits{Header: 20 * time.Second, Total: time.Minute, Idle: 20 * time.Second}

type answer struct {
	head   exchange.Head
	body   string
	err    error
	reused bool
}

// fetch does what a fetch does: Get, Send, read all, Close.
func fetch(p *Pool, req *exchange.Request) answer {
	c, err := p.Get(context.Background(), 0)
	if err != nil {
		return answer{err: err}
	}
	defer c.Close()
	head, body, err := c.Send(req, patient)
	if err != nil {
		return answer{err: err, reused: c.Reused()}
	}
	b, err := io.ReadAll(body)
	return answer{head, string(b), err, c.Reused()}
}

// failure returns the *Error in err.
func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want an *Error", err, err)
	}
	return e
}

func mustFetch(t *testing.T, p *Pool, req *exchange.Request) answer {
	t.Helper()
	a := fetch(p, req)
	if a.err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.Target, a.err)
	}
	return a
}

const ok2 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// answerAll answers every request with s.
func answerAll(s string) func(*rawConn) {
	return func(c *rawConn) {
		for {
			if _, _, ok := c.next(); !ok {
				return
			}
			c.say(s)
		}
	}
}

// eventually polls a condition that the system meets in its own time.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

func descriptors() int {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // no such thing here: then 0 stays 0
	}
	return len(fds)
}

// baseline returns a check that goroutines and descriptors are back at what
// they were.
func baseline(t *testing.T) func() {
	t.Helper()
	g, fd := runtime.NumGoroutine(), descriptors()
	return func() {
		t.Helper()
		eventually(t, "goroutines and descriptors at their baseline", func() bool {
			return runtime.NumGoroutine() <= g && descriptors() <= fd
		})
	}
}

func names(h exchange.Header) string {
	var b strings.Builder
	for _, f := range h {
		b.WriteString(f.Name + ": " + f.Value + "\n")
	}
	return b.String()
}
