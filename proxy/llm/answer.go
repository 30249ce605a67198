package llm

import (
	"strings"

	"tailrace/proxy/exchange"
)

// Complete tells a complete stored stream from a cut one, and returns its
// usage. The journal asks it at start about streams whose COMPLETE is missing.
// Where only the end of the transfer makes a stream complete (Gemini), it goes
// by the last whole event alone, since nothing stored tells whether more was to
// come.
func Complete(call *exchange.Call, head *exchange.Head, stream []byte) (exchange.Usage, bool) {
	m := NewMeter(call, head)
	defer m.Close()
	m.Feed(stream)
	m.End()
	return m.Usage(), m.Complete()
}

// Answer is the text of a response, a stream or not, for people: what was
// answered and which tools were called, without the reasoning. When nothing was
// said it is the provider's error.
func Answer(call *exchange.Call, head *exchange.Head, body []byte) string {
	var b strings.Builder
	m := NewMeter(call, head)
	defer m.Close()
	m.said.write = func(p part, text string) {
		if p != thought {
			b.WriteString(text)
		}
	}
	m.Feed(body)
	m.End()
	if b.Len() == 0 {
		return m.ProviderError()
	}
	return strings.TrimPrefix(b.String(), "\n") // between reasoning and answer
}
