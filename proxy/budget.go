package proxy

import (
	"errors"
	"os"
	"time"

	"tailrace/proxy/exchange"
)

// arm sets the client write budget of the exchange's route: with
// experimental.h1_fast_path an idle one, re-armed by every piece written,
// without it an absolute one from the request's start.
func (c *conn) arm(t *trip) {
	idle, limit := 5*time.Minute, time.Hour
	if t.route != nil {
		idle, limit = t.route.Stream.ClientIdleTimeout, t.route.Stream.ClientLimit
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.ctx.Err() != nil {
		return // it was cut: hurry has set what is left
	}
	if c.p.cfg.FastPath {
		c.idle = idle
	} else if limit > 0 {
		_ = c.Conn.SetWriteDeadline(t.started.Add(limit))
	}
}

// hurryFor is how long a client may take to read the end of an exchange that was
// cut: 1 s. One that does not read would hold a killed exchange for minutes.
const hurryFor = time.Second

// hurry is called when the exchange under way has been cut.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trip != nil && c.trip.ctx.Err() != nil {
		c.idle = 0
		_ = c.Conn.SetWriteDeadline(time.Now().Add(hurryFor))
	}
}

// spent ends an exchange whose client took longer than its budget.
func (p *Proxy) spent(t *trip, err error) {
	why := errClientLimit
	switch {
	case t == nil || !errors.Is(err, os.ErrDeadlineExceeded) || t.ctx.Err() != nil:
		return // it was cut before, and hurried
	case p.cfg.FastPath:
		why = errClientIdle
	}
	t.end(exchange.OutcomeIncomplete, why)
}

func (c *conn) idleBudget() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}
