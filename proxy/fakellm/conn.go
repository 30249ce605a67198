package fakellm

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

const (
	readAheadMax  = 64 << 10
	readAheadStep = 4 << 10
)

var errAbandoned = errors.New("fakellm: the connection was given up on purpose")

// conn is a client connection that can be watched. fasthttp reads a connection
// only between requests, so on its own it does not notice a client that leaves
// while we are silent. While an answer waits, conn reads ahead: it sees the FIN
// or RST at once, also behind a pipelined request, and gives the bytes back in
// Read when fasthttp asks for the next request.
type conn struct {
	net.Conn

	gone chan struct{} // closed when the watch sees the end of the connection

	// Owned by the connection's goroutine, and by the watch between watch and
	// the receive from stopped.
	ahead   []byte
	lost    error
	stopped chan struct{} // not nil while a watch runs; closed by it
	rec     *record       // the request being answered

	abandoned atomic.Bool
}

func newConn(c net.Conn) *conn {
	return &conn{Conn: c, gone: make(chan struct{})}
}

// watch starts reading ahead, if it does not already. It is called from the
// connection's goroutine only.
func (c *conn) watch() {
	if c.stopped != nil || c.lost != nil || len(c.ahead) >= readAheadMax {
		return
	}
	stopped := make(chan struct{})
	c.stopped = stopped
	go func() {
		defer close(stopped)
		for len(c.ahead) < readAheadMax {
			n := len(c.ahead)
			if cap(c.ahead)-n < readAheadStep {
				c.ahead = append(make([]byte, 0, n+readAheadStep), c.ahead...)
			}
			m, err := c.Conn.Read(c.ahead[n:min(cap(c.ahead), readAheadMax)])
			c.ahead = c.ahead[:n+m]
			if err != nil {
				var timeout net.Error
				if errors.As(err, &timeout) && timeout.Timeout() {
					return // unwatch
				}
				c.lost = err
				close(c.gone)
				return
			}
		}
	}()
}

// unwatch ends the watch by a deadline in the past. The server itself sets no
// read deadlines, so there is none to restore.
func (c *conn) unwatch() {
	if c.stopped == nil {
		return
	}
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
	<-c.stopped
	c.stopped = nil
	_ = c.Conn.SetReadDeadline(time.Time{})
}

// Read is called when fasthttp wants the next request.
func (c *conn) Read(p []byte) (int, error) {
	c.unwatch()
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		if len(c.ahead) == 0 {
			c.ahead = nil
		}
		return n, nil
	}
	if c.lost != nil {
		return 0, c.lost
	}
	return c.Conn.Read(p)
}

// Write refuses to send what fasthttp would answer after the connection was
// given up.
func (c *conn) Write(p []byte) (int, error) {
	if c.abandoned.Load() {
		return 0, errAbandoned
	}
	return c.Conn.Write(p)
}

// ReadFrom sends a body piece by piece. Without it bufio would gather the
// pieces of a body whose length is known.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	var total int64
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			m, werr := c.Write(buf[:n])
			total += int64(m)
			if werr != nil {
				return total, werr
			}
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// abandon closes the connection; with reset the peer sees a RST.
func (c *conn) abandon(reset bool) {
	c.abandoned.Store(true)
	if tcp, ok := c.Conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}
