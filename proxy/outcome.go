package proxy

import (
	"context"
	"errors"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/origin"
)

// This file is the decision table of the journal: what an attempt has come to,
// what is written of it, and whether another one may follow.

// give tells everybody who waits that no answer comes.
func (c *call) give(err error) error {
	c.fl.Fail(&attempted{err, int32(c.record.claim.Attempt)})
	return err
}

// unanswered judges an attempt that brought no head.
func (c *call) unanswered(f *fetch, err error) error {
	var shed *errShed
	var oe *origin.Error
	r := &c.record
	switch cause := context.Cause(c.fl.Ctx); {
	case cause != nil:
		r.cut(f, cause, "waiting", exchange.Detail{})
		return c.give(cause)
	case errors.As(err, &shed):
		r.unsent(false, exchange.OutcomeShed, event(exchange.NOTSENT, exchange.Detail{Phase: "queue", Error: shedWords(shed.Reason, f.route)}))
		return c.give(err)
	case !errors.As(err, &oe):
		return c.give(err)
	case !oe.Wrote:
		again := r.n < max(c.most, 2)
		e := event(exchange.NOTSENT, exchange.Detail{Phase: "dial", Error: exchange.RedactText(oe.Error()), Retry: again})
		if r.open { // the pooled connection died during the commit, and so did the dial after it
			r.end(f, exchange.OutcomeFailed, nil, e)
		} else {
			r.unsent(true, exchange.OutcomeFailed, e)
		}
		return c.againOr(again, backoff(r.n), err)
	case timedOut(oe):
		return c.timeout(f, err)
	case oe.Got:
		return c.incomplete(f, exchange.RedactText(oe.Error()), nil, err)
	}
	again := r.n < c.most
	events := []exchange.Event{event(exchange.BROKEN, exchange.Detail{Error: exchange.RedactText(oe.Error()), Retry: again})}
	if !again {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{Error: "the connection was lost after the request was sent"}))
	}
	r.end(f, exchange.OutcomeFailed, nil, events...)
	return c.againOr(again, backoff(r.n), err)
}

// againOr lets the loop go on, or gives the error to whoever waits.
func (c *call) againOr(again bool, after time.Duration, err error) error {
	if again {
		return &another{after, err}
	}
	return c.give(err)
}

// timeout: no head in the header wait, or not whole in fetch_timeout.
func (c *call) timeout(f *fetch, err error) error {
	again := c.record.n < c.most
	events := []exchange.Event{event(exchange.TIMEOUT, exchange.Detail{})}
	if !again {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{}))
	}
	c.record.end(f, exchange.OutcomeFailed, nil, events...)
	return c.againOr(again, backoff(c.record.n), err)
}

// incomplete: the answer ended early, does not parse or has the wrong envelope;
// no result is created.
func (c *call) incomplete(f *fetch, words string, raw []byte, err error) error {
	again := c.record.n < c.most
	f.ending, f.cause = exchange.EndingIncomplete, words
	c.record.end(f, exchange.OutcomeIncomplete, raw, event(exchange.INCOMPLETE, exchange.Detail{Error: words, Retry: again}))
	return c.againOr(again, backoff(c.record.n), err)
}
