package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tailrace/proxy/exchange"
	"tailrace/proxy/origin"
)

// Read brings the next piece of the body as it comes, and tells how it ended.
func (f *fetch) Read(p []byte) (int, error) {
	n, err := f.body.Read(p)
	if n > 0 {
		f.gauge.feed(p[:n])
		if complete, _, _, _, at := f.gauge.read(); complete && f.stream && f.t.wholeAt.Load() == 0 {
			f.t.wholeAt.Store(at)
		}
	}
	if err == nil {
		return n, nil
	}
	f.gauge.end(errors.Is(err, io.EOF))
	complete, _, _, _, _ := f.gauge.read()
	switch {
	case f.stream && complete:
		f.ending = exchange.EndingComplete
	case !errors.Is(err, io.EOF):
		f.ending, f.cause = exchange.EndingBroken, f.words(err)
	case !f.stream || f.t.call.Dialect == exchange.DialectNone || complete:
		f.ending = exchange.EndingComplete
	default:
		f.ending, f.cause = exchange.EndingIncomplete, "the stream ended without its terminal marker"
		f.t.settle(exchange.OutcomeIncomplete, f.cause)
	}
	if !errors.Is(err, io.EOF) {
		err = &cut{f.words(err), err}
	}
	return n, err
}

// cut is how a body broke off, in words for people.
type cut struct {
	words string
	err   error
}

func (c *cut) Error() string { return c.words }
func (c *cut) Unwrap() error { return c.err }

// words name the budget that has cut a stream; README and dashboard use the same.
func (f *fetch) words(err error) string {
	switch {
	case errors.Is(err, origin.ErrIdle):
		return "idle budget: the origin stopped without heartbeats"
	case errors.Is(err, origin.ErrFetchTimeout) && f.stream:
		return "undeclared: the client did not ask for a stream"
	}
	return err.Error()
}

// close lets go of the slot and the connection and says how the fetch ended.
// why is an error of open, or nil.
func (f *fetch) close(why error) {
	f.landing.Do(func() {
		if f.body != nil {
			_ = f.body.Close()
		}
		if f.conn != nil {
			f.conn.Close()
		}
		if f.ticket != nil {
			f.ticket.Leave()
		}
		landed := exchange.Landed{Status: f.head.Status, Ending: f.ending, Cause: f.cause, Retry: f.retry}
		if f.record != nil {
			landed.Row = f.record.claim.Row
		}
		if f.gauge != nil {
			f.gauge.end(false)
			_, _, landed.Usage, landed.Events, landed.Bytes = f.gauge.read()
			f.t.spent(landed.Usage)
		}
		if f.stream {
			f.route.streams.Add(-1)
		}
		if landed.Ending == exchange.EndingNone {
			landed.Ending = exchange.EndingBroken
			if cause := context.Cause(f.ctx); cause != nil {
				landed.Cause = cause.Error()
			}
		}
		if why != nil {
			landed.Cause = why.Error()
		}
		var shed *errShed
		landed.Stamp = f.stamp()
		if errors.As(why, &shed) {
			f.p.say(exchange.Shed{Stamp: landed.Stamp, Route: f.route.Name, Reason: shed.Reason, Row: landed.Row})
			return
		}
		f.p.say(landed)
	})
}

// guard contains a panic of a goroutine that fetches: it becomes the fetch's
// failure, and nobody else's.
func (p *Proxy) guard(fail func(error)) {
	if v := recover(); v != nil {
		p.panicked(v, stack())
		fail(fmt.Errorf("panic: %v", v))
	}
}
