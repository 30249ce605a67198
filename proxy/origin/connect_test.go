package origin

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
)

func TestAnAddressOfOursIsNeverConnectedTo(t *testing.T) {
	o := startRaw(t, answerAll(ok2))
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(o.url, "http://"))
	for _, c := range []struct{ host, own string }{
		{"127.0.0.1", "127.0.0.1"},
		{"localhost", "127.0.0.1"},
		{"127.0.0.1", "localhost"},
		{"[::ffff:127.0.0.1]", "127.0.0.1"},
		{"127.0.0.1", ""},
		{"127.0.0.1", "0.0.0.0"},
		{"127.0.0.1", "::1"},
		{"127.9.9.9", "127.0.0.1"},
		{"0.0.0.0", "127.0.0.1"},
		{"[::1]", "127.0.0.1"},
	} {
		// The connection is refused after the name is resolved, so that no name
		// can lead around it.
		p := startPool(t, Config{Targets: []string{"http://" + c.host + ":" + port}, Forbidden: []string{net.JoinHostPort(c.own, port)}})
		e := failure(t, fetch(p, request("GET", "/", "")).err)
		if e.Phase != PhaseConnect || e.Wrote || !strings.Contains(e.Error(), "is tailrace itself") {
			t.Errorf("%s when ours is %s: %v", c.host, c.own, e)
		}
	}
	if n := o.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	p := startPool(t, Config{Targets: []string{o.url}, Forbidden: []string{"127.0.0.1:1", "192.0.2.1:" + port}})
	mustFetch(t, p, request("GET", "/", ""))
}

func TestALinkLocalAddressIsNeverConnectedTo(t *testing.T) {
	for _, host := range []string{"169.254.169.254", "[fe80::1]", "[::ffff:169.254.1.1]"} {
		e := failure(t, fetch(startPool(t, Config{Targets: []string{"http://" + host + ":80"}}), request("GET", "/", "")).err)
		if e.Phase != PhaseConnect || !strings.Contains(e.Error(), "is a link-local address") {
			t.Errorf("%s: %v", host, e)
		}
	}
}

// Pins the check of what a replaced dialer returns, which has no control
// function.
func TestAReplacedDialerIsGuardedToo(t *testing.T) {
	o := startRaw(t, func(c *rawConn) { c.ended() })
	addr := strings.TrimPrefix(o.url, "http://")
	back := baseline(t)
	p := startPool(t, Config{
		Targets: []string{"http://api.example.com"}, Forbidden: []string{addr},
		Dial: func(ctx context.Context, network, asked string) (net.Conn, error) {
			if asked != "api.example.com:80" {
				t.Errorf("asked for %s", asked)
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	})
	if e := failure(t, fetch(p, request("GET", "/", "")).err); !strings.Contains(e.Error(), "is tailrace itself") {
		t.Errorf("got %v", e)
	}
	back()
}

func TestAConnectionThatCannotBeMadeIsOneSentence(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := ln.Addr().String()
	ln.Close()
	e := failure(t, fetch(startPool(t, Config{Targets: []string{"http://" + nobody}}), request("GET", "/", "")).err)
	if want := nobody + " refused the connection: is it running there?"; e.Error() != want {
		t.Errorf("got %q, want %q", e.Error(), want)
	}
	for want, dial := range map[string]error{
		"does not resolve: check the host name":                 &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}},
		"could not be resolved: the name server did not answer": &net.OpError{Op: "dial", Err: &net.DNSError{Err: "timeout", IsTimeout: true}},
		"cannot be reached: check the network":                  &net.OpError{Op: "dial", Err: syscall.Errno(errHostUnreachable)},
		"did not accept a connection within connect.timeout":    &net.OpError{Op: "dial", Err: syscall.Errno(errTimedOut)},
		"cannot be connected to":                                errors.New("secret detail"),
	} {
		p := startPool(t, Config{Targets: []string{"https://api.example.com"}, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, dial }})
		e := failure(t, fetch(p, request("GET", "/", "")).err)
		if e.Error() != "api.example.com:443 "+want || e.Phase != PhaseConnect || e.Wrote || !errors.Is(e, dial) {
			t.Errorf("got %q, want %q", e.Error(), want)
		}
		if open, _ := p.Stats(); open != 0 {
			t.Error("a failed dial keeps its place")
		}
	}
}

func TestTargetsAreTakenInTurn(t *testing.T) {
	a, b := startRaw(t, answerAll(ok2)), startRaw(t, answerAll(ok2))
	p := startPool(t, Config{Targets: []string{a.url, b.url}, MaxConnections: 1})
	for i := range 6 {
		c, err := p.Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{a.url, b.url}[i%2]
		if c.Base() != want || "http://"+c.Addr() != want {
			t.Errorf("request %d went to %s, want %s", i, c.Base(), want)
		}
		if _, body, err := c.Send(request("GET", "/", ""), patient); err != nil {
			t.Error(err)
		} else if err := readFull(body, make([]byte, 2)); err != nil {
			t.Error(err)
		}
		c.Close()
	}
	if a.requests.Load() != 3 || b.requests.Load() != 3 || a.accepted.Load() != 1 {
		t.Errorf("%d and %d requests, %d connections to the first", a.requests.Load(), b.requests.Load(), a.accepted.Load())
	}
}
