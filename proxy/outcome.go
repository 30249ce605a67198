package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
	"tailrace/proxy/llm"
	"tailrace/proxy/origin"
)

// This file is the decision table of the journal: what an attempt has come to,
// what is written of it, and whether another one may follow.

// errUnanswered is what a call ends in when its last attempt brought nothing.
func (c *call) give(err error) error {
	c.fl.Fail(err)
	return err
}

// unanswered judges an attempt that brought no head.
func (c *call) unanswered(f *fetch, err error) error {
	var shed *errShed
	var oe *origin.Error
	r := &c.record
	switch cause := context.Cause(c.fl.Ctx); {
	case cause != nil:
		r.cut(f, cause, "waiting", exchange.Detail{})
		return c.give(cause)
	case errors.As(err, &shed):
		r.unsent(false, exchange.OutcomeShed, event(exchange.NOTSENT, exchange.Detail{Phase: "queue", Error: shedWords(shed.Reason, f.route)}))
		return c.give(err)
	case !errors.As(err, &oe):
		return c.give(err)
	case !oe.Wrote:
		again := r.n < max(c.most, 2)
		e := event(exchange.NOTSENT, exchange.Detail{Phase: "dial", Error: exchange.RedactText(oe.Error()), Retry: again})
		if r.open { // the pooled connection died during the commit, and so did the dial after it
			r.end(f, exchange.OutcomeFailed, nil, e)
		} else {
			r.unsent(true, exchange.OutcomeFailed, e)
		}
		return c.againOr(again, backoff(r.n), err)
	case timedOut(oe):
		return c.timeout(f, err)
	case oe.Got:
		return c.incomplete(f, exchange.RedactText(oe.Error()), nil, err)
	}
	again := r.n < c.most
	events := []exchange.Event{event(exchange.BROKEN, exchange.Detail{Error: exchange.RedactText(oe.Error()), Retry: again})}
	if !again {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{Error: "the connection was lost after the request was sent"}))
	}
	r.end(f, exchange.OutcomeFailed, nil, events...)
	return c.againOr(again, backoff(r.n), err)
}

// againOr lets the loop go on, or gives the error to whoever waits.
func (c *call) againOr(again bool, after time.Duration, err error) error {
	if again {
		return &another{after, err}
	}
	return c.give(err)
}

// timeout: no head in the header wait, or not whole in fetch_timeout.
func (c *call) timeout(f *fetch, err error) error {
	again := c.record.n < c.most
	events := []exchange.Event{event(exchange.TIMEOUT, exchange.Detail{})}
	if !again {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{}))
	}
	c.record.end(f, exchange.OutcomeFailed, nil, events...)
	return c.againOr(again, backoff(c.record.n), err)
}

// incomplete: the answer ended early, does not parse or has the wrong envelope;
// no result is created.
func (c *call) incomplete(f *fetch, words string, raw []byte, err error) error {
	again := c.record.n < c.most
	f.ending, f.cause = exchange.EndingIncomplete, words
	c.record.end(f, exchange.OutcomeIncomplete, raw, event(exchange.INCOMPLETE, exchange.Detail{Error: words, Retry: again}))
	return c.againOr(again, backoff(c.record.n), err)
}

// refused: the provider answered with an error. It is passed on unchanged,
// unless the table allows another attempt.
func (c *call) refused(f *fetch) error {
	status, after := f.head.Status, retryAfter(f.head.Header)
	r := &c.record
	again, wait := false, backoff(r.n)
	switch {
	case after >= 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529):
		wait = time.Duration(after) * time.Second
		again = r.n < max(c.most, 2) && wait <= min(60*time.Second, c.patience())
	case status >= 500:
		again = r.n < c.most
	}
	d := exchange.Detail{Status: status, RetryAfter: max(after, 0), Retry: again}
	if again {
		raw, _ := io.ReadAll(io.LimitReader(f, rawMost))
		r.end(f, exchange.OutcomeFailed, []byte(exchange.RedactText(string(raw))), event(exchange.HTTPERROR, d))
		return &another{wait, errors.New("the provider answered " + strconv.Itoa(status))}
	}
	events := []exchange.Event{event(exchange.HTTPERROR, d)}
	if status >= 500 && status != http.StatusServiceUnavailable && status != 529 {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{Error: "the provider answered " + strconv.Itoa(status)}))
	}
	return c.passOn(f, events)
}

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

// patience is how long this call's client still waits, as far as it told.
func (c *call) patience() time.Duration {
	limit := c.t.route.FetchTimeout
	for _, name := range []string{"x-stainless-timeout", "x-stainless-read-timeout"} {
		if s, err := strconv.ParseFloat(c.t.req.Header.Get(name), 64); err == nil && s > 0 && s < 1e6 {
			limit = time.Duration(s * float64(time.Second))
			break
		}
	}
	return limit - time.Since(c.t.started)
}

// retryAfter reads Retry-After in seconds; -1 when there is none to read.
func retryAfter(h exchange.Header) int {
	v := h.Get("Retry-After")
	if s, err := strconv.Atoi(v); err == nil && s >= 0 {
		return s
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(int(time.Until(at).Seconds()+0.999), 0)
	}
	return -1
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
	body.Release()
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
			c.accept(f, exchange.Result{Status: f.head.Status, Header: storedHeader(f.head.Header), Stream: true, Usage: usage, Owed: c.alone})
		}
		if n > 0 {
			body.Write(buf[:n])
		}
		if err == nil {
			continue
		}
		d := exchange.Detail{Delivered: content && !c.alone}
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
	if res.Stream && !c.alone {
		c.t.owes.Store(c.record.row) // until its client has seen the end
	}
}

// storedHeader is what a replay carries of the accepted answer's head.
func storedHeader(h exchange.Header) exchange.Header {
	return exchange.RedactHeader(h.Without("X-Journal-Key", "X-Journal-Attempts", "Set-Cookie"))
}
