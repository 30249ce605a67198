package live

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tailrace/proxy/exchange"
)

// record is one exchange on the board.
type record struct {
	state exchange.State // its Text is empty: the words are in text
	// text is the tail of the stream's text. State.Apply joins strings, which
	// at 20 pieces a second of a long answer copies its 16 KiB each time; here
	// a piece is appended and the tail is made a string only when looked at.
	text  []byte
	words string // what the filter looks in, lower case; "" when it must be made anew

	newer, older *record
}

// apply folds a fact in. The result is what State.Apply says of the same facts.
func (r *record) apply(f exchange.Fact) {
	switch p := f.(type) {
	case exchange.Progress:
		r.append(p.Text)
		p.Text = ""
		r.state.Apply(p)
		return // nothing that the filter looks in has changed
	case exchange.Sent:
		r.text = r.text[:0]
	}
	r.state.Apply(f)
	r.words = ""
}

func (r *record) append(piece string) {
	if len(piece) > exchange.TextTail {
		piece = piece[len(piece)-exchange.TextTail:]
	}
	if n := len(r.text) + len(piece); n > 2*exchange.TextTail {
		keep := r.text[len(r.text)-(exchange.TextTail-len(piece)):]
		r.text = r.text[:copy(r.text, keep)]
	}
	r.text = append(r.text, piece...)
}

// value is the state with at most the last n bytes of its text.
func (r *record) value(n int) exchange.State {
	s := r.state
	s.Text = string(tail(r.text, n))
	return s
}

// shorten forgets most words of an exchange that ended long ago.
func (r *record) shorten() {
	r.text = append([]byte(nil), tail(r.text, wordsLeft)...)
	r.state.Call.Messages = nil
}

// tail is the last n bytes at most, from the start of a rune.
func tail(t []byte, n int) []byte {
	if n <= 0 {
		return nil
	}
	if len(t) <= n {
		return t
	}
	t = t[len(t)-n:]
	for i := 0; i < len(t) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(t[i]) {
			return t[i:]
		}
	}
	return t
}

func (r *record) stream() bool { return IsStream(&r.state) }

// matches reports whether every word stands somewhere in what the row says.
func (r *record) matches(words []string) bool {
	if len(words) == 0 {
		return true
	}
	if r.words == "" {
		r.words = describe(&r.state)
	}
	for _, w := range words {
		if !strings.Contains(r.words, w) {
			return false
		}
	}
	return true
}

// describe lists the words of a row that a person would look for.
func describe(s *exchange.State) string {
	words := make([]string, 0, 16)
	words = append(words, s.Method, s.Target, s.Host, s.Route, s.Call.Model, string(s.Call.Dialect), s.Call.API,
		string(s.Verdict.XCache), string(s.Verdict.Source), s.Verdict.Reason,
		string(s.Phase), string(s.Outcome), s.Key)
	if s.Status != 0 {
		words = append(words, strconv.Itoa(s.Status))
	}
	if s.Live() {
		words = append(words, "live")
	}
	if IsStream(s) {
		words = append(words, "stream")
	}
	if s.Undeclared {
		words = append(words, "undeclared")
	}
	if s.RetryOf != 0 {
		words = append(words, "retry")
	}
	return strings.ToLower(strings.Join(words, " "))
}

// IsStream reports whether an exchange is a stream: declared by its request, or
// found to be one by its answer.
func IsStream(s *exchange.State) bool {
	return s.Call.Stream() || s.Stream || s.Undeclared
}

// Waits reports whether the exchange's fetch stands in line for a slot.
func Waits(s *exchange.State) bool { return s.Phase == exchange.PhaseQueued }

// Holds reports whether the exchange's fetch has one of its route's slots: from
// its admission to its head when that is a stream's, else to the end of the
// body. A rider holds none, its leader does.
func Holds(s *exchange.State) bool {
	switch s.Phase {
	case exchange.PhaseConnecting:
		return true
	case exchange.PhaseWaiting, exchange.PhaseStreaming, exchange.PhaseHeld:
		headed := !s.HeadAt.IsZero()
		return s.Leader == 0 && !s.AdmittedAt.IsZero() && s.Ending == exchange.EndingNone && !(headed && s.Stream)
	}
	return false
}
