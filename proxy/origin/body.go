package origin

import (
	"io"
	"net/http"
	"sync"

	"github.com/valyala/fasthttp"
)

// body is the body of an answer. Read returns what has come, without waiting
// for more (of a chunk, the last bytes wait for the line end that belongs to
// it), and io.EOF only when the framing is whole.
type body struct {
	c *Conn

	mu   sync.Mutex // held while reading
	resp *fasthttp.Response
	src  io.Reader // nil: there is nothing to read
	err  error     // how it ended, io.EOF when whole
}

// newBody takes the response over from p. Answers to HEAD, and 204 and 304, end
// with their heads, whatever those say (RFC 9112, section 6.3).
func newBody(c *Conn, p *parsed, toHEAD bool) *body {
	b := &body{c: c, resp: p.resp}
	bare := p.Status == http.StatusNoContent || p.Status == http.StatusNotModified
	if bare {
		p.Length = 0
	}
	if bare || toHEAD || p.Length == 0 {
		b.err = io.EOF
		return b
	}
	if p.resp.Header.ContentLength() < -1 { // until the connection ends
		c.keep = false
	}
	if err := p.resp.ReadBody(c.l.br, 0); err != nil { // StreamBody: it only sets up the stream
		b.err = c.failed(PhaseBody, err)
		return b
	}
	b.src = p.resp.BodyStream()
	return b
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := b.src.Read(p)
	switch err {
	case nil:
		return n, nil
	case io.EOF:
		b.err = io.EOF
	default:
		b.err = b.c.failed(PhaseBody, err)
	}
	return n, b.err
}

// Close ends the fetch when the body is not whole: what is left is not drained,
// since an origin may go on for hours. A Read in another goroutine returns.
func (b *body) Close() error {
	if b.whole() {
		return nil
	}
	b.c.l.wire.cut()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = errBodyClosed
	}
	return nil
}

// whole reports whether the body was read to its end. It does not wait for a
// Read that is under way: then it was not.
func (b *body) whole() bool {
	if !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	return b.err == io.EOF
}

// release gives the response back to fasthttp. The connection is gone by now,
// so that a Read under way returns.
func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = errBodyClosed
	}
	if b.resp != nil {
		fasthttp.ReleaseResponse(b.resp)
		b.resp, b.src = nil, nil
	}
}
