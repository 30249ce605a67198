package llm

import (
	"tailrace/proxy/exchange"
)

// part says what a piece of an answer is.
type part uint8

const (
	answered part = iota // the answer itself
	thought              // reasoning that leads to it
	tool                 // a tool call: its name, then its arguments
)

// faultMax bounds the message of a provider's error, in bytes.
const faultMax = 1 << 10

// pieceMax bounds one piece of text. An event is bounded already; this keeps a
// value's text from being cut.
const pieceMax = 1 << 30

// said is what an answer has said so far. The dialects fold their events, or a
// whole body, into it.
type said struct {
	usage    exchange.Usage
	pieces   int    // deltas with content: the estimate of output tokens
	complete bool   // the terminal marker was seen
	finished bool   // the last event was a final one, if nothing follows (Gemini)
	fault    string // message of the provider's error
	last     part
	spoken   bool

	// write takes the text of each piece as it comes.
	write func(p part, text string)
}

// say adds a piece of an answer.
func (s *said) say(p part, text string) {
	if text == "" {
		return
	}
	if s.spoken && p != s.last {
		s.write(p, "\n")
	}
	s.pieces++
	s.spoken, s.last = true, p
	s.write(p, text)
}

// call begins a tool call; its arguments follow as pieces, or at once.
func (s *said) call(name, arguments string) {
	if name == "" && arguments == "" {
		return
	}
	if s.spoken && s.last == tool {
		s.write(tool, "\n")
	}
	s.say(tool, name+" ")
	if arguments != "" {
		s.write(tool, arguments)
	}
}

// fail notes the provider's error, without the keys that such messages repeat.
func (s *said) fail(message string) {
	if s.fault == "" {
		s.fault = clip(exchange.RedactText(message), faultMax)
	}
}

// tokens returns the usage, with an estimate where the provider has not named
// the output yet.
func (s *said) tokens() exchange.Usage {
	u := s.usage
	if !u.Exact {
		u.Output = s.pieces
	}
	return u
}

// errorIn finds the error in an answer. All dialects have a member "error": an
// object with a message, or a sentence (Ollama, and many gateways). Anthropic's
// type "error" holds such a member too.
func errorIn(v value) (string, bool) {
	e := v.get("error")
	switch {
	case !e.present():
		return "", false
	case e.kind() == text:
		return e.text(faultMax), true
	case e.get("message").kind() == text:
		return e.get("message").text(faultMax), true
	default:
		return string(clip(e.source(), faultMax)), true
	}
}
