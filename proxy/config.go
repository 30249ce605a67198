package proxy

import (
	"context"
	"net"
	"time"

	"tailrace/proxy/exchange"
)

// Config is everything a Proxy needs. The fields are plain and final: defaults
// have been applied by whoever read them from somewhere, so that zero never
// stands for a choice nobody made.
type Config struct {
	Routes []Route // looked at in this order; the first match answers
	Pools  []Pool

	Journal     Journal // nil: nothing is journaled
	Fingerprint []byte  // key of credential fingerprints; the journal keeps it
	Observers   []exchange.Observer

	AllowOrigins []string // exact Origin values that browsers may come from
	AllowHosts   []string // Host names beside localhost, 127.0.0.1 and [::1]

	MaxRequestBytes int           // of a request body; above it 413
	MaxConnections  int           // of clients; 0 = no limit
	FastPath        bool          // experimental.h1_fast_path: which client write budget holds
	DrainTimeout    time.Duration // Close waits this long for live exchanges; 0 cuts at once

	// Panicked is told of a panic that was contained, with its stack. It may be
	// called from any goroutine; nil drops it.
	Panicked func(v any, stack []byte)

	// Notice is told, in a sentence, what an operator should know: a result that
	// could not be written down. It may be called from any goroutine.
	Notice func(string)

	// Dial replaces the dialer of every pool; for tests.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Forbidden are addresses of our own that no pool may dial (host:port).
	Forbidden []string
}

// Route says which requests it takes and what becomes of them.
type Route struct {
	Name string // label in metrics and dashboard
	Pool string // name of a Pool

	Match Match
	Auth  string // credential for requests that bring none: the key itself, out of auth: env:NAME; "" = none

	HeaderSet    []exchange.Field
	HeaderRemove []string
	StripPrefix  string // taken off the front of the target
	AddPrefix    string // put in front of what is left ("/v1" of a base URL)

	Cache   CachePolicy
	Stream  StreamPolicy
	Journal JournalPolicy

	MaxFetchConcurrency int
	FetchWaitTimeout    time.Duration
	MaxFetchQueue       int
	FetchTimeout        time.Duration // from the first byte written to the origin
	MaxResponseBytes    int64         // of a teed or held body
	MaxBufferBytes      int64         // max_streaming_buffer_bytes, over all live tees
}

// Match is a condition on a request; what is empty matches everything.
type Match struct {
	Host       string
	PathPrefix string
	Methods    []string
	Header     string // name of a header field that must be present
}

// CachePolicy is the part of a route that the cache reads.
type CachePolicy struct {
	Enabled    bool
	TTLDefault time.Duration // freshness of responses that name none; 0 = not stored
}

// StreamIntent says what declares a stream.
type StreamIntent string

// The intents.
const (
	IntentAuto   StreamIntent = "auto"   // Accept, or what real clients send
	IntentStrict StreamIntent = "strict" // only the Accept header
)

// StreamPolicy holds the clocks of streams.
type StreamPolicy struct {
	Intent            StreamIntent
	HeaderTimeout     time.Duration // a declared stream waits this long for its head
	IdleTimeout       time.Duration // of the origin, re-armed by every byte
	ClientIdleTimeout time.Duration // of the client, re-armed by every write; with the fast path
	ClientLimit       time.Duration // absolute; without it
}

// JournalMode says whether a route's calls are journaled.
type JournalMode string

// The modes.
const (
	JournalOff        JournalMode = "off"
	JournalIdempotent JournalMode = "idempotent" // recorded, and answered from
)

// JournalPolicy is the part of a route that the journal's attempts follow.
type JournalPolicy struct {
	Mode        JournalMode
	Explicit    bool          // replay: explicit
	Free        bool          // billing: free
	MaxAttempts int           // resolved: 3 on free, 1 on paid
	ReplayFor   time.Duration // an accepted result answers this long; 0 = for ever
}

// Pool is a set of origins that serve the same thing.
type Pool struct {
	Name    string
	Targets []string // base URLs: scheme://host:port, no path

	ConnectTimeout        time.Duration
	KeepAlive             time.Duration
	MaxConnections        int // 0 = no limit
	MaxIdle               time.Duration
	ResponseHeaderTimeout time.Duration
	CAFile                string // PEM; "" = the system's
}

// Journal is what the proxy waits for: the write-ahead steps of a journaled
// call. It is met by store/journal. All methods are safe for concurrent use and
// take no context: a step that was begun is finished, whoever leaves.
type Journal interface {
	// Recall returns the newest row of a scope and key, or the row asked for.
	Recall(exchange.Ask) (exchange.Recalled, error)
	// Append commits a step. ATTEMPT, SENT and endings are fsynced when it
	// returns. It returns the claim of the attempt it opened, or Step.Claim.
	Append(exchange.Step) (exchange.Claim, error)
	// Record queues a piece of a response body. It does not wait for the disk,
	// but blocks while the queue is full. The piece is copied.
	Record(exchange.Claim, []byte)
	// Accept writes the result, COMPLETE and the end of the attempt in one
	// transaction, after all pieces recorded before it.
	Accept(exchange.Claim, exchange.Result) error
}
