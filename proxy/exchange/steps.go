package exchange

import "time"

// Claim names the one attempt that may write to a row. A later claim of the
// same row fences off the earlier one.
type Claim struct {
	Row     int64
	Attempt int // numbered through the row
	Fence   int64
}

// Intent is a request as the journal keeps it: without credentials.
type Intent struct {
	Scope, Key string
	Digest     [32]byte
	Route      string
	Origin     string // base URL of the pool
	Method     string
	Target     string // redacted
	Dialect    Dialect
	API        string
	Model      string
	Stream     bool
	Header     Header // the allowed fields; of the others name, length and fingerprint
	Credential string // keyed fingerprint, "" when the request brought none
	Body       []byte
	BodyIntact bool   // redaction changed nothing in Target and Body
	Preview    string // first words of the prompt
}

// Name is what equal requests share: scope and key in one.
func (in *Intent) Name() string { return in.Scope + "\x00" + in.Key }

// Step is one durable commit of the journal's write-ahead log. It either opens
// an attempt (Intent is set) or goes on with one (Claim is set), or speaks of a
// row as a whole (Claim.Row alone).
type Step struct {
	Intent *Intent // claims a row; together with Events in one commit
	Row    int64   // with Intent: the row to go on with, 0 for a new one
	Claim  Claim   // without Intent
	Events []Event // Seq, Row and, for a new attempt, Attempt are filled in

	Head *Head       // with HEADERS: of the response, redacted; what a stream cut by a crash is replayed with
	End  *AttemptEnd // the attempt is over
	Take bool        // with CACHE_HIT: take the owed result, or fail with ErrNotOwed
	Owe  bool        // the client did not see the end of what it had taken
}

// AttemptEnd is what became of an attempt.
type AttemptEnd struct {
	Outcome Outcome
	Status  int
	Header  Header // of the response, redacted, nil without a head
	Bytes   int64
	Usage   Usage
	Error   string
	Raw     []byte // body as received where it was not recorded piece by piece, bounded
}

// Result is an accepted answer: whole, or not at all.
type Result struct {
	Status   int
	Header   Header // Content-Type, Content-Encoding, Date and other end-to-end fields
	Body     []byte // nil for a stream whose pieces were recorded
	Stream   bool
	Usage    Usage
	Owed     bool // no client saw its end
	Accepted time.Time
}

// Ask is a question to the journal: by row, or by scope and key.
type Ask struct {
	Row    int64 // of that row; else:
	Scope  string
	Key    string
	Digest [32]byte
	Body   bool // with the request's body and the result's
}

// Recalled is what the journal knows: the newest row of a scope and key.
type Recalled struct {
	Found   bool
	Entry   Entry
	LastAt  time.Time // of the newest event
	After   EventName // newest documented event of this scope and key, over all generations
	Newest  EventName // newest event of all
	Intent  Intent    // Body only when asked for
	Result  *Result   // nil until one is accepted; Body only when asked for
	Attempt int       // number of the newest attempt
}

// Attempt is one send of a row.
type Attempt struct {
	N                            int
	StartedAt, SentAt, HeadersAt time.Time
	EndedAt                      time.Time
	Outcome                      Outcome
	Status                       int
	Header                       Header
	Bytes                        int64
	Usage                        Usage
	Error                        string
	Raw                          []byte
}

// Dossier is all that is known of a row.
type Dossier struct {
	Entry    Entry
	Events   []Event // oldest first
	Attempts []Attempt
	Intent   Intent
	Result   *Result
}

// Page asks for a page of the journal, newest row first.
type Page struct {
	State  RowState // "" for all
	Key    string   // "" for all
	Before int64    // rows with a smaller id only, 0 from the newest
	Limit  int      // 1..1000, 0 = 100
}
