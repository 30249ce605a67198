package origin

import (
	"context"
	"sync/atomic"
	"time"
)

// Pool holds the connections to the targets of one pool. All methods are safe
// for concurrent use.
type Pool struct {
	targets []*target
	turn    atomic.Uint64
}

// Get returns a connection to the next target: a pooled one that is still as it
// was left, or a dialled one.
//
// When the target has MaxConnections of them, Get waits in line, first come
// first served, for at most wait, and then fails with [ErrConnections]. The
// context governs the wait, the dial, and the connection until its Close; the
// error is context.Cause(ctx) when it has ended, an [*Error] otherwise.
func (p *Pool) Get(ctx context.Context, wait time.Duration) (*Conn, error) {
	t := p.targets[(p.turn.Add(1)-1)%uint64(len(p.targets))]
	until := time.Now().Add(wait)
	for {
		l, err := t.take(ctx, time.Until(until))
		if err != nil {
			return nil, err
		}
		if l == nil {
			if l, err = t.dial(ctx); err != nil {
				t.leave()
				return nil, err
			}
			return newConn(ctx, t, l, false), nil
		}
		if l.look.clean() {
			return newConn(ctx, t, l, true), nil
		}
		l.close()
		t.leave()
	}
}

// Close closes the idle connections and turns away whoever waits for one.
// Connections in use are closed when they are given back.
func (p *Pool) Close() {
	for _, t := range p.targets {
		t.shut()
	}
}

// Stats returns how many connections are open, those being dialled included,
// and how many of them are idle.
func (p *Pool) Stats() (open, idle int) {
	for _, t := range p.targets {
		t.mu.Lock()
		open += t.open
		idle += len(t.idle)
		t.mu.Unlock()
	}
	return open, idle
}
