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
)

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
		r.end(f, exchange.OutcomeFailed, r.t.scrub(raw), event(exchange.HTTPERROR, d))
		return &another{wait, errors.New("the provider answered " + strconv.Itoa(status))}
	}
	events := []exchange.Event{event(exchange.HTTPERROR, d)}
	if status >= 500 && status != http.StatusServiceUnavailable && status != 529 {
		events = append(events, event(exchange.DEADLETTER, exchange.Detail{Error: "the provider answered " + strconv.Itoa(status)}))
	}
	return c.passOn(f, events)
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

// passOn sends what came to the client as it comes. What is no stream is read
// first as far as its raw bytes are kept, so that they are in the same commit as
// the event.
func (c *call) passOn(f *fetch, events []exchange.Event) error {
	body := flight.NewBody() // kept, since riders are refused with the same bytes
	if f.stream {
		c.record.end(f, exchange.OutcomeRefused, nil, events...)
		c.fl.Publish(f.head, body)
	}
	raw, err := io.ReadAll(io.LimitReader(&tee{f, body}, rawMost))
	if cause := context.Cause(c.fl.Ctx); cause != nil && f.ending != exchange.EndingComplete {
		c.record.refusedAndCut(f, cause, c.t.scrub(raw), events[0])
		body.End(cause)
		return c.give(cause)
	}
	c.record.end(f, exchange.OutcomeRefused, c.t.scrub(raw), events...)
	c.fl.Publish(f.head, body)
	if err == nil && f.ending == exchange.EndingNone {
		err = f.pump(body, 0)
	}
	body.End(err)
	return nil
}

// tee writes what is read from a fetch into a body.
type tee struct {
	f    *fetch
	body *flight.Body
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.f.Read(p)
	t.body.Write(p[:n])
	return n, err
}
