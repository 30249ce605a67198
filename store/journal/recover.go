package journal

import (
	"time"

	"tailrace/proxy/exchange"
)

// recovery settles, in one transaction, what a dead process left open. A stream
// that is whole in its recorded pieces is accepted, and owed to whoever asks
// next, since nobody is known to have seen its end; everything else is marked
// INTERRUPTED. Nothing is sent: that is for people, or their next requests.
type recovery struct {
	complete func(exchange.Intent, exchange.Head, []byte) (exchange.Usage, bool)
	now      time.Time
	entries  []exchange.Entry
}

func (o *recovery) size() int     { return 0 }
func (o *recovery) durable() bool { return true }
func (o *recovery) settle(error)  {}

func (o *recovery) write(s *session) error {
	var ids []int64
	err := s.each(func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM requests WHERE state IN ('preparing', 'in-flight', 'streaming', 'retry-wait')
		UNION SELECT request_id FROM attempts WHERE ended_at = 0 ORDER BY 1`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := s.load(id)
		if err != nil {
			return err
		}
		if err := o.settleRow(s, r); err != nil {
			return err
		}
		o.entries = append(o.entries, r.Entry)
	}
	return nil
}

// opened is what is stored of an attempt that nobody ended.
type opened struct {
	id    int64
	n     int
	phase exchange.Phase
	head  exchange.Head
	body  []byte
	usage exchange.Usage
}

func (o *recovery) settleRow(s *session, r *row) error {
	a, whole, err := o.examine(s, r)
	if err != nil {
		return err
	}
	if whole {
		return s.accept(r, a.id, a.n, exchange.Result{
			Status: a.head.Status, Header: a.head.Header, Stream: true, Usage: a.usage, Owed: true,
		}, o.now)
	}
	cut := []exchange.Event{{Name: exchange.INTERRUPTED, Attempt: a.n, Detail: exchange.Detail{
		Phase: string(a.phase), Tokens: a.usage.Output,
	}}}
	r.apply(&cut[0], o.now)
	if err := s.save(r); err != nil {
		return err
	}
	if err := s.log(r.ID, cut); err != nil {
		return err
	}
	if a.id == 0 {
		return nil
	}
	return s.end(a.id, &exchange.AttemptEnd{
		Outcome: exchange.OutcomeInterrupted, Bytes: int64(len(a.body)), Usage: a.usage, Error: "the process died",
	}, o.now)
}

// examine finds the open attempt of a row, how far it came, and whether it is a
// stream that is whole. A row between two attempts has none: it stood in line.
func (o *recovery) examine(s *session, r *row) (a opened, whole bool, err error) {
	a.phase = exchange.PhaseQueued
	var header string
	found, err := s.get("SELECT id, n, status, header FROM attempts WHERE request_id = ? AND ended_at = 0",
		[]any{r.ID}, &a.id, &a.n, &a.head.Status, &header)
	if err != nil || !found {
		return a, false, err
	}
	if a.head.Header, err = decodeHeader(header); err != nil {
		return a, false, err
	}
	a.head.Length = -1
	stream, err := o.phase(s, r, &a)
	if err != nil {
		return a, false, err
	}
	if a.body, err = readChunks(s, a.id); err != nil || len(a.body) == 0 {
		return a, false, err
	}
	in, err := readIntent(s, r.ID, true)
	if err != nil {
		return a, false, err
	}
	a.usage, whole = o.complete(in, a.head, a.body)
	return a, whole && stream && !r.Accepted && a.head.Status/100 == 2, nil
}

// phase reads from the events how far the attempt came, and whether its response
// is a stream.
func (o *recovery) phase(s *session, r *row, a *opened) (stream bool, err error) {
	events, err := readEvents(s, r.ID)
	a.phase = exchange.PhaseConnecting
	for _, ev := range events {
		if ev.Attempt != a.n {
			continue
		}
		switch ev.Name {
		case exchange.SENT:
			a.phase = exchange.PhaseWaiting
		case exchange.HEADERS:
			stream = ev.Detail.Stream
			a.phase = exchange.PhaseHeld
			if stream {
				a.phase = exchange.PhaseStreaming
			}
		}
	}
	return stream, err
}
