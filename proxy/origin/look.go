package origin

import (
	"errors"
	"net"
	"os"
	"time"
)

// look tells whether a connection at rest is as it was left: open, and nothing
// has come in. It is begun when the connection is put to rest.
type look interface {
	begin()
	clean() bool // may be asked any number of times
	end() bool   // like clean, and the connection may be read again
}

// past is a deadline that has passed on every clock, also on that of a test.
var past = time.Unix(1, 0)

// watch looks by reading: one byte in the background, which is ended by a
// deadline in the past. It is for connections that cannot be peeked at.
type watch struct {
	conn  net.Conn
	done  chan struct{} // nil while nothing is read
	quiet bool          // the read was ended by us; valid once done is closed
}

func (w *watch) begin() {
	if w.done != nil {
		return
	}
	done := make(chan struct{})
	w.done = done
	go func() {
		defer close(done)
		var one [1]byte
		n, err := w.conn.Read(one[:])
		w.quiet = n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
	}()
}

func (w *watch) clean() bool {
	select {
	case <-w.done: // also of a watch that was never begun: then it waits for nothing
		return false
	default:
		return true
	}
}

func (w *watch) end() bool {
	if w.done == nil {
		return true
	}
	_ = w.conn.SetReadDeadline(past)
	<-w.done
	w.done = nil
	_ = w.conn.SetReadDeadline(time.Time{})
	return w.quiet
}
