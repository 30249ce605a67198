package exchange

// Dialect is the API family that a request speaks.
type Dialect string

// The dialects. DialectNone is a request that is no call to a model.
const (
	DialectNone      Dialect = ""
	DialectOpenAI    Dialect = "openai"
	DialectAnthropic Dialect = "anthropic"
	DialectGemini    Dialect = "gemini"
	DialectOllama    Dialect = "ollama"
)

// DeclaredBy says what declared a stream.
type DeclaredBy string

// What declares a stream: the Accept header (the documented contract), a
// member of the JSON body, or the path. DeclaredNot is a request that did not.
const (
	DeclaredNot    DeclaredBy = ""
	DeclaredAccept DeclaredBy = "accept"
	DeclaredBody   DeclaredBy = "body"
	DeclaredPath   DeclaredBy = "path"
)

// Call is what a request asks of a language model. The zero value is a request
// that asks nothing of one.
type Call struct {
	Dialect  Dialect
	API      string // "chat", "completions", "responses", "embeddings", "messages", "generate"
	Model    string
	Declared DeclaredBy // how the request declared that it wants a stream
	WantsSSE bool       // Accept names text/event-stream

	// Key is request_key: 16 hex digits. It is set, with Digest, on a POST with
	// a JSON body whose path names a dialect, and only then is it journaled.
	Key    string
	Digest [32]byte

	Messages []Message // what is asked, bounded; for people, never for the wire
	Tools    int       // how many tools are offered
	Usage    bool      // an OpenAI stream that asks for its usage chunk
}

// Stream reports whether the request is a declared stream.
func (c *Call) Stream() bool { return c.Declared != DeclaredNot }

// Journalable reports whether the journal keeps this call, not only its head.
func (c *Call) Journalable() bool { return c.Key != "" }

// Message is one turn of a conversation, as text for people. Images and other
// parts stand as "[image/png, 48 KiB]".
type Message struct{ Role, Text string }

// Usage is what an answer cost, in tokens. Exact is false while the numbers are
// our own count of deltas, true once the provider has named them.
type Usage struct {
	Input, Output     int
	Cached, Reasoning int
	Exact             bool
}

// Ending says how the body of a response ended.
type Ending string

// The endings. A stream is complete only when its dialect's terminal marker was
// seen; a response that is no stream, when its framing says so.
const (
	EndingNone       Ending = ""           // it has not ended
	EndingComplete   Ending = "complete"   // terminal marker, or whole by its framing
	EndingIncomplete Ending = "incomplete" // a clean end without the terminal marker
	EndingBroken     Ending = "broken"     // the transfer broke off
)
