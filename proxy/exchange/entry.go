package exchange

import (
	"fmt"
	"time"
)

// RowState is what the journal says of a request: a pure function of its
// events.
type RowState string

// The states; each says what comes next.
const (
	Preparing   RowState = "preparing"   // nothing durable yet
	InFlight    RowState = "in-flight"   // SENT is last: wait
	Streaming   RowState = "streaming"   // the head of a stream came: wait
	Accepted    RowState = "accepted"    // final; the same request is answered from it
	RetryWait   RowState = "retry-wait"  // another attempt of the same request is due
	NotSent     RowState = "not-sent"    // it never left this machine: safe to send
	Rejected    RowState = "rejected"    // the provider refused it: edit and retry
	Uncertain   RowState = "uncertain"   // cut before any content: may have been charged
	Partial     RowState = "partial"     // some content was delivered, the end is missing
	Interrupted RowState = "interrupted" // the process died: the operator or the next request decides
	Killed      RowState = "killed"      // an operator ended it
	DeadLetter  RowState = "dead-letter" // the budget of attempts is spent
	Discarded   RowState = "discarded"   // an operator gave it up
)

// Risk says what sending a request again may cost.
type Risk int

// The risks, least first.
const (
	RiskNone    Risk = 0 // it never left this machine
	RiskRefused Risk = 1 // the provider refused it, normally not billed
	RiskCharged Risk = 2 // it may already have been charged
	RiskPaid    Risk = 3 // output tokens were received
)

// Entry is one row of the journal, a request of a scope and key: the fold of
// its events.
type Entry struct {
	ID          int64
	Key, Scope  string
	Generation  int
	DuplicateOf int64 // an earlier row of the same scope and key, else 0
	Route       string
	Method      string
	Target      string // redacted
	Dialect     Dialect
	API         string
	Model       string
	Stream      bool
	Preview     string // first words of the prompt

	State     RowState
	Last      EventName // without CACHE_HIT and RESUME
	Newest    EventName // of all
	After     EventName // newest documented one
	Attempts  int
	Accepted  bool
	Owed      bool // a complete stream that no client has seen to its end
	Risk      Risk
	Tokens    int // output tokens received by the attempt that received most
	CreatedAt time.Time
	UpdatedAt time.Time

	Prior Risk // of all attempts but the newest; the fold needs it
}

// Apply folds one event into the entry.
func (e *Entry) Apply(ev Event) {
	e.Newest, e.UpdatedAt = ev.Name, ev.At
	if ev.Name.Documented() {
		e.After = ev.Name
	}
	switch ev.Name {
	case CACHEHIT, RESUME:
		return
	}
	e.Last = ev.Name
	if ev.Detail.Tokens > e.Tokens {
		e.Tokens = ev.Detail.Tokens
	}
	if e.Accepted { // stays, whatever a late attempt says
		return
	}
	current := Risk(-1)
	switch d := ev.Detail; ev.Name {
	case ATTEMPT:
		e.Attempts++
		e.Prior, current, e.State = e.Risk, RiskNone, Preparing
	case SENT:
		current, e.State = RiskCharged, InFlight
	case HEADERS:
		if d.Stream {
			e.State = Streaming
		}
	case COMPLETE:
		current, e.State, e.Accepted = RiskPaid, Accepted, true
	case NOTSENT:
		e.State = retryOr(d, NotSent)
		if d.Phase != "queue" { // that is no attempt, and says nothing of those before it
			current = RiskNone
		}
	case HTTPERROR:
		e.State = retryOr(d, Rejected)
		if refused(d.Status) {
			current = RiskRefused
		} else if !d.Retry {
			e.State = Uncertain // a 5xx that ended the budget is followed by DEAD_LETTER
		}
	case TIMEOUT, BROKEN:
		e.State = RetryWait
	case INCOMPLETE:
		switch {
		case d.Delivered:
			e.State = Partial
		default:
			e.State = retryOr(d, DeadLetter)
		}
		if d.Tokens > 0 {
			current = RiskPaid
		}
	case CLIENTGONE:
		e.State = Uncertain
		if d.Delivered {
			e.State = Partial
		}
		if d.Tokens > 0 {
			current = RiskPaid
		}
	case INTERRUPTED:
		e.State = Interrupted
		if d.Tokens > 0 {
			current = RiskPaid
		}
	case KILLED:
		e.State = Killed
		if d.Tokens > 0 {
			current = RiskPaid
		}
	case DEADLETTER:
		e.State = DeadLetter
	case DISCARDED:
		e.State = Discarded
	}
	if current >= 0 {
		e.Risk = max(e.Prior, current)
	}
}

func retryOr(d Detail, s RowState) RowState {
	if d.Retry {
		return RetryWait
	}
	return s
}

// refused reports whether a status says that the provider did no work.
func refused(status int) bool {
	return status < 500 || status == 503 || status == 529
}

// Active reports whether an attempt of the row may still be under way.
func (s RowState) Active() bool {
	switch s {
	case Preparing, InFlight, Streaming, RetryWait:
		return true
	}
	return false
}

// Words says in a sentence what a retry of the row may cost.
func (e *Entry) Words() string {
	switch {
	case e.Accepted:
		return "It was answered and accepted; running it as new is charged again."
	case e.Risk == RiskNone:
		return "It never left this machine; sending it costs nothing twice."
	case e.Risk == RiskRefused:
		return "The provider refused it, which is normally not billed."
	case e.Risk == RiskPaid && e.Tokens == 1:
		return "1 output token was received and paid; a retry is charged again."
	case e.Risk == RiskPaid && e.Tokens > 0:
		return fmt.Sprintf("%d output tokens were received and paid; a retry is charged again.", e.Tokens)
	default:
		return "It may already have been charged; a retry may be charged twice."
	}
}
