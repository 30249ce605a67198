package main

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// urlOf is how a client reaches a listener.
func urlOf(ln net.Listener) string { return "http://" + ln.Addr().String() }

// taken says why an address cannot be listened on.
func taken(flag, addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) || isWindowsInUse(err) {
		return fmt.Errorf("the address %s is in use by another program; stop it, or choose another with %s", addr, flag)
	}
	why := err
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		why = op.Err
	}
	return fmt.Errorf("listening on %s: %w; choose another address with %s", addr, why, flag)
}

// isWindowsInUse knows WSAEADDRINUSE, which is not syscall.EADDRINUSE there.
func isWindowsInUse(err error) bool {
	n := syscall.Errno(0)
	return errors.As(err, &n) && n == 10048
}

// quoted writes a value of a name=value line: plain where it can be, so that
// shells cut it at spaces.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\"'\\=") {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// port is the number at the end of a listener's address.
func port(ln net.Listener) int {
	if a, ok := ln.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}
