//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// cook makes a terminal that is in raw mode already an ordinary one. It is in
// raw mode when a program before was killed with -9 in the middle of its
// screen; the dashboard gives back what it found, and a shell without echo is
// not what anybody wants back. Whatever is no terminal is left alone.
func cook(files ...*os.File) {
	for _, f := range files {
		t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
		if err != nil || t.Lflag&unix.ICANON != 0 {
			continue
		}
		t.Iflag |= unix.ICRNL | unix.IXON
		t.Oflag |= unix.OPOST | unix.ONLCR
		t.Lflag |= unix.ICANON | unix.ECHO | unix.ECHOE | unix.ECHOK | unix.ISIG | unix.IEXTEN
		_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, t) // it only looks worse without
	}
}
