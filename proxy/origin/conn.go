package origin

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"tailrace/proxy/exchange"
)

// Limits are the clocks of one fetch. They begin with the first byte written,
// so that a wait for a slot, a dial or a journal costs an origin nothing.
type Limits struct {
	Header time.Duration // until the head is in hand; 0 = no limit
	Total  time.Duration // until the last byte of the body; 0 = no limit
	Idle   time.Duration // between bytes of the body; 0 = no limit
}

// Conn is a connection for one request. It is used by one goroutine at a time;
// the context given to Get is what others end it with.
type Conn struct {
	ctx    context.Context
	t      *target
	l      *link // nil when a dial in Send failed
	reused bool
	stop   func() bool // of what cuts l when ctx ends

	req  *upload // nil until something was written
	body *body   // nil until a head was read
	keep bool    // the answer lets the connection live on

	closing sync.Once
}

func newConn(ctx context.Context, t *target, l *link, reused bool) *Conn {
	c := &Conn{ctx: ctx, t: t, reused: reused}
	c.hold(l)
	return c
}

// hold ties a link to the context. A link that was cut by it is never pooled.
func (c *Conn) hold(l *link) {
	c.l = l
	c.stop = context.AfterFunc(c.ctx, l.wire.cut)
}

// Addr is the target's host:port.
func (c *Conn) Addr() string { return c.t.addr }

// Base is the target's base URL, as configured.
func (c *Conn) Base() string { return c.t.base }

// Reused reports whether the connection has carried a request before.
func (c *Conn) Reused() bool { return c.reused }

// Wrote reports whether any byte of the request may have left this machine. It
// is for errors that are not an [*Error]: the cause of a context that ended.
func (c *Conn) Wrote() bool {
	return c.req != nil && (!c.req.over() || c.l.wire.sent.Load() > 0)
}

// Send writes the request and reads the head of its answer. It is called once.
//
// The target and the field lines go out as they stand, then Content-Length
// where there is a body or the method expects one; nothing else is added but
// Host. The body of the answer comes as it arrives and ends with io.EOF only
// when it is whole by its framing. Its length and fields are in the head; that
// of an answer to HEAD is what the origin declared.
//
// A request body above 64 KiB is still being written when an early answer is
// returned. The error is context.Cause when the context has ended, otherwise an
// [*Error], here and from the body's Read.
func (c *Conn) Send(req *exchange.Request, lim Limits) (exchange.Head, io.ReadCloser, error) {
	if c.req != nil || c.l == nil {
		return exchange.Head{}, nil, c.refuse(errors.New("carries one request, and has had it"))
	}
	head, err := appendRequest(nil, req)
	if err != nil {
		return exchange.Head{}, nil, c.refuse(err)
	}
	if c.reused {
		if err := c.lookAgain(); err != nil {
			return exchange.Head{}, nil, err
		}
	}
	if c.ctx.Err() != nil {
		return exchange.Head{}, nil, context.Cause(c.ctx)
	}
	c.l.wire.begin(lim)
	c.req = c.l.write(head, req.Body)
	p, err := c.readHead()
	if err != nil {
		c.l.wire.cut()
		<-c.req.done // only now is it known whether anything was written
		return exchange.Head{}, nil, c.failed(PhaseHead, err)
	}
	c.l.wire.headed(lim)
	c.keep = p.keepAlive
	c.body = newBody(c, p, req.Method == "HEAD")
	return p.Head, c.body, nil
}

// lookAgain makes sure that a pooled connection is still as it was left: what
// happened between Get and now (a commit to disk) took time. If it is not,
// another one is dialled on its place, once; nothing has been written.
func (c *Conn) lookAgain() error {
	if c.l.look.end() {
		return nil
	}
	c.stop()
	c.l.close()
	l, err := c.t.dial(c.ctx)
	if err != nil {
		c.l = nil
		return err
	}
	c.reused = false
	c.hold(l)
	return nil
}

// refuse is the failure of a request that is not written.
func (c *Conn) refuse(err error) error {
	return &Error{Phase: PhaseWrite, Addr: c.t.addr, Err: err}
}

// failed says in the words of this package why a read or write ended.
func (c *Conn) failed(phase Phase, err error) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	w := c.l.wire
	e := &Error{Phase: phase, Wrote: c.Wrote(), Got: w.got, Addr: c.t.addr}
	switch {
	case w.timedOut != nil:
		e.Err = w.timedOut
	case errors.Is(err, ErrBadHead):
		e.Err = err
	default:
		e.Err = ErrTruncated
	}
	if phase == PhaseHead && !w.got && c.req.err != nil {
		e.Phase = PhaseWrite
	}
	return e
}

// Close gives the connection back if it is clean: never written on, or with an
// answer that was read to its end and lets it live. Any other is closed. Only
// the first call counts.
func (c *Conn) Close() { c.closing.Do(c.close) }

func (c *Conn) close() {
	if c.l == nil {
		c.t.leave()
		return
	}
	clean := c.clean()
	if !c.stop() {
		clean = false // cut, or about to be
	}
	if clean {
		c.t.keep(c.l)
	} else {
		c.l.close()
		c.t.leave()
	}
	if c.req != nil {
		<-c.req.done
	}
	if c.body != nil {
		c.body.release()
	}
}

func (c *Conn) clean() bool {
	if c.req == nil {
		return true
	}
	return c.keep && c.req.over() && c.req.err == nil && c.body != nil && c.body.whole() && c.l.drained()
}
