package journal

import (
	"time"

	"tailrace/proxy/exchange"
)

// attempt is where an attempt is stored, and whether it is over.
type attempt struct {
	id    int64
	ended bool
}

// attempt finds the attempt of a claim, and refuses one that was fenced off.
func (s *session) attempt(r *row, c exchange.Claim) (a attempt, err error) {
	if c.Fence != r.fence {
		return a, refused{exchange.ErrFenced}
	}
	found, err := s.get("SELECT id, ended_at <> 0 FROM attempts WHERE request_id = ? AND n = ?",
		[]any{r.ID, c.Attempt}, &a.id, &a.ended)
	if err == nil && !found {
		return a, refuse("row %d has no attempt %d", r.ID, c.Attempt)
	}
	return a, err
}

// openAttempt adds attempt n of a row under its new fence. One that was still
// open can say nothing more, so it ends here.
func (s *session) openAttempt(r *row, n int, now time.Time) (int64, error) {
	if n > 1 {
		if _, err := s.exec("UPDATE attempts SET ended_at = ?, outcome = ?, error = ? WHERE request_id = ? AND ended_at = 0",
			micros(now), string(exchange.OutcomeIncomplete), "a later attempt took the row over", r.ID); err != nil {
			return 0, err
		}
	}
	return s.insert(`INSERT INTO attempts (request_id, n, fence, status, header, ended_at, outcome, bytes, usage, error)
		VALUES (?, ?, ?, 0, '', 0, '', 0, '', '')`, r.ID, n, r.fence)
}

// head keeps what a response began with while the rest of it comes.
func (s *session) head(id int64, h *exchange.Head) error {
	_, err := s.exec("UPDATE attempts SET status = ?, header = ? WHERE id = ?", h.Status, encodeHeader(h.Header), id)
	return err
}

// end closes an attempt. What is not said anew of its head stays.
func (s *session) end(id int64, e *exchange.AttemptEnd, now time.Time) error {
	_, err := s.exec(`UPDATE attempts SET ended_at = ?, outcome = ?, status = iif(?3 = 0, status, ?3),
		header = iif(?4 = '', header, ?4), bytes = ?, usage = ?, error = ?, raw = ? WHERE id = ?`,
		micros(now), string(e.Outcome), e.Status, encodeHeader(e.Header), e.Bytes, encodeUsage(e.Usage), e.Error, blob(e.Raw), id)
	return err
}

// blob keeps nil and empty apart: nil is NULL.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
