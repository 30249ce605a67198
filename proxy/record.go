package proxy

import (
	"errors"
	"sync"
	"time"

	"tailrace/proxy/exchange"
)

// record is what one call writes in the journal: its row, and the claim of the
// attempt under way.
type record struct {
	p         *Proxy
	t         *trip
	intent    exchange.Intent
	row       int64 // 0 until the first step created it
	n         int   // attempt of this call, from 1
	claim     exchange.Claim
	open      bool          // the claim's attempt has not ended
	confirmed exchange.Risk // that an operator took when he ran an accepted row as new
	original  original      // what the journal does not keep, for a retry by this process
}

// rawMost bounds what is kept of a body that was refused: 256 KiB.
const rawMost = 256 << 10

func event(name exchange.EventName, d exchange.Detail) exchange.Event {
	return exchange.Event{Name: name, At: time.Now(), Detail: d}
}

// begin is one commit that opens an attempt.
func (r *record) begin(end *exchange.AttemptEnd, events ...exchange.Event) error {
	if r.row == 0 && r.confirmed > exchange.RiskNone {
		events = append([]exchange.Event{event(exchange.CONFIRMED, exchange.Detail{Risk: int(r.confirmed)})}, events...)
	}
	claim, err := r.p.journal.Append(exchange.Step{Intent: &r.intent, Row: r.row, Claim: r.claim, Events: events, End: end})
	if err != nil {
		return err
	}
	r.claim, r.row, r.open = claim, claim.Row, end == nil
	r.t.row.attempts.Store(int32(claim.Attempt))
	return nil
}

// sent is the write-ahead step: request, claim, ATTEMPT and SENT are on disk
// when it returns, and only then may the first byte leave.
func (r *record) sent() error {
	err := r.begin(nil, event(exchange.ATTEMPT, exchange.Detail{N: r.n}), event(exchange.SENT, exchange.Detail{}))
	if err == nil {
		r.p.memory.keep(r.row, r.original)
	}
	return err
}

// unsent is one commit for what never left: a shed or a kill in the queue has
// no attempt, a failed dial has one.
func (r *record) unsent(attempt bool, outcome exchange.Outcome, e exchange.Event) {
	if !attempt {
		_, err := r.p.journal.Append(exchange.Step{Intent: &r.intent, Row: r.row, Claim: r.claim, Events: []exchange.Event{e}})
		r.p.trouble(err)
		return
	}
	end := &exchange.AttemptEnd{Outcome: outcome, Error: e.Detail.Error}
	r.p.trouble(r.begin(end, event(exchange.ATTEMPT, exchange.Detail{N: r.n}), e))
}

// end closes the attempt with the events that say why.
func (r *record) end(f *fetch, outcome exchange.Outcome, raw []byte, events ...exchange.Event) {
	if !r.open {
		return
	}
	r.open = false
	end := &exchange.AttemptEnd{Outcome: outcome, Status: f.head.Status, Raw: raw}
	if f.gauge != nil {
		_, _, end.Usage, _, end.Bytes = f.gauge.read()
		end.Header = r.t.scrubHeader(f.head.Header)
	}
	for _, e := range events {
		if e.Detail.Error != "" {
			end.Error = e.Detail.Error
		}
	}
	_, err := r.p.journal.Append(exchange.Step{Claim: r.claim, Events: events, End: end})
	r.p.trouble(err)
}

// say appends an event in the middle of an attempt.
func (r *record) say(head *exchange.Head, e exchange.Event) {
	_, err := r.p.journal.Append(exchange.Step{Claim: r.claim, Events: []exchange.Event{e}, Head: head})
	r.p.trouble(err)
}

// cut writes why an attempt was cut by somebody on this side.
func (r *record) cut(f *fetch, why error, phase string, d exchange.Detail) {
	outcome, e := exchange.OutcomeClientGone, event(exchange.CLIENTGONE, d)
	switch {
	case errors.Is(why, errClientIdle), errors.Is(why, errClientLimit):
		d.Error = why.Error()
		outcome, e = exchange.OutcomeIncomplete, event(exchange.INCOMPLETE, d)
	case errors.Is(why, errKilled):
		d.By, d.Phase, d.Delivered = "operator", phase, false
		outcome, e = exchange.OutcomeKilled, event(exchange.KILLED, d)
	case errors.Is(why, errClosing):
		d.Phase, d.Delivered = phase, false
		outcome, e = exchange.OutcomeInterrupted, event(exchange.INTERRUPTED, d)
	}
	if r.open {
		r.end(f, outcome, nil, e)
		return
	}
	switch {
	case outcome == exchange.OutcomeKilled: // so that its client's SDK does not bring it back
		e.Detail.Phase = "queue"
		r.unsent(false, outcome, e)
	case r.n > 1: // or the row would wait for its next attempt for ever
		r.unsent(false, outcome, e)
	}
}

// refusedAndCut writes that the provider's refusal was cut by somebody on this
// side while its body was under way.
func (r *record) refusedAndCut(f *fetch, why error, raw []byte, refusal exchange.Event) {
	e := event(exchange.CLIENTGONE, exchange.Detail{})
	outcome := exchange.OutcomeClientGone
	switch {
	case errors.Is(why, errKilled):
		outcome, e = exchange.OutcomeKilled, event(exchange.KILLED, exchange.Detail{By: "operator", Phase: "streaming"})
	case errors.Is(why, errClosing):
		outcome, e = exchange.OutcomeInterrupted, event(exchange.INTERRUPTED, exchange.Detail{Phase: "streaming"})
	}
	r.end(f, outcome, raw, refusal, e)
}

// gaveUp writes that a call was ended while it waited for its next attempt.
func (r *record) gaveUp(why error) {
	switch {
	case errors.Is(why, errKilled):
		r.unsent(false, exchange.OutcomeKilled, event(exchange.KILLED, exchange.Detail{By: "operator", Phase: "retry-wait"}))
	case errors.Is(why, errClosing):
		r.unsent(false, exchange.OutcomeInterrupted, event(exchange.INTERRUPTED, exchange.Detail{Phase: "retry-wait"}))
	default:
		r.unsent(false, exchange.OutcomeClientGone, event(exchange.CLIENTGONE, exchange.Detail{}))
	}
}

// trouble tells the operator that a line of the journal is missing.
func (p *Proxy) trouble(err error) {
	if err != nil && !errors.Is(err, exchange.ErrFenced) && p.cfg.Notice != nil {
		p.cfg.Notice("journal: an event could not be written: " + err.Error())
	}
}

// rows are the journal rows that a call of this process is working on.
type rows struct {
	mu sync.Mutex
	m  map[int64]bool
}

// hold reserves a row; false means that another call has it.
func (r *rows) hold(row int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m[row] {
		return false
	}
	if r.m == nil {
		r.m = map[int64]bool{}
	}
	r.m[row] = true
	return true
}

func (r *rows) release(row int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, row)
}
