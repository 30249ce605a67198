package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"

	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
	"tailrace/proxy/llm"
)

// hold keeps a plain answer back until its result is accepted, so that nobody
// acts on half of one.
func (c *call) hold(f *fetch) error {
	c.headers(f)
	body := flight.NewBody()
	err := f.pump(body, f.route.MaxResponseBytes)
	whole, _ := body.Whole()
	raw := c.t.scrub(whole[:min(len(whole), rawMost)])
	switch cause := context.Cause(c.fl.Ctx); {
	case err != nil && cause != nil:
		c.record.cut(f, cause, "held", exchange.Detail{})
		return c.give(cause)
	case err != nil && timedOut(err):
		return c.timeout(f, err)
	case err != nil:
		return c.incomplete(f, exchange.RedactText(err.Error()), raw, tooLarge(err))
	}
	if err := llm.CheckEnvelope(&c.t.call, &f.head, whole); err != nil {
		return c.incomplete(f, err.Error(), raw, &failure{
			status: http.StatusBadGateway, code: "bad_answer", outcome: exchange.OutcomeIncomplete, sent: true,
			message: "tailrace: the provider's answer is not accepted: " + err.Error() + "; its raw bytes are in the journal",
		})
	}
	_, _, usage, _, _ := f.gauge.read()
	c.accept(f, exchange.Result{Status: f.head.Status, Header: c.t.storedHeader(f.head.Header), Body: whole, Usage: usage, Owed: c.alone && c.record.intent.Stream})
	if c.lost {
		c.record.end(f, exchange.OutcomeIncomplete, raw, event(exchange.INCOMPLETE, exchange.Detail{
			Error: c.unaccepted(f), Tokens: max(usage.Output, 1), Delivered: true,
		}))
	}
	f.head.Length = int64(len(whole))
	body.End(nil)
	c.fl.Publish(f.head, body)
	return nil
}

// flow passes a stream on as it comes and records it. The piece that completes
// its terminal marker waits until the result is accepted.
func (c *call) flow(f *fetch) error {
	c.t.sentBody()
	c.record.intent.Body = nil
	body := flight.NewBody()
	if c.alone { // a client may still join, and reads it from the start
		c.fl.Publish(f.head, body)
	} else {
		body.Release()
	}
	c.fl.Alone(f.head, body) // whoever rode on what is no plain answer after all fetches for itself
	c.headers(f)
	buf := make([]byte, readLeast)
	for {
		n, err := f.Read(buf)
		if n > 0 && c.record.open {
			c.p.journal.Record(c.record.claim, buf[:n])
		}
		complete, content, usage, _, _ := f.gauge.read()
		if whole := f.ending == exchange.EndingComplete; c.record.open && f.stream && (complete || whole) {
			c.p.retries.remove(c.name(), c) // who comes now gets the accepted result
			c.accept(f, exchange.Result{Status: f.head.Status, Header: c.t.storedHeader(f.head.Header), Stream: true, Usage: usage, Owed: c.unseen()})
		}
		if n > 0 {
			body.Write(buf[:n])
		}
		buf = roomFor(buf, n)
		if err == nil {
			continue
		}
		d := exchange.Detail{Delivered: content && c.client() != nil}
		if content {
			d.Tokens = max(usage.Output, 1)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		cause := context.Cause(c.fl.Ctx)
		if cause != nil && err != nil {
			err = cause
		}
		switch {
		case !c.record.open: // accepted: whatever comes after it changes nothing
		case cause != nil && err != nil:
			c.record.cut(f, cause, "streaming", d)
		default:
			d.Error = c.t.scrubText(c.unaccepted(f))
			c.record.end(f, exchange.OutcomeIncomplete, nil, event(exchange.INCOMPLETE, d))
		}
		body.End(err)
		return nil
	}
}

// unaccepted says why a body that was passed on has no accepted result.
func (c *call) unaccepted(f *fetch) string {
	switch {
	case c.lost:
		return "the answer was delivered, but its result could not be written"
	case f.cause != "":
		return f.cause
	}
	return "not a JSON answer: " + f.head.Header.Get("Content-Type")
}

// client is the exchange that waits for the answer, nil for an operator's retry
// that nobody has joined.
func (c *call) client() *trip {
	if c.alone {
		return c.rider.Load()
	}
	return c.t
}

// unseen reports whether nobody waits any more for the end that is about to be
// accepted.
func (c *call) unseen() bool {
	client := c.client()
	return client == nil || client.left()
}

// name is what equal calls share.
func (c *call) name() string { return c.record.intent.Name() }

// headers writes that a head is in hand, and which.
func (c *call) headers(f *fetch) {
	head := f.head
	head.Header = c.t.scrubHeader(head.Header)
	c.record.say(&head, event(exchange.HEADERS, exchange.Detail{Status: head.Status, Stream: f.stream}))
}

// accept writes result and COMPLETE in one transaction. If that cannot be, the
// paid answer is delivered all the same, unaccepted, and the operator told.
func (c *call) accept(f *fetch, res exchange.Result) {
	if err := c.p.journal.Accept(c.record.claim, res); err != nil {
		c.p.trouble(err)
		c.lost = true
		return
	}
	c.record.open = false
	if client := c.client(); client != nil && res.Stream && !client.owe(c.record.row) {
		_, err := c.p.journal.Append(exchange.Step{Claim: exchange.Claim{Row: c.record.row}, Owe: true})
		c.p.trouble(err)
	}
}

// storedHeader is what a replay carries of the accepted answer's head.
func (t *trip) storedHeader(h exchange.Header) exchange.Header {
	return t.scrubHeader(h.Without("X-Journal-Key", "X-Journal-Attempts", "Set-Cookie"))
}
