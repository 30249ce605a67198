package proxy

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
	"tailrace/proxy/llm"
)

// Retry sends a row of the journal again, as a new attempt that nobody waits
// for; its result answers the application's next identical request. The error
// is an *exchange.Refusal when the journal does not allow it.
func (p *Proxy) Retry(row int64, how exchange.Retry) (exchange.Started, error) {
	if p.journal == nil {
		return exchange.Started{}, &exchange.Refusal{Kind: exchange.NotFound, Why: "there is no journal: nothing can be retried"}
	}
	known, err := p.journal.Recall(exchange.Ask{Row: row, Body: true})
	for range 2 {
		if err != nil || !known.Entry.State.Active() {
			break
		}
		// One that was killed or ended a moment ago may still be writing that
		// down, or has written it since.
		p.under.settle(context.Background(), known.Intent.Name())
		known, err = p.journal.Recall(exchange.Ask{Row: row, Body: true})
	}
	if err != nil {
		return exchange.Started{}, err
	}
	req, route, missing, err := p.revive(&known)
	if err != nil {
		return exchange.Started{}, err
	}
	if err := p.allowed(&known, how, missing, route.Journal.Free); err != nil {
		return exchange.Started{}, err
	}
	target, reserved := row, row
	if how.New {
		target, reserved = 0, -row // one run of a row as new at a time: a key held down sends once
	}
	if !p.rows.hold(reserved) {
		return exchange.Started{}, &exchange.Refusal{Kind: exchange.NotNow, Why: "this request is under way already"}
	}
	risk := known.Entry.Risk
	if how.Confirm && !how.New && risk >= exchange.RiskCharged {
		_, err := p.journal.Append(exchange.Step{
			Claim: exchange.Claim{Row: row}, Events: []exchange.Event{event(exchange.CONFIRMED, exchange.Detail{Risk: int(risk)})},
		})
		if err != nil {
			p.rows.release(reserved)
			return exchange.Started{}, err
		}
	}
	intent := known.Intent
	t := p.launch(req, route, row)
	fl := flight.New(t.id)
	if !intent.Stream {
		var first bool
		if fl, first = p.calls.Join(intent.Name(), t.id); !first {
			fl.Leave(nil)
			p.rows.release(reserved)
			t.settle(exchange.OutcomeRefused, "the same request is in flight")
			t.finish(nil)
			return exchange.Started{}, &exchange.Refusal{Kind: exchange.NotNow, Why: "the same request is in flight: its answer will be accepted"}
		}
	}
	c := &call{p: p, t: t, fl: fl, most: t.route.Journal.MaxAttempts, alone: true, over: make(chan struct{})}
	t.secrets = secretsOf(req)
	c.record = record{p: p, t: t, intent: intent, row: target, original: t.original(&intent)}
	c.reserved = reserved
	if how.New { // said in the row that it begins; the old one stays as it is
		c.record.confirmed = risk
	}
	if intent.Stream {
		p.retries.add(c.name(), c)
	}
	c.start()
	p.work.Add(1)
	go t.await(fl)
	started := exchange.Started{ID: t.id, Row: row, Attempt: known.Attempt + 1}
	if how.New {
		started.Attempt = 1
	}
	return started, nil
}

// allowed is what the journal says of sending a row again.
func (p *Proxy) allowed(known *exchange.Recalled, how exchange.Retry, missing []string, free bool) error {
	e := &known.Entry
	switch {
	case e.Accepted && !how.New:
		return &exchange.Refusal{Kind: exchange.NotNow, Why: "this request has an accepted result: the same request is answered from it; run it as new to send it again"}
	case e.State.Active() && p.under.any(known.Intent.Name()):
		return &exchange.Refusal{Kind: exchange.NotNow, Why: "this request is under way already"}
	case how.Confirm:
		return nil
	case len(missing) > 0:
		return &exchange.Refusal{Kind: exchange.NeedsConfirm, Risk: e.Risk, Why: words(e, free) + "It would go without the header fields whose values are not kept: " + strings.Join(missing, ", ") + "."}
	case e.Risk >= exchange.RiskCharged && !free: // a retry that may cost money is asked about
		return &exchange.Refusal{Kind: exchange.NeedsConfirm, Risk: e.Risk, Why: e.Words()}
	}
	return nil
}

