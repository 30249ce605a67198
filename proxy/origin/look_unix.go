//go:build unix

package origin

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// peek looks at the system's receive buffer without taking anything from it.
// Nothing runs while the connection rests.
type peek struct{ raw syscall.RawConn }

func newLook(c net.Conn) look {
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			return peek{raw}
		}
	}
	return &watch{conn: c}
}

func (peek) begin() {}

func (p peek) end() bool { return p.clean() }

func (p peek) clean() bool {
	empty := false
	err := p.raw.Control(func(fd uintptr) {
		var one [1]byte
		for {
			_, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			empty = errors.Is(err, unix.EAGAIN)
			return
		}
	})
	return err == nil && empty
}
