package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"tailrace/proxy/cache"
	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
	"tailrace/proxy/llm"
)

// answer is what goes to the client: a head, and a body that is whole (raw) or
// read as it comes (body).
type answer struct {
	head    exchange.Head
	verdict exchange.Verdict
	raw     []byte
	body    *reply
	key     string        // of the cache, for Cache-Status
	ttl     time.Duration // remaining freshness of a hit
	stored  bool          // it is being stored
}

// answer is the client's side of the path: request -> route -> verdict ->
// flight -> answer.
func (p *Proxy) answer(t *trip) *answer {
	r := p.match(t.req)
	if r == nil {
		return t.noRoute()
	}
	t.route, t.out = r, r.outgoing(t.req)
	t.call = llm.Inspect(t.req, r.Stream.Intent == IntentStrict)
	if p.journals(t) {
		return p.attempt(t)
	}
	d := p.cache.Decide(&r.policy, t.out, t.call.Stream(), time.Now())
	if t.call.Stream() {
		d.Verdict.Reason = "declared-stream-" + string(t.call.Declared)
	}
	if d.Object != nil {
		return t.hit(&d)
	}
	t.received()
	t.decide(d.Verdict, 0)
	switch {
	case d.OnlyIfCached:
		return t.fail(&failure{status: http.StatusGatewayTimeout, code: "only_if_cached", message: "tailrace: the request says only-if-cached, and the cache has no fresh answer", outcome: exchange.OutcomeRefused})
	case d.Store:
		return p.share(t, &d)
	}
	return p.direct(t)
}

// hit answers from memory.
func (t *trip) hit(d *cache.Decision) *answer {
	now := time.Now()
	head, body := d.Object.Answer(t.req, now)
	t.verdict, t.served = d.Verdict, true
	a := &answer{head: head, verdict: d.Verdict, raw: body, key: d.Object.Name(), ttl: d.Object.TTL(now)}
	return a.mark()
}

// direct fetches for this client alone and lets its own goroutine read the
// origin: what nobody else can read needs no Body between.
func (p *Proxy) direct(t *trip) *answer {
	f := p.newFetch(t.ctx, t)
	opened := false
	defer func() {
		if !opened { // also by a panic
			f.close(errGivenUp)
		}
	}()
	if err := f.open(); err != nil {
		f.close(err)
		return t.fail(p.failure(t, err))
	}
	opened = true
	t.sentBody()
	return t.pass(f.head, fetchBody{f}, func(error) { f.close(nil) })
}

// errGivenUp ends a fetch that a panic interrupted.
var errGivenUp = errors.New("the fetch was given up")

// fetchBody reads a fetch; closing it is closing the fetch, which reply does.
type fetchBody struct{ *fetch }

func (b fetchBody) Close() error { return nil }

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
		// one that does not read.
		from.Fail(context.Cause(t.ctx))
		leave(context.Cause(t.ctx))
	})
	return t.pass(head, from, func(err error) {
		stop()
		if cause := context.Cause(t.ctx); cause != nil {
			err = cause
		}
		leave(err)
	})
}

// pass is the answer of an origin on its way through.
func (t *trip) pass(head exchange.Head, from io.ReadCloser, done func(error)) *answer {
	v := t.verdict
	v.Source = exchange.SourceOrigin
	a := &answer{head: head, verdict: v}
	a.body = t.reply(&head, from, done)
	return a.mark()
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

// pump reads the fetch into a body, up to most bytes (0: no bound); nil means
// that all of it came. It does not seal the body.
func (f *fetch) pump(body *flight.Body, most int64) error {
	buf := make([]byte, 32<<10)
	var total int64
	defer func() { f.route.buffered.Add(-total) }()
	for f.ending == exchange.EndingNone {
		n, err := f.Read(buf)
		total += int64(n)
		f.route.buffered.Add(int64(n))
		if most > 0 && total > most {
			f.ending, f.cause = exchange.EndingBroken, errTooLarge.Error()
			return errTooLarge
		}
		if n > 0 {
			body.Write(buf[:n])
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// mark puts our own fields on the head: what the cache said, and why.
func (a *answer) mark() *answer {
	h := a.head.Header[:len(a.head.Header):len(a.head.Header)]
	h = append(h, exchange.Field{Name: "X-Cache", Value: string(a.verdict.XCache)})
	if a.verdict.Source != exchange.SourceNone {
		h = append(h, exchange.Field{Name: "X-Cache-Source", Value: string(a.verdict.Source)})
	}
	a.head.Header = append(h, exchange.Field{Name: "Cache-Status", Value: cache.CacheStatus(a.verdict, a.key, a.ttl, a.stored)})
	return a
}
