package proxy

import (
	"errors"
	"os"
	"time"
)

// watch reads ahead until the client hangs up, the bound is reached, or the
// exchange is over. A FIN behind pipelined bytes is seen too; a client that has
// half-closed counts as gone.
func (c *conn) watch() {
	c.mu.Lock()
	if c.stopping || c.closed || c.trip == nil {
		c.mu.Unlock()
		return
	}
	done := make(chan struct{})
	c.watching = done
	c.mu.Unlock()
	defer close(done)
	buf := make([]byte, 512)
	for {
		n, err := c.Conn.Read(buf)
		c.mu.Lock()
		c.ahead = append(c.ahead, buf[:n]...)
		full, t := len(c.ahead) >= aheadMost, c.trip
		if err != nil && c.stopping && errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil // stopWatch did that
			full = true
		}
		if err != nil {
			c.aheadErr = err
		}
		c.mu.Unlock()
		if err != nil && t != nil {
			t.clientGone()
		}
		if err != nil || full {
			return
		}
	}
}

// stopWatch ends the watch and puts back the deadline that fasthttp had set.
func (c *conn) stopWatch() {
	c.mu.Lock()
	c.stopping = true
	if c.timer != nil {
		c.timer.Stop()
	}
	done := c.watching
	if done == nil {
		c.mu.Unlock()
		return
	}
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
	c.mu.Unlock()
	<-done
	c.mu.Lock()
	c.watching = nil
	_ = c.Conn.SetReadDeadline(c.deadline)
	c.mu.Unlock()
}
