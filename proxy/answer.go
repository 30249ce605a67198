package proxy

import (
	"errors"
	"io"
	"net/http"
	"time"

	"tailrace/proxy/cache"
	"tailrace/proxy/exchange"
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
	t.secrets = secretsOf(t.req)
	if p.journals(t) {
		return p.attempt(t)
	}
	if p.journal != nil && len(t.secrets) > 0 {
		p.fingerprint(t.req) // arms retries of earlier requests that had the same credential
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

// pass is the answer of an origin on its way through.
func (t *trip) pass(head exchange.Head, from io.ReadCloser, done func(error)) *answer {
	v := t.verdict
	v.Source = exchange.SourceOrigin
	a := &answer{head: head, verdict: v}
	a.body = t.reply(&head, from, done)
	return a.mark()
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
