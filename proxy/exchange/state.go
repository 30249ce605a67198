package exchange

import (
	"time"
	"unicode/utf8"
)

// TextTail is how many bytes of a stream's text a State keeps: its last words.
const TextTail = 16 << 10

// State is what is known of one exchange: the fold of its facts. It is a value;
// its slices are never written to after they were set.
type State struct {
	ID                           ID
	Method, Target, Host, Client string
	Route                        string
	Call                         Call
	Header                       Header // of the request, redacted
	BodyBytes                    int
	RetryOf                      int64

	Phase    Phase
	Verdict  Verdict
	Leader   ID     // whose fetch this one rides on, else 0
	Place    int    // in line, while queued
	Row      int64  // journal row, 0 while there is none
	Key      string // request_key, "" when not journaled
	Attempt  int    // 0 before the first
	Origin   string
	Status   int    // of the answer, 0 before its head
	Response Header // redacted

	Stream     bool
	Held       bool
	Undeclared bool
	Ending     Ending
	Bytes      int64 // that came from the origin
	BytesOut   int64 // that went to the client
	Events     int
	Usage      Usage
	Text       string // the last TextTail bytes
	Outcome    Outcome
	Cause      string

	Started, QueuedAt, AdmittedAt, SentAt, HeadAt time.Time
	FirstToken, LastByte, Ended                   time.Time
}

// Live reports whether the exchange has not ended.
func (s *State) Live() bool { return s.Phase != PhaseDone }

// Apply folds one fact into the state. Facts of a fetch that outlives its
// exchange still add what became of it, and never bring it back to life.
func (s *State) Apply(f Fact) {
	at := f.Of().At
	switch f := f.(type) {
	case Received:
		s.ID, s.Started, s.Phase = f.ID, at, PhaseReceived
		s.Method, s.Target, s.Host, s.Client = f.Method, f.Target, f.Host, f.Client
		s.Route, s.Call, s.Header, s.BodyBytes, s.RetryOf = f.Route, f.Call, f.Header, f.BodyBytes, f.RetryOf
		s.Key = f.Call.Key
		if f.RetryOf != 0 {
			s.Row = f.RetryOf
		}
	case Decided:
		s.Verdict = f.Verdict
		if f.Row != 0 {
			s.Row = f.Row
		}
	case Joined:
		s.Leader = f.Leader
		s.phase(PhaseWaiting)
	case Answered:
		s.Status, s.Response, s.Verdict = f.Status, f.Header, f.Verdict
		s.phase(PhaseStreaming)
	case Finished:
		s.Phase, s.Ended, s.Outcome, s.Cause = PhaseDone, at, f.Outcome, f.Cause
		s.BytesOut = f.BytesOut
		if f.Status != 0 {
			s.Status = f.Status
		}
		if f.Usage != (Usage{}) {
			s.Usage = f.Usage
		}
	case Served:
		s.ID, s.Started, s.Ended, s.Phase = f.ID, at.Add(-f.Duration), at, PhaseDone
		s.Method, s.Target, s.Host, s.Client, s.Route = f.Method, f.Target, f.Host, f.Client, f.Route
		s.Status, s.BytesOut, s.Verdict, s.Outcome = f.Status, f.BytesOut, f.Verdict, OutcomeHit
	default:
		s.applyFetch(f, at)
	}
}

func (s *State) applyFetch(f Fact, at time.Time) {
	switch f := f.(type) {
	case Queued:
		s.QueuedAt, s.Place = at, f.Place
		s.phase(PhaseQueued)
	case Admitted:
		s.AdmittedAt, s.Place = at, 0
		s.phase(PhaseConnecting)
	case Shed:
		if f.Row != 0 {
			s.Row = f.Row
		}
	case Sent:
		s.SentAt, s.Origin, s.Attempt = at, f.Origin, f.Attempt
		s.HeadAt, s.FirstToken, s.Ending = time.Time{}, time.Time{}, EndingNone
		s.Bytes, s.Events, s.Text, s.Usage, s.Held = 0, 0, "", Usage{}, false
		if f.Row != 0 {
			s.Row = f.Row
		}
		if f.Key != "" {
			s.Key = f.Key
		}
		s.phase(PhaseWaiting)
	case Headed:
		s.HeadAt, s.Stream, s.Held = at, f.Stream, f.Held
		if s.Status == 0 && !f.Held {
			s.Response = f.Header
		}
		if f.Held {
			s.phase(PhaseHeld)
		} else {
			s.phase(PhaseStreaming)
		}
	case Progress:
		s.Bytes, s.Events, s.Usage, s.LastByte = f.Bytes, f.Events, f.Usage, f.Last
		if !f.First.IsZero() {
			s.FirstToken = f.First
		}
		if s.Phase == PhaseStreaming {
			s.BytesOut = f.Bytes
		}
		s.Text = tail(s.Text + f.Text)
	case Landed:
		s.Ending, s.Bytes, s.Events = f.Ending, f.Bytes, f.Events
		if f.Usage != (Usage{}) {
			s.Usage = f.Usage
		}
		if f.Row != 0 {
			s.Row = f.Row
		}
		if f.Cause != "" && s.Cause == "" && !f.Retry {
			s.Cause = f.Cause
		}
		if f.Retry {
			s.phase(PhaseWaiting)
		}
	case Undeclared:
		s.Undeclared = true
	}
}

// phase moves on, and never back from the end.
func (s *State) phase(p Phase) {
	if s.Phase != PhaseDone {
		s.Phase = p
	}
}

// tail keeps the end of a text, cut at a rune.
func tail(t string) string {
	if len(t) <= TextTail {
		return t
	}
	t = t[len(t)-TextTail:]
	for i := 0; i < len(t) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(t[i]) {
			return t[i:]
		}
	}
	return t
}
