package exchange

import "time"

// Observer is told every fact, in line, by the goroutine that states it. It
// returns at once, keeps facts by value and never calls back into the proxy:
// whatever it does slowly slows the traffic. Facts of one exchange arrive in
// order; those of different exchanges arrive from different goroutines.
type Observer interface{ Observe(Fact) }

// Fact is something that has happened to an exchange. Facts are values: a list
// of them is a fixture, a golden file and a demo. No fact carries a credential.
type Fact interface{ Of() Stamp }

// Stamp says which exchange a fact is about, and when it happened.
type Stamp struct {
	ID ID
	At time.Time
}

// Of returns the stamp itself, which makes every struct that embeds it a Fact.
func (s Stamp) Of() Stamp { return s }

// The facts of an exchange. Finished is stated exactly once for each ID that
// was Received, and is the last one about its client's side.
type (
	// Received: a request passed the gate, or an operator retried one.
	Received struct {
		Stamp
		Method, Target, Host string // target with secrets redacted
		Client               string // address of the client, "" for an operator's retry
		Route                string
		Header               Header // redacted
		BodyBytes            int
		Call                 Call
		RetryOf              int64 // journal row that an operator retries, else 0
	}
	// Decided: the cache and the journal have been asked.
	Decided struct {
		Stamp
		Verdict Verdict
		Row     int64 // journal row that answers, else 0
	}
	// Joined: this exchange rides on Leader's fetch.
	Joined struct {
		Stamp
		Leader ID
	}
	// Answered: the head of the answer is on its way to the client.
	Answered struct {
		Stamp
		Status  int
		Header  Header // redacted
		Verdict Verdict
	}
	// Finished: the exchange is over.
	Finished struct {
		Stamp
		Outcome  Outcome
		Status   int   // 0 when no head went out
		BytesOut int64 // body bytes that went to the client
		Usage    Usage
		Cause    string // a sentence for a person, "" when all went well
	}
	// Served: a hit from memory, whole, in one fact instead of four.
	Served struct {
		Stamp
		Method, Target, Host, Client, Route string
		Status                              int
		BytesOut                            int64
		Verdict                             Verdict
		Duration                            time.Duration
	}
)

// The facts of a fetch. They carry the ID of the exchange that began it, which
// may have finished before: a leader leaves, its riders stay.
type (
	// Queued: the fetch stands in line for a slot.
	Queued struct {
		Stamp
		Route string
		Place int // 1 is next
	}
	// Admitted: the fetch has a slot.
	Admitted struct {
		Stamp
		Waited time.Duration
	}
	// Shed: no slot, or no connection, in time.
	Shed struct {
		Stamp
		Route  string
		Reason string // "slots", "queue-full", "connections"
		Row    int64
	}
	// Sent: the request is durable in the journal (if it has one) and its first
	// byte is about to leave.
	Sent struct {
		Stamp
		Origin  string // host:port
		Row     int64  // journal row, 0 when it is not journaled
		Key     string
		Attempt int // numbered through the row; 1 without a journal
		Reused  bool
	}
	// Headed: the head of the response is in hand.
	Headed struct {
		Stamp
		Status int
		Header Header // redacted
		Stream bool   // an event stream or NDJSON, declared or not
		Held   bool   // the body is kept back until it is accepted
	}
	// Progress: bytes have come; at most 20 a second, the last one at the
	// latest 50 ms after the last byte.
	Progress struct {
		Stamp
		Bytes  int64 // of the body, so far
		Events int   // of the stream, so far
		Text   string
		Usage  Usage
		First  time.Time // when the first token came, zero before
		Last   time.Time // when the last byte came
	}
	// Landed: the fetch is over, one way or the other.
	Landed struct {
		Stamp
		Status int // 0 without a head
		Ending Ending
		Bytes  int64
		Events int
		Usage  Usage
		Cause  string // a sentence for a person, "" when all went well
		Row    int64
		Retry  bool // another attempt of the same request is due
	}
	// Undeclared: the origin streams without having been asked to.
	Undeclared struct{ Stamp }
)

// The facts of the cache.
type (
	// Stored: the body is in the cache.
	Stored struct {
		Stamp
		Bytes int64
		TTL   time.Duration
	}
	// Purged: entries were removed, by an operator (ID 0) or by a write.
	Purged struct {
		Stamp
		What  string
		Count int
	}
)
