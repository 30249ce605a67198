package proxy

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
	"tailrace/proxy/origin"
	"tailrace/proxy/queue"
)

// fetch is one send to the origin, and what comes back. Open goes down the
// column (a slot, a connection, the journal, the wire) to the head; Read brings
// the body; Close lets go of everything, whatever happened before.
type fetch struct {
	p      *Proxy
	t      *trip // whose fetch it is; it may outlive that exchange
	route  *route
	req    *exchange.Request // as it goes out
	ctx    context.Context   // its end cuts the fetch in any phase
	record *record           // nil: not journaled
	wait   time.Duration     // for a slot; negative: without a bound

	ticket  *queue.Ticket
	conn    *origin.Conn
	head    exchange.Head
	body    io.ReadCloser
	stream  bool
	sentAt  time.Time
	headAt  time.Time
	gauge   *progress
	ending  exchange.Ending
	cause   string // why it did not end well
	retry   bool   // another attempt follows
	landing sync.Once
}

// errShed: no slot or no connection in time. Reason is the word of the fact.
type errShed struct{ Reason string }

func (e *errShed) Error() string { return "shed: " + e.Reason }

// errJournal: the write-ahead step failed, so nothing was sent.
type errJournal struct{ err error }

func (e *errJournal) Error() string { return "the journal cannot write: " + e.err.Error() }
func (e *errJournal) Unwrap() error { return e.err }

func (p *Proxy) newFetch(ctx context.Context, t *trip) *fetch {
	return &fetch{p: p, t: t, route: t.route, req: t.out, ctx: ctx, wait: t.route.FetchWaitTimeout}
}

func (f *fetch) stamp() exchange.Stamp { return f.t.stamp() }

// open brings the fetch to the head of its response. Errors are an *errShed, an
// *errJournal, an *origin.Error, or the cause of the fetch's context.
func (f *fetch) open() error {
	left, err := f.admit()
	if err != nil {
		return err
	}
	f.conn, err = f.route.pool.Get(f.ctx, left)
	if errors.Is(err, origin.ErrConnections) {
		f.route.queue.CountShed()
		return &errShed{"connections"}
	}
	if err != nil {
		return err
	}
	if f.record != nil {
		if err := f.record.sent(); err != nil {
			return &errJournal{err}
		}
	}
	f.sentAt = time.Now()
	before := f.t.wrote()
	f.t.enter(exchange.PhaseWaiting)
	sent := exchange.Sent{Stamp: f.stamp(), Origin: f.conn.Addr(), Attempt: 1, Reused: f.conn.Reused()}
	if f.record != nil {
		sent.Row, sent.Key, sent.Attempt = f.record.claim.Row, f.record.intent.Key, f.record.claim.Attempt
	}
	f.p.say(sent)
	f.head, f.body, err = f.conn.Send(f.req, f.route.limits(f.t.call.Stream()))
	if err != nil {
		if !before && !f.conn.Wrote() {
			f.t.unwrote() // the pooled connection was dead, and so was the dial
		}
		return err
	}
	f.headed()
	return nil
}

// admit takes a slot, and says what is left of the wait for a connection.
func (f *fetch) admit() (time.Duration, error) {
	var err error
	began := time.Now()
	if f.ticket, err = f.route.queue.Enter(); err != nil {
		return 0, &errShed{"queue-full"}
	}
	f.t.enter(exchange.PhaseQueued)
	if place := f.ticket.Place(); place > 0 {
		f.p.say(exchange.Queued{Stamp: f.stamp(), Route: f.route.Name, Place: place})
	}
	err = f.ticket.Wait(f.ctx, f.wait)
	if errors.Is(err, queue.ErrTimeout) {
		return 0, &errShed{"slots"}
	}
	if err != nil {
		return 0, err
	}
	waited := time.Since(began)
	f.t.enter(exchange.PhaseConnecting)
	f.p.say(exchange.Admitted{Stamp: f.stamp(), Waited: waited})
	if f.wait < 0 {
		return 24 * time.Hour, nil
	}
	return max(f.wait-waited, 0), nil
}

// headed: a stream needs its connection from here on, not its slot.
func (f *fetch) headed() {
	f.headAt = time.Now()
	f.head.Header = f.head.Header.Without(ours...)
	f.stream = llm.IsStream(&f.head)
	f.gauge = &progress{p: f.p, id: f.t.id, meter: llm.NewMeter(&f.t.call, &f.head)}
	f.t.enter(exchange.PhaseStreaming)
	if f.held() {
		f.t.enter(exchange.PhaseHeld)
	}
	f.p.say(exchange.Headed{
		Stamp: f.stamp(), Status: f.head.Status, Header: f.t.scrubHeader(f.head.Header),
		Stream: f.stream, Held: f.held(),
	})
	if f.stream {
		f.ticket.Leave()
		f.route.streams.Add(1)
		if !f.t.call.Stream() {
			f.p.say(exchange.Undeclared{Stamp: f.stamp()})
		}
	}
	if f.p.cache.Invalidate(f.req, &f.head) > 0 {
		f.p.say(exchange.Purged{Stamp: f.stamp(), What: exchange.RedactTarget(f.req.Target), Count: 1})
	}
}

// held reports whether the body is kept back until its result is accepted: a
// 2xx JSON answer of a known dialect that is no stream, on an idempotent route.
func (f *fetch) held() bool {
	ct := strings.ToLower(f.head.Header.Get("Content-Type"))
	return f.record != nil && !f.stream && f.head.Status >= 200 && f.head.Status < 300 &&
		(strings.Contains(ct, "json") || ct == "" && !f.t.call.Stream())
}
