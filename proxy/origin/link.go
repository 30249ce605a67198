package origin

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// A head is read in a small buffer, since most are small and every stream holds
// one for its whole life; a head that does not fit gets a larger one.
const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
	maxHead     = 256 << 10
)

// link is an open connection, used by one request after the other.
type link struct {
	wire   *wire
	conn   net.Conn // wire itself, or TLS over it
	look   look
	expiry expiry

	br    *bufio.Reader // small, or a larger one for the present answer
	small *bufio.Reader
}

func newLink(w *wire, conn net.Conn) *link {
	br := bufio.NewReaderSize(conn, smallBuffer)
	return &link{wire: w, conn: conn, look: newLook(w.Conn), br: br, small: br}
}

// close ends the connection, and what watches it. TLS is not told: a last alert
// could block, and HTTP's own framing says where answers end.
func (l *link) close() {
	l.wire.cut()
	l.look.end()
}

// grow replaces the buffer by the next larger one, with the same bytes unread.
func (l *link) grow() error {
	size := largeBuffer
	switch {
	case l.br.Size() >= maxHead:
		return badHead("its response head is larger than 256 KiB")
	case l.br.Size() >= largeBuffer:
		size = maxHead
	}
	unread, _ := l.br.Peek(l.br.Buffered())
	l.br = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(unread)), l.conn), size)
	return nil
}

// drained reports whether nothing was received beyond the end of the answer,
// and makes the link ready for another. Bytes that an origin wrote after an
// answer would be taken for the answer to the next request, of somebody else.
// The system's buffer is left to look.
func (l *link) drained() bool {
	if l.br.Buffered() > 0 {
		return false
	}
	if secure, ok := l.conn.(*tls.Conn); ok { // which reads ahead, too
		var one [1]byte
		l.wire.closed = true
		n, err := secure.Read(one[:])
		l.wire.closed = false
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
	if l.br != l.small {
		l.small.Reset(l.conn)
		l.br = l.small
	}
	l.wire.rest()
	return true
}

// expiry is the clock of an idle link. It is used under the target's lock, or
// by whoever has taken the link off the idle ones.
type expiry struct{ timer *time.Timer }

func (e *expiry) start(after time.Duration, f func()) {
	switch {
	case after <= 0:
	case e.timer == nil:
		e.timer = time.AfterFunc(after, f)
	default:
		e.timer.Reset(after)
	}
}

func (e *expiry) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}
