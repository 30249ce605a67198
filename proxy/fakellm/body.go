package fakellm

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"time"
)

// verb says what follows the data of a step.
type verb int

const (
	more verb = iota
	last      // a clean end
	cut       // the connection breaks
	hang      // nothing, until the client leaves
)

// step is one piece of an answer: after the wait comes the data, then the verb.
type step struct {
	wait time.Duration
	data []byte
	verb verb
}

// script tells an answer step by step. The last step has a verb other than more.
type script interface{ next() step }

var (
	errGone   = errors.New("fakellm: the client left")
	errClosed = errors.New("fakellm: the origin was closed")
	errCut    = errors.New("fakellm: the answer was cut as asked")
)

// body plays a script: fasthttp pulls from it and flushes what each Read gives.
// One Read is one event, never two. It runs in the connection's goroutine,
// after the handler has returned, so it knows no RequestCtx.
type body struct {
	origin *Origin
	conn   *conn
	rec    *record
	script script

	reset bool          // a cut is a RST
	every time.Duration // heartbeats while waiting; 0 for none
	beat  []byte
	zip   *zipper

	step    step
	waiting bool // step is begun, but its wait is not over
	data    []byte
	done    bool // all data is handed out
	err     error
}

func (b *body) Read(p []byte) (int, error) {
	for len(b.data) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.done {
			// Whatever happens from here on, the client has the whole answer:
			// some close at the terminal marker, before the end of the transfer.
			b.rec.finish(false)
			return 0, io.EOF
		}
		b.advance()
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// advance gets the next piece of data, or an error, or the end.
func (b *body) advance() {
	if !b.waiting {
		b.step, b.waiting = b.script.next(), true
	}
	s := &b.step
	idle := s.verb == hang && len(s.data) == 0
	if b.every > 0 && (idle || s.wait > b.every) {
		s.wait -= b.every
		if b.err = b.origin.wait(b.conn, b.every); b.err == nil {
			b.data = b.pack(b.beat, more)
		}
		return
	}
	if b.err = b.origin.wait(b.conn, s.wait); b.err != nil {
		return
	}
	s.wait = 0
	if idle {
		b.err = b.origin.wait(b.conn, forever)
		return
	}
	if s.verb == cut && len(s.data) == 0 {
		b.rec.finish(false)
		b.conn.abandon(b.reset)
		b.err = errCut
		return
	}
	b.data, s.data = b.pack(s.data, s.verb), nil
	switch s.verb {
	case more:
		b.waiting = false
	case last:
		b.done = true
	}
}

// pack compresses data when that was asked for.
func (b *body) pack(data []byte, v verb) []byte {
	if b.zip == nil {
		return data
	}
	return b.zip.pack(data, v == last)
}

// CloseWithError is called by fasthttp when the transfer is over. There must be
// no Close beside it, or the error of the write would be lost.
func (b *body) CloseWithError(err error) error {
	b.rec.finish(err != nil && !errors.Is(b.err, errClosed) && !b.conn.abandoned.Load())
	return nil
}

const forever = time.Duration(1<<63 - 1)

// wait waits for d, but no longer than the client stays.
func (o *Origin) wait(c *conn, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	c.watch()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-o.quit:
		return errClosed
	case <-c.gone:
		select {
		case <-o.quit: // Close cuts the connections: that is not the client
			return errClosed
		default:
			return errGone
		}
	}
}

// zipper compresses a stream so that each piece can be read when it arrives.
type zipper struct {
	buf bytes.Buffer
	gz  *gzip.Writer
}

func newZipper() *zipper {
	z := &zipper{}
	z.gz = gzip.NewWriter(&z.buf)
	return z
}

func (z *zipper) pack(data []byte, end bool) []byte {
	z.buf.Reset()
	_, _ = z.gz.Write(data)
	if end {
		_ = z.gz.Close()
	} else {
		_ = z.gz.Flush()
	}
	return z.buf.Bytes()
}
