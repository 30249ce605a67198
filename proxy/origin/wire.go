package origin

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// wire is a connection as it was dialled, below TLS. It arms the clocks of a
// fetch where bytes really come and go, and knows what has passed.
//
// One goroutine reads and one writes; only close may come from others.
type wire struct {
	net.Conn

	start  time.Time // when the first byte of the request was written
	until  time.Time // absolute end of what is read now, zero for none
	cause  error     // what is said when until has passed
	idle   time.Duration
	armed  error     // what is said when the deadline that is set passes
	set    time.Time // the deadline that is set
	closed bool      // for reads: only what has been read already is given out

	got      bool  // a byte of the response came
	timedOut error // a read ended by its deadline: what to say

	sent   atomic.Int64 // bytes of the request that were taken by the system
	unsent atomic.Bool  // a request is being written
}

// begin starts the clocks of a request: it must have its head within l.Header,
// and all of its body within l.Total.
func (w *wire) begin(l Limits) {
	w.start, w.got, w.timedOut, w.idle = time.Now(), false, nil, 0
	w.sent.Store(0)
	w.until, w.cause = time.Time{}, nil
	if l.Total > 0 {
		w.until, w.cause = w.start.Add(l.Total), ErrFetchTimeout
	}
	if l.Header > 0 && (l.Total <= 0 || l.Header < l.Total) {
		w.until, w.cause = w.start.Add(l.Header), ErrHeaderTimeout
	}
	_ = w.Conn.SetWriteDeadline(w.until)
}

// headed changes to the clocks of the body.
func (w *wire) headed(l Limits) {
	w.until, w.cause, w.idle = time.Time{}, nil, l.Idle
	if l.Total > 0 {
		w.until, w.cause = w.start.Add(l.Total), ErrFetchTimeout
	}
	_ = w.Conn.SetWriteDeadline(w.until) // a large body may still be on its way out
}

// rest stops all clocks.
func (w *wire) rest() {
	w.until, w.cause, w.idle = time.Time{}, nil, 0
	w.arm()
	_ = w.Conn.SetWriteDeadline(time.Time{})
}

// arm sets the deadline of the next read. Deadlines are absolute to the system,
// so the idle budget has to be set anew for each read.
func (w *wire) arm() {
	deadline := w.until
	w.armed = w.cause
	if w.idle > 0 {
		if t := time.Now().Add(w.idle); deadline.IsZero() || t.Before(deadline) {
			deadline, w.armed = t, ErrIdle
		}
	}
	if !deadline.Equal(w.set) {
		w.set = deadline
		_ = w.Conn.SetReadDeadline(deadline)
	}
}

func (w *wire) Read(p []byte) (int, error) {
	if w.closed {
		return 0, os.ErrDeadlineExceeded
	}
	w.arm()
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.got = true
	}
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		w.timedOut = w.armed
	}
	return n, err
}

// maxWrite bounds one write, in bytes. A write to an origin that keeps reading
// goes on although the connection was closed meanwhile: 64 MiB went out whole,
// 1.4 s after a kill.
const maxWrite = 128 << 10

func (w *wire) Write(p []byte) (done int, err error) {
	for done < len(p) && err == nil {
		var n int
		n, err = w.Conn.Write(p[done:min(len(p), done+maxWrite)])
		w.sent.Add(int64(n))
		done += n
	}
	return done, err
}

// cut closes the connection. While a request is being written it is reset:
// otherwise the system would go on to send what it has taken, and the origin
// would learn of the end only after it has read all of it.
func (w *wire) cut() {
	if tcp, ok := w.Conn.(*net.TCPConn); ok && w.unsent.Load() {
		_ = tcp.SetLinger(0)
	}
	_ = w.Conn.Close()
}
