package proxy

import (
	"tailrace/proxy/exchange"
)

// settle decides how the exchange ended. The first to know decides: an exchange
// that was killed is killed, although its transfer then breaks too.
func (t *trip) settle(o exchange.Outcome, cause string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.outcome == "" {
		t.outcome, t.cause = o, cause
	}
}

// end cuts the exchange for a reason. It reports false when it was over.
func (t *trip) end(o exchange.Outcome, why error) bool {
	t.mu.Lock()
	over := t.finished || t.outcome != ""
	if !over {
		t.outcome, t.cause = o, why.Error()
	}
	t.mu.Unlock()
	if !over {
		t.cancel(why)
	}
	return !over
}

// finish ends the exchange once its last byte went out, or never will.
// writeErr is what the client's connection said.
func (t *trip) finish(writeErr error) {
	t.mu.Lock()
	if t.finished {
		t.mu.Unlock()
		return
	}
	t.finished = true
	if t.outcome == "" {
		switch {
		case writeErr != nil:
			t.outcome, t.cause = exchange.OutcomeClientGone, errClientGone.Error()
		case t.verdict.Source == exchange.SourceHot, t.verdict.Source == exchange.SourceJournal:
			t.outcome = exchange.OutcomeHit
		default:
			t.outcome = exchange.OutcomeCompleted
		}
	}
	f := exchange.Finished{
		Stamp: t.stamp(), Outcome: t.outcome, Status: t.status,
		BytesOut: t.bytesOut, Usage: t.usage, Cause: t.cause,
	}
	owes := t.owes
	served := exchange.Served{
		Stamp: f.Stamp, Method: t.req.Method, Target: exchange.RedactTarget(t.req.Target), Host: t.req.Host, Client: t.client,
		Status: t.status, BytesOut: t.bytesOut, Verdict: t.verdict, Duration: f.At.Sub(t.started),
	}
	t.mu.Unlock()
	t.cancel(errClientGone) // whatever still works for it alone stops
	if t.body != nil {
		_ = t.body.CloseWithError(nil) // fasthttp does not, after a panic
	}
	t.p.forget(t.id)
	if owes != 0 && f.Outcome != exchange.OutcomeHit && f.Outcome != exchange.OutcomeCompleted {
		// Its client did not see the end: the next one may have it.
		_, err := t.p.journal.Append(exchange.Step{Claim: exchange.Claim{Row: owes}, Owe: true})
		t.p.trouble(err)
	}
	if t.served {
		served.Route = t.route.Name
		t.p.say(served)
		return
	}
	t.p.say(f)
}

// clientGone is told by the connection's watch. A client that leaves with the
// whole answer, or after the terminal marker of a stream, is not gone.
func (t *trip) clientGone() {
	t.mu.Lock()
	if t.outcome == "" && t.handed {
		t.mu.Unlock()
		return // it has the whole answer, and closes its connection
	}
	if t.outcome == "" && t.sawEnd() {
		t.outcome = exchange.OutcomeCompleted
	}
	t.mu.Unlock()
	if !t.end(exchange.OutcomeClientGone, errClientGone) {
		t.cancel(errClientGone)
	}
}

// sawEnd reports whether the stream's terminal marker has gone to the client.
// The lock is held.
func (t *trip) sawEnd() bool {
	at := t.wholeAt.Load()
	return at > 0 && t.bytesOut >= at
}

// forget takes an exchange out of the registry, and wakes whoever waits for it
// to become empty.
func (p *Proxy) forget(id exchange.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.trips, id)
	if len(p.trips) == 0 {
		p.idle.Broadcast()
	}
}
