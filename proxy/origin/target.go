package origin

import (
	"context"
	"crypto/tls"
	"slices"
	"sync"
	"time"
)

// target is one origin and its places: each connection, idle or not, takes one
// from before its dial until after its end.
type target struct {
	base, addr string
	tls        *tls.Config // nil: plain
	dialer     *dialer
	max        int
	maxIdle    time.Duration

	mu     sync.Mutex
	closed bool
	open   int     // places taken
	idle   []*link // most recently used last
	line   []*waiter
}

// waiter stands in line for a place. What it is given is written under the
// target's lock before ready is closed.
type waiter struct {
	ready chan struct{}
	given bool
	link  *link // nil: a place to dial on
	err   error
}

// take returns an idle link, or nil for a place to dial on. A link that is
// taken has its place with it. Whoever comes when there is neither stands in
// line; places that become free go to the line's head directly, so that nobody
// who came later can be faster.
func (t *target) take(ctx context.Context, wait time.Duration) (*link, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t.mu.Lock()
	switch {
	case t.closed:
		t.mu.Unlock()
		return nil, &Error{Phase: PhaseConnect, Addr: t.addr, Err: errPoolClosed}
	case len(t.idle) > 0:
		l := t.idle[len(t.idle)-1]
		t.idle = t.idle[:len(t.idle)-1]
		t.mu.Unlock()
		l.expiry.stop()
		return l, nil
	case t.max <= 0 || t.open < t.max:
		t.open++
		t.mu.Unlock()
		return nil, nil
	case wait <= 0:
		t.mu.Unlock()
		return nil, &Error{Phase: PhaseConnect, Addr: t.addr, Err: ErrConnections}
	}
	w := &waiter{ready: make(chan struct{})}
	t.line = append(t.line, w)
	t.mu.Unlock()
	return t.await(ctx, w, wait)
}

func (t *target) await(ctx context.Context, w *waiter, wait time.Duration) (*link, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
	case <-timer.C:
		err = &Error{Phase: PhaseConnect, Addr: t.addr, Err: ErrConnections}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	t.mu.Lock()
	given := w.given
	if !given {
		t.line = slices.DeleteFunc(t.line, func(o *waiter) bool { return o == w })
	}
	t.mu.Unlock()
	switch {
	case !given:
		return nil, err
	case w.err != nil:
		return nil, w.err
	case ctx.Err() != nil: // it was given a place on its way out
		if w.link != nil {
			t.keep(w.link)
		} else {
			t.leave()
		}
		return nil, context.Cause(ctx)
	}
	return w.link, nil
}

// leave gives a place up.
func (t *target) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := t.first(); w != nil {
		w.give(nil, nil)
		return
	}
	t.open--
}

// keep puts a clean link among the idle ones, or into the hands of the first in
// line.
func (t *target) keep(l *link) {
	l.look.begin()
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		l.close()
		t.leave()
		return
	}
	if w := t.first(); w != nil {
		w.give(l, nil)
	} else {
		t.idle = append(t.idle, l)
		l.expiry.start(t.maxIdle, func() { t.expire(l) })
	}
	t.mu.Unlock()
}

// expire closes a link that has been idle for too long, if it is still idle.
func (t *target) expire(l *link) {
	t.mu.Lock()
	i := slices.Index(t.idle, l)
	if i >= 0 {
		t.idle = slices.Delete(t.idle, i, i+1)
	}
	t.mu.Unlock()
	if i >= 0 {
		l.close()
		t.leave()
	}
}

// shut ends the target: idle links are closed, those in line are turned away.
func (t *target) shut() {
	t.mu.Lock()
	t.closed = true
	idle := t.idle
	t.idle = nil
	for w := t.first(); w != nil; w = t.first() {
		w.give(nil, &Error{Phase: PhaseConnect, Addr: t.addr, Err: errPoolClosed})
	}
	t.mu.Unlock()
	for _, l := range idle {
		l.expiry.stop()
		l.close()
		t.leave()
	}
}

// first takes the head off the line. The caller holds the lock.
func (t *target) first() *waiter {
	if len(t.line) == 0 {
		return nil
	}
	w := t.line[0]
	t.line = t.line[1:]
	return w
}

// give is called under the target's lock.
func (w *waiter) give(l *link, err error) {
	w.given, w.link, w.err = true, l, err
	close(w.ready)
}
