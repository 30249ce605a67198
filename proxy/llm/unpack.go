package llm

import (
	"io"
	"iter"
)

// unpacker decodes a body that is pushed into it, while decoders pull. It runs
// them as a coroutine: when they ask for bytes that have not come yet, they
// stand still until the next feed. So each flush of the sender is decoded as
// far as it goes, each byte once, and no goroutine runs beside the caller's.
//
// Data that is damaged, of an unknown coding or beyond the bounds of Decode
// ends the decoding; what follows is not looked at.
type unpacker struct {
	in       []byte // came and was not read yet
	ended    bool   // nothing more comes
	read     int    // bytes of input
	produced int    // bytes of output

	next func() ([]byte, bool) // the next piece, nil when input is missing
	stop func()
}

func newUnpacker(codings []string) *unpacker {
	u := &unpacker{}
	u.next, u.stop = iter.Pull(func(yield func([]byte) bool) { u.run(codings, yield) })
	return u
}

// run is the coroutine.
func (u *unpacker) run(codings []string, yield func([]byte) bool) {
	r := io.Reader(&intake{u: u, wait: func() bool { return yield(nil) }})
	for i := len(codings) - 1; i >= 0; i-- {
		c, err := decoder(codings[i], r, windowLimit)
		if err != nil {
			return
		}
		defer c.Close()
		r = c
	}
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		u.produced += n
		if u.produced > max(ratioFloor, ratioLimit*u.read) {
			return
		}
		if n > 0 && !yield(buf[:n]) || err != nil {
			return
		}
	}
}

// feed decodes p as far as it goes.
func (u *unpacker) feed(p []byte, out func([]byte)) {
	u.in = p
	for {
		piece, ok := u.next()
		if !ok || piece == nil {
			break
		}
		out(piece)
	}
	u.in = nil // the caller's bytes are not kept
}

// end decodes what is left.
func (u *unpacker) end(out func([]byte)) {
	u.ended = true
	u.feed(nil, out)
	u.stop()
}

func (u *unpacker) close() { u.stop() }

// intake is the decoders' input.
type intake struct {
	u      *unpacker
	wait   func() bool // false: nobody feeds any more
	closed bool
}

func (in *intake) Read(p []byte) (int, error) {
	for len(in.u.in) == 0 {
		if in.u.ended || in.closed {
			return 0, io.EOF
		}
		in.closed = !in.wait()
	}
	n := copy(p, in.u.in)
	in.u.in = in.u.in[n:]
	in.u.read += n
	return n, nil
}
