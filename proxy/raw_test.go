package proxy_test

import (
	"net"
	"strconv"
	"testing"
)

// dial opens a connection to the proxy without an HTTP library in between.
func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func length(s string) string { return strconv.Itoa(len(s)) }
