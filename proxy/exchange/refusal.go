package exchange

import "errors"

// ErrNotOwed is returned by the journal when an owed result was taken by
// somebody else first.
var ErrNotOwed = errors.New("the result is not owed: another request took it")

// ErrFenced is returned by the journal when a later attempt holds the row.
var ErrFenced = errors.New("a later attempt holds this row: what an earlier one says is not written")

// RefusalKind says why a command was refused.
type RefusalKind int

// The kinds. The admin API answers NotFound with 404 and the others with 409.
const (
	NotFound     RefusalKind = iota
	NotNow                   // it has ended, or is under way
	NeedsConfirm             // it may cost money; Risk says what
)

// Refusal is the answer to a command that is not carried out.
type Refusal struct {
	Kind RefusalKind
	Why  string // one sentence for a person
	Risk Risk   // with NeedsConfirm
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Why }

// Retry says how an operator wants a row to be sent again.
type Retry struct {
	Confirm bool // the risk is known and taken
	New     bool // as a new row, also when the old one was accepted
}

// Started is what a retry began.
type Started struct {
	ID      ID
	Row     int64
	Attempt int
}
