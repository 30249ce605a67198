package fakellm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ask is what a request body says, of all dialects alike, and what is derived
// from it: the same body on the same path gives the same ask.
type ask struct {
	members map[string]json.RawMessage

	name         string // the model asked for
	withUsage    bool   // an OpenAI stream is to end with its usage
	prompt       string // the last text of the prompt
	promptTokens int
	digest       [sha256.Size]byte
	tokens       int
	size         int64
	fault        *Fault
}

func readAsk(path string, body []byte, f *Fault) (*ask, error) {
	a := &ask{fault: f, tokens: f.count(), size: f.size}
	if err := json.Unmarshal(body, &a.members); err != nil {
		return nil, err
	}
	// The digest leaves stream_options out: a proxy may add include_usage for
	// itself, and the rest of the answer must not change by that.
	h := sha256.New()
	h.Write([]byte(path))
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if name != "stream_options" {
			fmt.Fprintf(h, "\x00%q:", name)
			h.Write(a.members[name])
		}
	}
	h.Sum(a.digest[:0])
	for _, name := range []string{"messages", "input", "prompt", "contents"} {
		var v any
		if a.read(name, &v) {
			a.walk(v)
		}
	}
	a.promptTokens = max(a.promptTokens, 1)
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	a.read("stream_options", &options)
	a.withUsage = options.IncludeUsage
	a.read("model", &a.name)
	return a, nil
}

// read decodes one member; a member of another type counts as absent.
func (a *ask) read(name string, v any) bool {
	raw, ok := a.members[name]
	return ok && json.Unmarshal(raw, v) == nil
}

// walk counts the words of all texts and remembers the last text. Images and
// other data are no texts.
func (a *ask) walk(v any) {
	switch v := v.(type) {
	case string:
		a.promptTokens += len(strings.Fields(v))
		a.prompt = v
	case []any:
		for _, e := range v {
			a.walk(e)
		}
	case map[string]any:
		for _, key := range []string{"content", "parts", "text"} {
			if e, ok := v[key]; ok {
				a.walk(e)
			}
		}
	}
}

// streams says whether a stream is asked for; absent is what the dialect takes
// when the member is not there.
func (a *ask) streams(absent bool) bool {
	stream := absent
	a.read("stream", &stream)
	return stream
}

// model is the name that was asked for, or else one of our own.
func (a *ask) model(own string) string {
	if a.name != "" {
		return a.name
	}
	return own
}

func (a *ask) speech() *speech {
	return newSpeech(a.seed(), topicOf(a.prompt), a.tokens, a.size)
}

func (a *ask) seed() uint64 { return binary.BigEndian.Uint64(a.digest[:8]) }

// id is an identifier in the style of the providers: a prefix and n hex digits.
func (a *ask) id(prefix string, n int) string {
	return prefix + hex.EncodeToString(a.digest[8:])[:n]
}

// created is a Unix time in 2025. It is derived, not read off a clock, so that
// answers can be compared byte for byte.
func (a *ask) created() int64 {
	return 1_750_000_000 + int64(a.seed()%10_000_000)
}
