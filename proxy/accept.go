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

// passOn sends what came to the client as it comes. What is small is read whole
// first, so that the journal has its raw bytes in the same commit as the event.
func (c *call) passOn(f *fetch, events []exchange.Event) error {
	raw, err := io.ReadAll(io.LimitReader(f, rawMost))
	c.record.end(f, exchange.OutcomeRefused, []byte(exchange.RedactText(string(raw))), events...)
	body := flight.NewBody() // kept, since riders are refused with the same bytes
	body.Write(raw)
	c.fl.Publish(f.head, body)
	if err == nil && f.ending == exchange.EndingNone {
		err = f.pump(body, f.route.MaxResponseBytes)
	}
	body.End(err)
	return nil
}

// hold keeps a plain answer back until its result is accepted, so that nobody
// acts on half of one.
func (c *call) hold(f *fetch) error {
	c.headers(f)
	body := flight.NewBody()
	err := f.pump(body, f.route.MaxResponseBytes)
	whole, _ := body.Whole()
	raw := whole[:min(len(whole), rawMost)]
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
	c.accept(f, exchange.Result{Status: f.head.Status, Header: storedHeader(f.head.Header), Body: whole, Usage: usage, Owed: c.alone && c.record.intent.Stream})
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
	buf := make([]byte, 32<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 && c.record.open {
			c.p.journal.Record(c.record.claim, buf[:n])
		}
		complete, content, usage, _, _ := f.gauge.read()
		if whole := f.ending == exchange.EndingComplete; c.record.open && f.stream && (complete || whole) {
			c.p.retries.remove(c.name(), c) // who comes now gets the accepted result
			c.accept(f, exchange.Result{Status: f.head.Status, Header: storedHeader(f.head.Header), Stream: true, Usage: usage, Owed: c.alone && c.rider.Load() == nil})
		}
		if n > 0 {
			body.Write(buf[:n])
		}
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
		if cause := context.Cause(c.fl.Ctx); cause != nil && err != nil {
			c.record.cut(f, cause, "streaming", d)
			err = cause
		} else if c.record.open {
			if d.Error = f.cause; d.Error == "" {
				d.Error = "not a JSON answer: " + f.head.Header.Get("Content-Type")
			}
			d.Error = exchange.RedactText(d.Error)
			c.record.end(f, exchange.OutcomeIncomplete, nil, event(exchange.INCOMPLETE, d))
		}
		body.End(err)
		return nil
	}
}

// client is the exchange that waits for the answer, nil for an operator's retry
// that nobody has joined.
func (c *call) client() *trip {
	if c.alone {
		return c.rider.Load()
	}
	return c.t
}

// name is what equal calls share.
func (c *call) name() string { return c.record.intent.Scope + "\x00" + c.record.intent.Key }

// headers writes that a head is in hand, and which.
func (c *call) headers(f *fetch) {
	head := f.head
	head.Header = exchange.RedactHeader(head.Header)
	c.record.say(&head, event(exchange.HEADERS, exchange.Detail{Status: head.Status, Stream: f.stream}))
}

// accept writes result and COMPLETE in one transaction. If that cannot be, the
// paid answer is delivered all the same, unaccepted, and the operator told.
func (c *call) accept(f *fetch, res exchange.Result) {
	if err := c.p.journal.Accept(c.record.claim, res); err != nil {
		c.p.trouble(err)
		return
	}
	c.record.open = false
	if client := c.client(); client != nil && res.Stream {
		client.owes.Store(c.record.row) // until it has seen the end
	}
}

// storedHeader is what a replay carries of the accepted answer's head.
func storedHeader(h exchange.Header) exchange.Header {
	return exchange.RedactHeader(h.Without("X-Journal-Key", "X-Journal-Attempts", "Set-Cookie"))
}
