package proxy

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
)

// call is one journaled call: what is asked once, whatever it takes. Its
// attempts run in a goroutine of their own (the client may leave, riders may
// stay) and end in a flight that everybody reads.
type call struct {
	p        *Proxy
	t        *trip
	fl       *flight.Flight
	record   record
	most     int                  // attempts
	alone    bool                 // an operator's retry: nobody waits
	reserved int64                // in Proxy.rows, 0: nothing
	lost     bool                 // its result could not be written
	over     chan struct{}        // closed when its last word is in the journal
	rider    atomic.Pointer[trip] // the client that joined an operator's stream live
}

// errRode ends a rider's patience with its leader.
var errRode = &failure{
	status: http.StatusConflict, code: "in_flight", retryAfter: 2, outcome: exchange.OutcomeRefused,
	message: "tailrace: the same request is in flight and has not been answered for 30s; its answer will be kept, ask again",
}

// attempt answers a journaled call: recall, else one fetch per attempt, and
// accept. Nothing is sent that the journal does not allow.
func (p *Proxy) attempt(t *trip) *answer {
	t.received()
	v := p.cache.Decide(&t.route.policy, t.out, t.call.Stream(), time.Now()).Verdict
	if t.call.Stream() {
		v.Reason = "declared-stream-" + string(t.call.Declared)
	}
	intent := p.intentOf(t)
	t.row.Key = intent.Key
	ask := freshness{wantsFresh(t.req), t.route.Journal.Explicit}
	if t.call.Stream() && !ask.noCache {
		if a := p.joinLive(t, &intent, v); a != nil {
			return a
		}
	}
	for alone := t.call.Stream() || ask.fresh(); ; alone = true {
		fl, first := flight.New(t.id), true
		if !alone {
			fl, first = p.calls.Join(intent.Name(), t.id)
		}
		if !first {
			t.decide(v, 0)
			if a := p.rideCall(t, fl); a != nil {
				return a
			}
			continue // the leader found an accepted result, or has an answer that is not shared
		}
		a, row := p.recall(t, &intent, ask, v)
		if a != nil {
			fl.Alone(exchange.Head{}, nil)
			fl.Leave(nil)
			return a
		}
		t.decide(v, 0)
		c := &call{p: p, t: t, fl: fl, most: t.route.Journal.MaxAttempts, over: make(chan struct{})}
		c.record = record{p: p, t: t, intent: intent, row: row, original: t.original(&intent)}
		c.reserved = row
		c.start()
		head, body, err := fl.Head(t.ctx, false)
		return t.landedOn(fl, head, body, err)
	}
}

// rideCall waits for the answer of an equal call in flight. Nil means that there
// is none to share: ask the journal, and then fetch, for yourself.
func (p *Proxy) rideCall(t *trip, fl *flight.Flight) *answer {
	p.say(exchange.Joined{Stamp: t.stamp(), Leader: fl.Leader})
	ctx, cancel := context.WithTimeoutCause(t.ctx, 30*time.Second, errRode)
	defer cancel()
	head, body, err := fl.Head(ctx, true)
	if errors.Is(err, flight.ErrAlone) {
		fl.Leave(err)
		return nil
	}
	return t.landedOn(fl, head, body, err)
}

// landedOn answers with what a flight has come to.
func (t *trip) landedOn(fl *flight.Flight, head exchange.Head, body *flight.Body, err error) *answer {
	if err == nil {
		var from *flight.Reader
		if from, err = body.NewReader(); err == nil {
			return t.flown(fl, head, from)
		}
	}
	var told *attempted
	if errors.As(err, &told) { // also a rider's answer says how often it was tried
		t.row.attempts.Store(told.n)
	}
	if cause := context.Cause(t.ctx); cause != nil {
		err = cause
	}
	fl.Leave(err)
	return t.fail(t.p.failure(t, err))
}

// attempted is what a call has come to after n attempts of its row.
type attempted struct {
	error
	n int32
}

func (a *attempted) Unwrap() error { return a.error }

// start makes the attempts in a goroutine of their own.
func (c *call) start() {
	c.p.work.Add(1)
	c.p.under.add(c)
	go c.run()
}

// run makes the attempts; the loop over them is here and nowhere else.
func (c *call) run() {
	defer c.p.work.Done()
	defer c.p.under.remove(c)
	defer c.fl.Close()
	defer c.p.guard(c.fl.Fail)
	defer func() { c.p.rows.release(c.reserved) }()
	defer c.p.retries.remove(c.name(), c)
	for n := 1; ; n++ {
		wait, again := c.once(n)
		if !again {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-c.fl.Ctx.Done():
			timer.Stop()
			c.record.gaveUp(context.Cause(c.fl.Ctx))
			c.fl.Fail(context.Cause(c.fl.Ctx))
			return
		}
	}
}

// once is one attempt: open, judge what came, and either settle the flight or
// say how long to wait before the next.
func (c *call) once(n int) (wait time.Duration, again bool) {
	c.record.n = n
	f := c.p.newFetch(c.fl.Ctx, c.t)
	f.record = &c.record
	if c.alone {
		f.wait = -1
	}
	defer f.close(errGivenUp) // counts only after a panic
	err := f.open()
	if err == nil {
		err = c.landed(f)
	} else {
		err = c.unanswered(f, err)
	}
	var a *another
	if errors.As(err, &a) {
		f.retry = true
		f.close(a)
		return a.after, true
	}
	f.close(err)
	return 0, false
}

// another says that the table allows one more attempt.
type another struct {
	after time.Duration
	why   error
}

func (a *another) Error() string { return a.why.Error() }

// landed handles an attempt whose head is in hand.
func (c *call) landed(f *fetch) error {
	f.head.Header = append(f.head.Header[:len(f.head.Header):len(f.head.Header)],
		exchange.Field{Name: "X-Journal-Key", Value: c.record.intent.Key},
		exchange.Field{Name: "X-Journal-Attempts", Value: strconv.Itoa(c.record.claim.Attempt)})
	switch {
	case f.head.Status < 200 || f.head.Status > 299:
		return c.refused(f)
	case f.held():
		return c.hold(f)
	}
	return c.flow(f)
}

// backoff is the pause before attempt n+1: half a second doubled each time, up
// to 8 s, with jitter so that clients of one outage do not come back as one.
func backoff(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n-1, 6), 8*time.Second)
	return d/2 + rand.N(d/2)
}
