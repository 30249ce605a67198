package proxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"tailrace/proxy/exchange"
)

// Why an exchange was cut: the causes of its context.
var (
	errKilled     = errors.New("killed by the operator")
	errClientGone = errors.New("the client left before the end")
	errClosing    = errors.New("shutting down: the answer was cut")

	errClientIdle  = errors.New("client write budget: the client stopped reading")
	errClientLimit = errors.New("absolute client budget")
)

// trip is one exchange under way: it begins, says what happens, and finishes
// exactly once.
type trip struct {
	p       *Proxy
	id      exchange.ID
	req     *exchange.Request
	route   *route
	call    exchange.Call
	verdict exchange.Verdict
	out     *exchange.Request // as the origin gets it
	origin  string            // an allow-listed Origin, which may read the answer
	secrets []string          // values of its credential, removed from what is kept
	client  string            // its address, "" for an operator's retry
	retryOf int64             // the journal row an operator retries, else 0
	started time.Time

	row  journaled
	body *reply // of its answer, nil when that is whole
	owes int64  // row of an accepted stream whose end this exchange's client has yet to see

	// wholeAt is where in the body the stream is complete: 1 past its terminal
	// marker, 0 as long as there is none. A client that has read so far and
	// leaves has had everything.
	wholeAt *atomic.Int64

	// ctx ends when the exchange is to end: killed, its client gone, shutdown.
	// What is done for this exchange alone stops then.
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	outcome  exchange.Outcome // first one wins
	cause    string
	status   int
	bytesOut int64
	usage    exchange.Usage
	sent     bool // some fetch of this exchange has written to an origin
	at       exchange.Phase
	told     bool // Received has been said
	handed   bool // the last byte of the answer has been handed to the connection
	served   bool // a hit from memory: one fact, Served, stands for all
	finished bool
}

// journaled is what an answer of our own says of its journal row.
type journaled struct {
	Key      string // "" when the exchange is not journaled
	attempts atomic.Int32
}

// begin registers an exchange, so that it can be killed and is waited for.
func (p *Proxy) begin(req *exchange.Request) *trip {
	t := &trip{p: p, req: req, started: time.Now(), wholeAt: new(atomic.Int64), at: exchange.PhaseReceived}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	p.mu.Lock()
	p.lastID++
	t.id = p.lastID
	p.trips[t.id] = t
	if p.closing {
		t.cancel(errClosing)
	}
	p.mu.Unlock()
	return t
}

// stamp is the time and the name of a fact of this exchange.
func (t *trip) stamp() exchange.Stamp { return exchange.Stamp{ID: t.id, At: time.Now()} }

// phase is where the exchange is: the last that a fact of it said.
func (t *trip) phase() exchange.Phase {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// enter keeps the phase, for the answer to a Kill and for the journal.
func (t *trip) enter(ph exchange.Phase) {
	t.mu.Lock()
	t.at = ph
	t.mu.Unlock()
}

// say states a fact to every observer, in line.
func (p *Proxy) say(f exchange.Fact) {
	for _, o := range p.observers {
		o.Observe(f)
	}
}

// count adds body bytes that went to the client.
func (t *trip) count(n int) {
	t.mu.Lock()
	t.bytesOut += int64(n)
	t.mu.Unlock()
}

// owe keeps that its client has yet to see the end of what a row was accepted
// with. It reports false when the exchange has ended without that.
func (t *trip) owe(row int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.finished {
		t.owes = row
		return true
	}
	return t.outcome == exchange.OutcomeCompleted
}

// left reports whether the exchange has ended without the end of its answer.
func (t *trip) left() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.finished && t.outcome != exchange.OutcomeCompleted
}

// sentBody lets go of the request's body: it was sent, and where a journal keeps
// it, that has it.
func (t *trip) sentBody() {
	t.req.Body, t.out.Body = nil, nil
}

// whole keeps that the last byte of the answer is on its way.
func (t *trip) whole() {
	t.mu.Lock()
	t.handed = true
	t.mu.Unlock()
}

// wrote keeps that a fetch of this exchange may have reached its provider, from
// before its first byte, and reports whether an earlier one had.
func (t *trip) wrote() (before bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, t.sent = t.sent, true
	return before
}

// unwrote takes that back: not one byte has left.
func (t *trip) unwrote() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = false
}

// wasSent reports whether the provider may have got this exchange's request.
func (t *trip) wasSent() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent
}

// spent keeps what a fetch of this exchange has cost.
func (t *trip) spent(u exchange.Usage) {
	t.mu.Lock()
	if u != (exchange.Usage{}) {
		t.usage = u
	}
	t.mu.Unlock()
}

// received says that the exchange is under way; once, and with what is known of
// it by then.
func (t *trip) received() {
	if t.told {
		return
	}
	t.told = true
	f := exchange.Received{
		Stamp: exchange.Stamp{ID: t.id, At: t.started}, Method: t.req.Method, Target: exchange.RedactTarget(t.req.Target),
		Host: t.req.Host, Client: t.client, Header: exchange.RedactHeader(t.req.Header),
		BodyBytes: len(t.req.Body), Call: t.call, RetryOf: t.retryOf,
	}
	if t.route != nil {
		f.Route = t.route.Name
	}
	t.p.say(f)
}

// decide says what the cache and the journal said.
func (t *trip) decide(v exchange.Verdict, row int64) {
	t.verdict = v
	t.p.say(exchange.Decided{Stamp: t.stamp(), Verdict: v, Row: row})
}

// answered says what goes out, and keeps it for the end.
func (t *trip) answered(a *answer) {
	t.mu.Lock()
	t.status, t.verdict = a.head.Status, a.verdict
	t.mu.Unlock()
	if t.served {
		return
	}
	t.received()
	t.p.say(exchange.Answered{
		Stamp: t.stamp(), Status: a.head.Status, Header: t.scrubHeader(a.head.Header), Verdict: a.verdict,
	})
}
