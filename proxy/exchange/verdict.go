package exchange

// XCache is the value of the X-Cache header.
type XCache string

// The values of X-Cache.
const (
	HIT         XCache = "HIT"         // fresh from the cache, or an accepted result of the journal
	MISS        XCache = "MISS"        // fetched from the origin
	STALE       XCache = "STALE"       // a stale object was served
	REVALIDATED XCache = "REVALIDATED" // the origin answered 304, the body is the cache's
	BYPASS      XCache = "BYPASS"      // the cache was not asked
)

// Source is the value of X-Cache-Source: where the bytes came from.
type Source string

// The sources. SourceNone is an answer of our own.
const (
	SourceNone    Source = ""
	SourceHot     Source = "hot"     // the cache in memory
	SourceJournal Source = "journal" // an accepted result
	SourceOrigin  Source = "origin"
)

// Verdict is what the cache says of a request, and why. Reason is a word of
// the README's list ("declared-stream-body", "no-store", "set-cookie", ...), ""
// on a plain HIT.
type Verdict struct {
	XCache XCache
	Source Source
	Reason string
}

// Outcome says how an exchange ended. Each exchange has exactly one.
type Outcome string

// The outcomes.
const (
	OutcomeCompleted   Outcome = "completed"   // answered in full from the origin
	OutcomeHit         Outcome = "hit"         // answered in full from cache or journal
	OutcomeShed        Outcome = "shed"        // no slot in time: 503
	OutcomeRefused     Outcome = "refused"     // we would not: gate, unknown route, 409, 499 after a kill
	OutcomeKilled      Outcome = "killed"      // an operator ended it
	OutcomeClientGone  Outcome = "client-gone" // the client left before the end
	OutcomeFailed      Outcome = "failed"      // the origin did not answer: 502, 504
	OutcomeIncomplete  Outcome = "incomplete"  // the answer broke off or lacks its terminal marker
	OutcomeInterrupted Outcome = "interrupted" // the process died; written at the next open
)

// Phase says where an exchange is.
type Phase string

// The phases, in the order of a request's path.
const (
	PhaseReceived   Phase = "received"
	PhaseQueued     Phase = "queued"
	PhaseConnecting Phase = "connecting"
	PhaseWaiting    Phase = "waiting"   // sent, no head yet
	PhaseStreaming  Phase = "streaming" // bytes flow to the client
	PhaseHeld       Phase = "held"      // the answer is kept back until its result is accepted
	PhaseDone       Phase = "done"
)

// Load is the state of one route's fetch slots and line, read at one moment.
type Load struct {
	Route         string
	Slots         int    // fetches that may run at once
	InUse         int    // fetches that run, from their admission to their head
	Waiting       int    // fetches in line
	Shed          uint64 // since start
	BufferBytes   int64  // held by live tees
	BufferLimit   int64  // bound of BufferBytes; above it misses are buffered, not streamed
	Fallback      uint64 // misses that were buffered for that reason, since start
	ActiveStreams int    // streams between head and end
}
