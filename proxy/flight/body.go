package flight

import (
	"errors"
	"io"
	"sync"
)

// Window is how far a Body's writer may be ahead of its fastest reader, and how
// much a Body keeps that nobody can ride on: 256 KiB.
const Window = 256 << 10

// pieceLeast and pieceMost bound the buffers a Body is made of. What arrives in
// small pieces shares one; the next is twice as large while nothing was dropped.
const (
	pieceLeast = 1 << 10
	pieceMost  = 16 << 10
)

// ErrTooLate is returned by NewReader when the first bytes are gone.
var ErrTooLate = errors.New("flight: the beginning of this body is no longer kept")

// Body is a response body with one writer and any number of readers, each of
// which reads it from its first byte. The cache, riders, the journal and the
// client read the same bytes: the Body is the tee.
//
// While it keeps (it may be stored, or ridden on), bytes stay from 0; after
// Release only what the slowest reader still needs. The writer waits when it is
// a Window ahead of its fastest reader, so one reader is backpressure and
// several never hold each other; with no reader at all it does not wait.
type Body struct {
	mu      sync.Mutex
	moved   sync.Cond // something was written or read, or has ended
	pieces  [][]byte
	base    int64 // offset of pieces[0]
	end     int64 // bytes written so far
	keep    bool
	read    bool // a reader has come; until then nothing is dropped
	sealed  bool
	err     error // why it ended; nil for a whole body
	readers map[*Reader]struct{}
}

// NewBody returns an empty body that keeps its bytes until Release.
func NewBody() *Body {
	b := &Body{keep: true, readers: map[*Reader]struct{}{}}
	b.moved.L = &b.mu
	return b
}

// Write appends a copy of p. It blocks while the fastest reader is a Window
// behind.
func (b *Body) Write(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.sealed && b.ahead() > Window {
		b.moved.Wait()
	}
	if b.sealed {
		return
	}
	b.end += int64(len(p))
	if n := len(b.pieces); n > 0 {
		last := b.pieces[n-1]
		fits := min(cap(last)-len(last), len(p))
		b.pieces[n-1] = append(last, p[:fits]...)
		p = p[fits:]
	}
	if len(p) > 0 {
		size := pieceLeast
		if n := len(b.pieces); n > 0 {
			size = min(2*cap(b.pieces[n-1]), pieceMost)
		}
		piece := make([]byte, 0, max(size, len(p)))
		b.pieces = append(b.pieces, append(piece, p...))
	}
	b.trim()
	b.moved.Broadcast()
}

// End seals the body. Readers get what was written and then io.EOF, or err.
// Only the first call counts.
func (b *Body) End(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.sealed {
		b.sealed, b.err = true, err
		b.moved.Broadcast()
	}
}

// Release stops keeping the first bytes for readers yet to come, but for the
// first of them.
func (b *Body) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep = false
	b.trim()
	b.moved.Broadcast()
}

// Whole returns all bytes written so far, and whether they are all there were:
// the body was kept and did not end in an error. The writer may ask before it
// seals. The bytes must not be changed.
func (b *Body) Whole() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil || b.base != 0 {
		return nil, false
	}
	if len(b.pieces) > 1 {
		all := make([]byte, 0, b.end)
		for _, p := range b.pieces {
			all = append(all, p...)
		}
		b.pieces = [][]byte{all}
	}
	if len(b.pieces) == 0 {
		return nil, true
	}
	return b.pieces[0], true
}

// Len is how many bytes have been written.
func (b *Body) Len() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.end
}

// ahead is how far the writer is before its fastest reader; one that has failed
// holds nobody, though its client may not have taken the end yet. The lock is
// held.
func (b *Body) ahead() int64 {
	if len(b.readers) == 0 {
		return 0
	}
	fastest, reading := int64(0), false
	for r := range b.readers {
		if r.failed == nil {
			fastest, reading = max(fastest, r.at), true
		}
	}
	if !reading {
		return 0
	}
	return b.end - fastest
}

// trim drops the pieces that every reader has passed. The lock is held.
func (b *Body) trim() {
	if b.keep || !b.read || b.sealed && len(b.readers) == 0 {
		return
	}
	slowest := b.end
	for r := range b.readers {
		slowest = min(slowest, r.at)
	}
	for len(b.pieces) > 0 && b.base+int64(len(b.pieces[0])) <= slowest {
		b.base += int64(len(b.pieces[0]))
		b.pieces[0] = nil
		b.pieces = b.pieces[1:]
	}
}

// NewReader returns a reader from the first byte, or ErrTooLate.
func (b *Body) NewReader() (*Reader, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base > 0 {
		return nil, ErrTooLate
	}
	b.read = true
	r := &Reader{b: b}
	b.readers[r] = struct{}{}
	return r, nil
}

// Reader reads a Body from its first byte at its own pace.
type Reader struct {
	b      *Body
	at     int64
	failed error
	closed bool
}

// Read blocks until there are bytes, and returns those that are there.
func (r *Reader) Read(p []byte) (int, error) {
	b := r.b
	b.mu.Lock()
	defer b.mu.Unlock()
	for r.failed == nil && !r.closed && r.at == b.end && !b.sealed {
		b.moved.Wait()
	}
	switch {
	case r.failed != nil:
		return 0, r.failed
	case r.closed:
		return 0, io.ErrClosedPipe
	case r.at == b.end && b.err != nil:
		return 0, b.err
	case r.at == b.end:
		return 0, io.EOF
	}
	n, off := 0, b.base
	for _, piece := range b.pieces {
		if skip := r.at - off; skip < int64(len(piece)) {
			c := copy(p[n:], piece[skip:])
			n += c
			r.at += int64(c)
			if n == len(p) {
				break
			}
		}
		off += int64(len(piece))
	}
	b.trim()
	b.moved.Broadcast()
	return n, nil
}

// Fail makes this and every later Read return err; other readers go on.
func (r *Reader) Fail(err error) {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if r.failed == nil {
		r.failed = err
		r.b.moved.Broadcast()
	}
}

// Close ends the reading. It may be called more than once.
func (r *Reader) Close() error {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if !r.closed {
		r.closed = true
		delete(r.b.readers, r)
		r.b.trim()
		r.b.moved.Broadcast()
	}
	return nil
}
