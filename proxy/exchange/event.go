package exchange

import (
	"encoding/json"
	"time"
)

// EventName names an entry of the journal's log.
type EventName string

// The documented events, with their members.
const (
	ATTEMPT    EventName = "ATTEMPT"     // {n, after}
	SENT       EventName = "SENT"        // null
	TIMEOUT    EventName = "TIMEOUT"     // null
	INCOMPLETE EventName = "INCOMPLETE"  // {error}
	COMPLETE   EventName = "COMPLETE"    // null
	CACHEHIT   EventName = "CACHE_HIT"   // null
	DEADLETTER EventName = "DEAD_LETTER" // null
)

// Our own events.
const (
	NOTSENT     EventName = "NOT_SENT"    // {phase}: nothing left this machine
	HEADERS     EventName = "HEADERS"     // {status}
	HTTPERROR   EventName = "HTTP_ERROR"  // {status, retry_after}
	BROKEN      EventName = "BROKEN"      // lost after SENT without a response byte
	INTERRUPTED EventName = "INTERRUPTED" // {phase}: the process died; written at the next open
	KILLED      EventName = "KILLED"      // {by, phase}
	CONFIRMED   EventName = "CONFIRMED"   // {risk}: an operator took the risk of a retry
	DISCARDED   EventName = "DISCARDED"   // an operator gave the request up
	CLIENTGONE  EventName = "CLIENT_GONE"
	RESUME      EventName = "RESUME"
)

// Documented reports whether the event is one of the seven that the documented
// module writes; ATTEMPT's member "after" names only those.
func (n EventName) Documented() bool {
	switch n {
	case ATTEMPT, SENT, TIMEOUT, INCOMPLETE, COMPLETE, CACHEHIT, DEADLETTER:
		return true
	}
	return false
}

// Event is one line of the journal: append-only, in the order of Seq.
type Event struct {
	Seq     int64 // set by the journal
	Row     int64
	Name    EventName
	Attempt int // numbered through the row, 0 for events of the row itself
	At      time.Time
	Detail  Detail
}

// Detail holds the members of an event; which ones are meant depends on its
// name. Members beyond the documented ones stand beside them, never instead.
type Detail struct {
	N          int       // ATTEMPT: counting from 1 within one client request or one retry
	After      EventName // ATTEMPT: newest documented event before it, "" for null
	Last       EventName // ATTEMPT: newest event of all, when it is one of ours
	Error      string    // INCOMPLETE, NOT_SENT, BROKEN, DEAD_LETTER: in words
	Status     int       // HEADERS, HTTP_ERROR
	RetryAfter int       // HTTP_ERROR: seconds
	Phase      string    // NOT_SENT: "queue", "dial"; INTERRUPTED, KILLED: where it was
	By         string    // KILLED: "operator", "api", "limit"
	Risk       int       // CONFIRMED
	Tokens     int       // INCOMPLETE, KILLED, CLIENT_GONE: output tokens received
	Delivered  bool      // INCOMPLETE, CLIENT_GONE: content reached a client
	Retry      bool      // another attempt of the same request is due
	Stream     bool      // HEADERS: of a stream
}

type detailJSON struct {
	Error      string    `json:"error,omitempty"`
	Status     int       `json:"status,omitempty"`
	RetryAfter int       `json:"retry_after,omitempty"`
	Phase      string    `json:"phase,omitempty"`
	By         string    `json:"by,omitempty"`
	Risk       int       `json:"risk,omitempty"`
	Tokens     int       `json:"tokens,omitempty"`
	Delivered  bool      `json:"delivered,omitempty"`
	Retry      bool      `json:"retry,omitempty"`
	Stream     bool      `json:"stream,omitempty"`
	Last       EventName `json:"last,omitempty"`
}

type attemptJSON struct {
	N     int        `json:"n"`
	After *EventName `json:"after"`
	Last  EventName  `json:"last,omitempty"`
}

// JSON returns the members as a JSON object, or "" where the documented form
// is null.
func (e *Event) JSON() string {
	d := e.Detail
	if d == (Detail{}) && e.Name != ATTEMPT {
		return ""
	}
	var v any = detailJSON{
		Error: d.Error, Status: d.Status, RetryAfter: d.RetryAfter, Phase: d.Phase, By: d.By, Risk: d.Risk,
		Tokens: d.Tokens, Delivered: d.Delivered, Retry: d.Retry, Stream: d.Stream, Last: d.Last,
	}
	if e.Name == ATTEMPT {
		a := attemptJSON{N: d.N, Last: d.Last}
		if d.After != "" {
			a.After = &d.After
		}
		v = a
	}
	b, err := json.Marshal(v)
	if err != nil { // these structs always marshal
		panic(err)
	}
	return string(b)
}

// ParseDetail reads what Event.JSON wrote. Members it does not know are
// ignored, so that a journal of a later version can be listed.
func ParseDetail(s string) (Detail, error) {
	if s == "" || s == "null" {
		return Detail{}, nil
	}
	var v struct {
		detailJSON
		N     int        `json:"n"`
		After *EventName `json:"after"`
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return Detail{}, err
	}
	d := Detail{
		N: v.N, Last: v.Last, Error: v.Error, Status: v.Status, RetryAfter: v.RetryAfter, Phase: v.Phase, By: v.By,
		Risk: v.Risk, Tokens: v.Tokens, Delivered: v.Delivered, Retry: v.Retry, Stream: v.Stream,
	}
	if v.After != nil {
		d.After = *v.After
	}
	return d, nil
}
