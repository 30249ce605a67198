package proxy

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// watchAfter is how long an exchange may take before its connection is
	// watched: a fast answer never pays for it.
	watchAfter = 20 * time.Millisecond
	// aheadMost bounds what the watch reads ahead of the current request.
	aheadMost = 64 << 10
	// writePiece is how much is written under one client write budget. A reader
	// that takes this much within it is alive.
	writePiece = 64 << 10
)

// conn is one client connection, the only type between fasthttp and the
// network. It sees what fasthttp does not show: that the client hangs up while
// its request is under way (fasthttp would notice with the next failing write),
// how long the client takes to read, and when the last byte of an answer went
// out, which is when an exchange is finished.
type conn struct {
	net.Conn
	p *Proxy

	mu       sync.Mutex
	trip     *trip       // the exchange under way, nil between two
	writeErr error       // of the exchange under way
	ahead    []byte      // read by the watch, given back by Read
	aheadErr error       // what ended the watch's reading, given back after ahead
	timer    *time.Timer // starts the watch
	watching chan struct{}
	stopping bool
	idle     time.Duration // client write budget, re-armed by every piece; 0: none
	deadline time.Time     // the read deadline that fasthttp has set
	closed   bool
	unhurry  func() bool
	over     bool // one connection more than listen.max_connections: refused at its first request
}

// start puts an exchange on the connection. A pipelined request comes without a
// Read in between: what was under way is finished first.
func (c *conn) start(t *trip) {
	c.stopWatch()
	c.done(nil)
	c.mu.Lock()
	c.trip, c.writeErr = t, nil
	c.unhurry = context.AfterFunc(t.ctx, c.hurry)
	gone := c.aheadErr != nil
	if !gone && len(c.ahead) < aheadMost {
		c.stopping = false
		c.timer = time.AfterFunc(watchAfter, c.watch)
	}
	c.mu.Unlock()
	if gone { // it hung up behind this request, which was pipelined
		t.clientGone()
	}
}

// done finishes the exchange under way, if there is one.
func (c *conn) done(err error) {
	c.mu.Lock()
	t := c.trip
	if t != nil {
		c.unhurry()
	}
	c.trip, c.idle = nil, 0
	if c.writeErr != nil {
		err = c.writeErr
	}
	c.mu.Unlock()
	if t != nil {
		t.finish(err)
		_ = c.Conn.SetWriteDeadline(time.Time{})
	}
}

// Read is called by fasthttp for the next request, which means that the answer
// to the last one has been flushed.
func (c *conn) Read(p []byte) (int, error) {
	c.stopWatch()
	c.done(nil)
	c.mu.Lock()
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		c.mu.Unlock()
		return n, nil
	}
	c.ahead = nil
	err := c.aheadErr
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write writes in pieces, each under the client's idle budget.
func (c *conn) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		piece := p[:min(len(p), writePiece)]
		if idle := c.idleBudget(); idle > 0 {
			_ = c.Conn.SetWriteDeadline(time.Now().Add(idle))
		}
		var m int
		m, err = c.Conn.Write(piece)
		n += m
		p = p[m:]
	}
	if err != nil {
		c.mu.Lock()
		if c.writeErr == nil {
			c.writeErr = err
		}
		t := c.trip
		c.mu.Unlock()
		c.p.spent(t, err)
	}
	return n, err
}

// ReadFrom makes bufio hand a body of known length over piece by piece, so that
// each piece is on the wire when it has been read (fasthttp flushes only chunked
// bodies by itself).
func (c *conn) ReadFrom(r io.Reader) (n int64, err error) {
	buf := make([]byte, 32<<10)
	for {
		m, rerr := r.Read(buf)
		if m > 0 {
			w, werr := c.Write(buf[:m])
			n += int64(w)
			if werr != nil {
				return n, werr
			}
		}
		if rerr == io.EOF {
			return n, nil
		}
		if rerr != nil {
			return n, rerr
		}
	}
}

// SetReadDeadline remembers what fasthttp wants, since the watch borrows the
// deadline.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.watching != nil {
		return nil // set when the watch gives it back
	}
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection. What was under way on it is finished: in error
// unless its answer had been written whole before.
func (c *conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	err := c.Conn.Close()
	c.stopWatch()
	c.done(nil)
	c.p.mu.Lock()
	delete(c.p.conns, c)
	c.p.mu.Unlock()
	return err
}
