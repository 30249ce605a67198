package journal

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"tailrace/proxy/exchange"
)

// ErrClosed is returned by every write after [Journal.Close].
var ErrClosed = errors.New("the journal is closed: the program is shutting down")

// ErrAccepted is returned for a claim or a second accept of a row that has its
// accepted result: there is one for each row, ever.
var ErrAccepted = errors.New("the row has an accepted result: recall it, or begin a new row")

// Append commits one step and returns the claim of the attempt it opened, or the
// step's own. When it returns without an error the step survives a kill -9;
// a step with ATTEMPT, SENT or an ending is on the disk as well.
//
// It fails with [exchange.ErrFenced] when a later attempt holds the row,
// [exchange.ErrNotOwed] when Take finds nothing owed, [ErrAccepted] for a claim
// of an accepted row, an *exchange.Refusal of kind NotFound when there is no
// such row, and [ErrClosed]. Nothing of a step that failed is stored.
func (j *Journal) Append(s exchange.Step) (exchange.Claim, error) {
	a := &appending{step: s, now: j.now(), claim: s.Claim, tell: newTell(j)}
	a.step.Events = append([]exchange.Event(nil), s.Events...)
	if err := check(&a.step); err != nil {
		return exchange.Claim{}, err
	}
	queued := s.Claim
	if s.Intent != nil {
		a.sha = sha256.Sum256(s.Intent.Body) // here, not in the writer: bodies may be 64 MiB
		queued = exchange.Claim{}
	}
	if err := a.tell.wait(a, queued); err != nil {
		return exchange.Claim{}, fmt.Errorf("journal: %s: %w", a.what(), err)
	}
	return a.claim, nil
}

// check refuses steps that could not be told apart from a journal gone wrong.
func check(s *exchange.Step) error {
	attempts := 0
	for _, ev := range s.Events {
		switch ev.Name {
		case exchange.ATTEMPT:
			attempts++
		case exchange.COMPLETE:
			return errors.New("journal: COMPLETE is written by Accept, together with the result")
		}
	}
	switch {
	case attempts > 1:
		return errors.New("journal: a step opens one attempt at most")
	case attempts > 0 && s.Intent == nil:
		return errors.New("journal: ATTEMPT needs the intent that is attempted")
	case s.Intent == nil && s.Claim.Row == 0:
		return errors.New("journal: a step needs an intent or a claim")
	case s.End != nil && attempts == 0 && (s.Intent != nil || s.Claim.Attempt == 0):
		return errors.New("journal: only an attempt can end")
	case s.Head != nil && s.Claim.Attempt == 0:
		return errors.New("journal: only an attempt has the head of a response")
	}
	return nil
}