// words say what a retry may cost, where it may cost anything.
func words(e *exchange.Entry, free bool) string {
	if free {
		return ""
	}
	return e.Words() + " "
}

// revive makes the stored request one that can be sent: the same bytes, with
// the credential that this process still knows, or its route's. missing names
// the fields whose values are gone.
func (p *Proxy) revive(known *exchange.Recalled) (req *exchange.Request, route *route, missing []string, err error) {
	in := &known.Intent
	if !known.Found {
		return nil, nil, nil, &exchange.Refusal{Kind: exchange.NotFound, Why: "the journal has no such request"}
	}
	req = &exchange.Request{Method: in.Method, Target: in.Target, Body: in.Body}
	for _, r := range p.routes {
		if r.Name == in.Route && r.Journal.Mode == JournalIdempotent {
			route = r
		}
	}
	if route == nil {
		return nil, nil, nil, &exchange.Refusal{Kind: exchange.NotNow, Why: "route " + in.Route + ", which this request came by, is not configured any more"}
	}
	was, remembered := p.memory.get(known.Entry.ID)
	switch {
	case in.BodyIntact:
	case remembered:
		req.Target, req.Body = was.target, was.body
	default:
		return nil, nil, nil, &exchange.Refusal{Kind: exchange.NotNow, Why: "this request held a secret that was not written down, so its bytes cannot be sent again: let the application send it"}
	}
	for _, f := range in.Header {
		switch {
		case f.Value == exchange.Redacted:
		case !strings.HasPrefix(f.Value, withheld):
			req.Header = append(req.Header, f)
		case !insignificant(f.Name):
			missing = append(missing, f.Name)
		}
	}
	if in.Credential != "" {
		cred, ok := p.credential(in.Credential)
		if !ok && route.Auth == "" {
			return nil, nil, nil, &exchange.Refusal{Kind: exchange.NotNow, Why: "the credential of this request is not known to this process: send any request with it once, or set auth: env:NAME on route " + in.Route}
		}
		req.Header = append(req.Header, cred...)
	}
	if remembered {
		req.Header, missing = was.header, nil
	}
	return req, route, missing, nil
}

// launch begins the exchange of a retry: one without a client.
func (p *Proxy) launch(req *exchange.Request, r *route, row int64) *trip {
	t := p.begin(req)
	t.route, t.out, t.retryOf = r, r.outgoing(req), row
	t.call = llm.Inspect(req, r.Stream.Intent == IntentStrict)
	t.received()
	v := exchange.Verdict{XCache: exchange.MISS, Reason: "retry"}
	if t.call.Stream() {
		v = exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-" + string(t.call.Declared)}
	}
	t.decide(v, row)
	return t
}

// await stands where the client of a retry would: it reads the answer to its
// end, so that the exchange ends with it, and can be killed.
func (t *trip) await(fl *flight.Flight) {
	defer t.p.work.Done()
	head, body, err := fl.Head(t.ctx, false)
	if err == nil {
		t.mu.Lock()
		t.status = head.Status
		t.mu.Unlock()
		var from *flight.Reader
		if from, err = body.NewReader(); err == nil {
			stop := context.AfterFunc(t.ctx, func() { from.Fail(context.Cause(t.ctx)) })
			_, err = io.Copy(io.Discard, from)
			stop()
			_ = from.Close()
		}
	}
	if err != nil {
		f := t.p.failure(t, err)
		t.settle(f.outcome, f.message)
	} else if head.Status >= http.StatusBadRequest {
		t.settle(exchange.OutcomeRefused, "the provider answered "+strconv.Itoa(head.Status))
	}
	if cause := context.Cause(t.ctx); cause != nil {
		err = cause
	}
	fl.Leave(err)
	t.finish(nil)
}
