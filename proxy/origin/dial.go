package origin

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"
)

// dialer connects to addresses, but not to those that are guarded.
type dialer struct {
	timeout time.Duration
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	guard   *guard
}

func newDialer(cfg Config, g *guard) *dialer {
	d := &dialer{timeout: cfg.ConnectTimeout, dial: cfg.Dial, guard: g}
	if d.dial != nil {
		return d
	}
	nd := &net.Dialer{KeepAlive: cfg.KeepAlive}
	if nd.KeepAlive <= 0 {
		nd.KeepAlive = -1 // to net.Dialer, 0 is a default of its own
	}
	// The check stands after the resolver: a name may point anywhere, and
	// another time elsewhere.
	nd.ControlContext = func(_ context.Context, _, addr string, _ syscall.RawConn) error { return g.check(addr) }
	d.dial = nd.DialContext
	return d
}

// dial connects, and shakes hands where the target speaks TLS. The caller holds
// a place. When ctx ends meanwhile, the error is its cause.
func (t *target) dial(ctx context.Context) (*link, error) {
	limited := ctx
	if d := t.dialer.timeout; d > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	fail := func(phase Phase, err error) error {
		if d, ok := ctx.Deadline(); ok && !time.Now().Before(d) {
			<-ctx.Done() // the socket has the same deadline and may be first
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if limited.Err() != nil { // TLS would report a closed connection
			err = limited.Err()
		}
		return &Error{Phase: phase, Addr: t.addr, Err: err}
	}
	raw, err := t.dialer.dial(limited, "tcp", t.addr)
	if err != nil {
		return nil, fail(PhaseConnect, err)
	}
	if addr, ok := raw.RemoteAddr().(*net.TCPAddr); ok { // a replaced dialer has no control function
		if err := t.dialer.guard.check(addr.String()); err != nil {
			raw.Close()
			return nil, fail(PhaseConnect, err)
		}
	}
	w := &wire{Conn: raw}
	if t.tls == nil {
		return newLink(w, w), nil
	}
	secure := tls.Client(w, t.tls)
	if err := secure.HandshakeContext(limited); err != nil {
		raw.Close()
		return nil, fail(PhaseTLS, err)
	}
	return newLink(w, secure), nil
}
