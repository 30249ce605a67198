package journal

import (
	"tailrace/proxy/exchange"
)

// Dossier returns all that is known of a row, as of one moment. It fails with an
// *exchange.Refusal of kind NotFound when there is no such row.
func (j *Journal) Dossier(row int64) (d exchange.Dossier, err error) {
	err = j.readers.view(func(s *session) error {
		if d.Entry, err = readEntry(s, row); err != nil {
			return err
		}
		if d.Intent, err = readIntent(s, row, true); err != nil {
			return err
		}
		if d.Events, err = readEvents(s, row); err != nil {
			return err
		}
		if d.Result, err = readResult(s, row, true); err != nil {
			return err
		}
		d.Attempts, err = readAttempts(s, row, d.Events)
		return err
	})
	if err != nil {
		return exchange.Dossier{}, err
	}
	return d, nil
}

func readEvents(s *session, row int64) (out []exchange.Event, err error) {
	err = s.each(func(scan func(...any) error) error {
		ev := exchange.Event{Row: row}
		var at int64
		var detail string
		if err := scan(&ev.Seq, &ev.Attempt, &ev.Name, &at, &detail); err != nil {
			return err
		}
		ev.At = fromMicros(at)
		var err error
		ev.Detail, err = exchange.ParseDetail(detail)
		out = append(out, ev)
		return err
	}, "SELECT seq, attempt, event, ts, coalesce(detail, '') FROM events WHERE request_id = ? ORDER BY seq", row)
	return out, err
}

// readAttempts reads the attempts of a row; when they began, and how far they
// came, the events tell.
func readAttempts(s *session, row int64, events []exchange.Event) ([]exchange.Attempt, error) {
	var out []exchange.Attempt
	var ids []int64
	err := s.each(func(scan func(...any) error) error {
		var a exchange.Attempt
		var id, ended int64
		var header, usage string
		err := scan(&id, &a.N, &ended, &a.Outcome, &a.Status, &header, &a.Bytes, &usage, &a.Error, &a.Raw)
		if err != nil {
			return err
		}
		a.EndedAt = fromMicros(ended)
		if a.Header, err = decodeHeader(header); err != nil {
			return err
		}
		a.Usage, err = decodeUsage(usage)
		out, ids = append(out, a), append(ids, id)
		return err
	}, `SELECT a.id, a.n, a.ended_at, a.outcome, a.status, a.header, a.bytes, a.usage, a.error, coalesce(a.raw, s.body)
		FROM attempts a LEFT JOIN results s ON s.request_id = a.request_id AND s.attempt = a.n
		WHERE a.request_id = ? ORDER BY a.n`, row)
	if err != nil {
		return nil, err
	}
	for i := range out {
		a := &out[i]
		if a.Raw == nil {
			if a.Raw, err = readChunks(s, ids[i]); err != nil {
				return nil, err
			}
		}
		times(a, events)
	}
	return out, nil
}

func times(a *exchange.Attempt, events []exchange.Event) {
	for _, ev := range events {
		if ev.Attempt != a.N {
			continue
		}
		switch ev.Name {
		case exchange.ATTEMPT:
			a.StartedAt = ev.At
		case exchange.SENT:
			a.SentAt = ev.At
		case exchange.HEADERS:
			a.HeadersAt = ev.At
		}
	}
}
