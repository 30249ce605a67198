package journal

import (
	"fmt"
	"time"

	"tailrace/proxy/exchange"
)

// Accept writes an answer as the result of its row, with COMPLETE and the end
// of the attempt, in one transaction behind all pieces recorded for the claim.
// A nil Body stands for those pieces. When it returns without an error the
// result is on the disk; a reader finds all of it or nothing.
//
// It fails with [exchange.ErrFenced], with [ErrAccepted] when the row has a
// result, and when pieces of the body could not be stored: an answer with a
// hole is never accepted.
func (j *Journal) Accept(c exchange.Claim, r exchange.Result) error {
	a := &accepting{claim: c, result: r, now: j.now(), torn: j.torn, tell: newTell(j)}
	if err := a.tell.wait(a, c); err != nil {
		return fmt.Errorf("journal: accept row %d: %w", c.Row, err)
	}
	return nil
}

// accepting is a result on its way to the disk.
type accepting struct {
	tell
	claim  exchange.Claim
	result exchange.Result
	now    time.Time
	torn   torn
}

func (a *accepting) size() int     { return len(a.result.Body) }
func (a *accepting) durable() bool { return true }

func (a *accepting) write(s *session) error {
	r, err := s.load(a.claim.Row)
	if err != nil {
		return err
	}
	att, err := s.attempt(r, a.claim)
	switch {
	case err != nil:
		return err
	case r.Accepted:
		return refused{ErrAccepted}
	case att.ended:
		return refuse("attempt %d has ended without a result", a.claim.Attempt)
	case a.result.Body == nil && a.torn[a.claim]:
		return refuse("pieces of its body could not be stored")
	}
	return s.accept(r, att.id, a.claim.Attempt, a.result, a.now)
}

// accept writes the result of an open attempt; whoever calls has seen that it
// may.
func (s *session) accept(r *row, id int64, n int, res exchange.Result, now time.Time) error {
	if res.Accepted.IsZero() {
		res.Accepted = now
	}
	bytes := int64(len(res.Body))
	if res.Body == nil {
		if _, err := s.get("SELECT coalesce(sum(length(body)), 0) FROM chunks WHERE attempt_id = ?", []any{id}, &bytes); err != nil {
			return err
		}
	}
	complete := []exchange.Event{{Name: exchange.COMPLETE, Attempt: n, At: res.Accepted}}
	r.apply(&complete[0], now)
	r.Owed = res.Owed
	if _, err := s.exec(`INSERT INTO results (request_id, attempt, status, header, stream, body, usage, accepted_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, n, res.Status, encodeHeader(res.Header), res.Stream, blob(res.Body), encodeUsage(res.Usage), micros(res.Accepted)); err != nil {
		return err
	}
	if err := s.end(id, &exchange.AttemptEnd{
		Outcome: exchange.OutcomeCompleted, Status: res.Status, Header: res.Header, Bytes: bytes, Usage: res.Usage,
	}, res.Accepted); err != nil {
		return err
	}
	if err := s.save(r); err != nil {
		return err
	}
	return s.log(r.ID, complete)
}
