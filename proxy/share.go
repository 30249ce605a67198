package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"tailrace/proxy/cache"
	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
)

// share fetches what may be stored, and lets others ride on it where they may.
func (p *Proxy) share(t *trip, d *cache.Decision) *answer {
	fl, first := flight.New(t.id), true
	if d.Collapse {
		fl, first = p.misses.Join(d.Key, t.id)
	}
	if first {
		p.work.Add(1)
		go p.lead(t, d, fl)
	} else {
		p.say(exchange.Joined{Stamp: t.stamp(), Leader: fl.Leader})
	}
	head, body, err := fl.Head(t.ctx, !first)
	var from *flight.Reader
	if err == nil && !first && fl.Shares != nil && !fl.Shares(t.out) {
		err = flight.ErrAlone // another variant
	}
	if err == nil {
		from, err = body.NewReader()
	}
	switch {
	case errors.Is(err, flight.ErrAlone), errors.Is(err, flight.ErrTooLate):
		// It is not shared after all: fetch at the same time as all the others
		// who thought they could ride, not one after the other.
		fl.Leave(err)
		return p.direct(t)
	case err != nil:
		fl.Leave(err)
		return t.fail(p.failure(t, err))
	}
	t.verdict = fl.Verdict
	return t.flown(fl, head, from)
}

// flown is the answer that reads a flight. A kill, or a client that hangs up,
// ends this reader; the fetch goes on while another exchange reads it.
func (t *trip) flown(fl *flight.Flight, head exchange.Head, from *flight.Reader) *answer {
	var once sync.Once
	leave := func(err error) { once.Do(func() { fl.Leave(err) }) }
	stop := context.AfterFunc(t.ctx, func() {
		// At once, not when the client's connection takes the end: it may be
		// one that does not read. And before the client can see it, so that a
		// request that is back at once finds this one left.
		leave(context.Cause(t.ctx))
		from.Fail(context.Cause(t.ctx))
	})
	return t.pass(head, from, func(err error) {
		stop()
		if cause := context.Cause(t.ctx); cause != nil {
			err = cause
		}
		leave(err)
	})
}

// lead is the fetch of a flight: it outlives the client that began it while
// others ride, and tees what may be stored.
func (p *Proxy) lead(t *trip, d *cache.Decision, fl *flight.Flight) {
	defer p.work.Done()
	f := p.newFetch(fl.Ctx, t)
	defer f.close(nil)
	defer fl.Close()
	defer p.guard(fl.Fail)
	if err := f.open(); err != nil {
		f.close(err)
		fl.Fail(err)
		return
	}
	plan := p.cache.Plan(&f.route.policy, d, f.req, &f.head, f.sentAt, f.headAt)
	fl.Verdict, fl.Shares = d.Verdict, plan.Shares
	body, most := flight.NewBody(), f.route.MaxResponseBytes
	switch {
	case f.head.Length > most && (plan.Store || plan.Reason == "too-large"):
		fl.Fail(tooLarge(errTooLarge))
		return
	case !plan.Store:
		fl.Verdict.Reason, most = plan.Reason, 0
		body.Release()
		fl.Alone(f.head, body)
	case f.route.buffered.Load() > f.route.MaxBufferBytes:
		fl.Verdict.Reason = "buffered"
		f.route.fallback.Add(1)
		if err := f.pump(body, most); err != nil {
			fl.Fail(tooLarge(err))
			return
		}
	default:
		fl.Publish(f.head, body)
	}
	err := f.pump(body, most) // at its end already, when it was buffered
	// Stored before it is sealed: whoever has read the end and asks again finds it.
	if whole, ok := body.Whole(); ok && err == nil && plan.Store && p.cache.Store(&plan, whole) {
		p.say(exchange.Stored{Stamp: f.stamp(), Bytes: int64(len(whole)), TTL: plan.TTL})
	}
	body.End(err)
	fl.Publish(f.head, body)
}

// tooLarge is the 502 for a body that cannot be held or teed.
func tooLarge(err error) *failure {
	return &failure{status: http.StatusBadGateway, code: "bad_gateway", message: "tailrace: the origin's answer was given up: " + exchange.RedactText(err.Error()), outcome: exchange.OutcomeFailed, sent: true}
}

// errTooLarge cuts a tee that grows past max_response_bytes.
var errTooLarge = errors.New("the body is larger than max_response_bytes")

// readLeast and readMost bound the buffer a body is read with: a stream of small
// events needs little, and there may be thousands of them.
const (
	readLeast = 4 << 10
	readMost  = 32 << 10
)

// roomFor is a larger buffer where the last read has filled this one.
func roomFor(buf []byte, n int) []byte {
	if n < len(buf) || n >= readMost {
		return buf
	}
	return make([]byte, 2*n)
}

// pump reads the fetch into a body, up to most bytes (0: no bound); nil means
// that all of it came. It does not seal the body.
func (f *fetch) pump(body *flight.Body, most int64) error {
	buf := make([]byte, readLeast)
	var total, buffered int64
	defer func() { f.route.buffered.Add(-buffered) }()
	for f.ending == exchange.EndingNone {
		n, err := f.Read(buf)
		total += int64(n)
		if most > 0 { // what only passes through is no buffer, however long it is
			buffered += int64(n)
			f.route.buffered.Add(int64(n))
		}
		if most > 0 && total > most {
			f.ending, f.cause = exchange.EndingBroken, errTooLarge.Error()
			return errTooLarge
		}
		if n > 0 {
			body.Write(buf[:n])
		}
		buf = roomFor(buf, n)
		if most <= 0 && total > f.route.MaxResponseBytes {
			body.Release() // kept for nobody who comes later, never cut
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}
