package proxytest

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Origin is an origin that does exactly what a script says, byte by byte.
type Origin struct {
	Addr     string
	Requests atomic.Int64 // heads read
	Open     atomic.Int64 // connections open now
}

// Raw starts an origin. serve gets each connection and its number from 1; it
// is closed when serve returns, and at the end of the test.
func Raw(t testing.TB, serve func(c *Conn)) *Origin {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &Origin{Addr: ln.Addr().String()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	wg.Go(func() {
		for n := 1; ; n++ {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[nc] = true
			mu.Unlock()
			o.Open.Add(1)
			wg.Go(func() {
				defer o.Open.Add(-1)
				defer nc.Close()
				serve(&Conn{Conn: nc, R: bufio.NewReaderSize(nc, 256<<10), N: n, o: o})
				mu.Lock()
				delete(open, nc)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		mu.Lock()
		for nc := range open {
			_ = nc.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return o
}

// Conn is one connection at the origin.
type Conn struct {
	net.Conn
	R *bufio.Reader
	N int
	o *Origin
}

// Request reads one request, head and body of declared length, and returns it
// as text; ok is false at the end of the connection.
func (c *Conn) Request() (text string, ok bool) {
	var b strings.Builder
	length := 0
	for {
		line, err := c.R.ReadString('\n')
		if err != nil {
			return b.String(), false
		}
		b.WriteString(line)
		if name, v, found := strings.Cut(line, ":"); found && strings.EqualFold(name, "content-length") {
			length, _ = strconv.Atoi(strings.TrimSpace(v))
		}
		if line == "\r\n" {
			break
		}
	}
	c.o.Requests.Add(1)
	body := make([]byte, length)
	if _, err := io.ReadFull(c.R, body); err != nil {
		return b.String(), false
	}
	b.Write(body)
	return b.String(), true
}

// Say writes text.
func (c *Conn) Say(text string) { _, _ = io.WriteString(c, text) }

// Reset closes the connection so that its peer sees a reset.
func (c *Conn) Reset() {
	if tc, ok := c.Conn.(*net.TCPConn); ok {
		_ = tc.SetLinger(0)
	}
	_ = c.Close()
}

// Gone blocks until the peer has closed.
func (c *Conn) Gone() {
	_, _ = io.Copy(io.Discard, c.R)
}
