package fakellm

import (
	"bytes"
	"time"
)

// dialect renders one answer in the words of one API.
type dialect interface {
	// plain is the whole answer as one JSON document.
	plain(text string) []byte
	// open, token and close are the events of a stream: what comes before the
	// first token, one token, and what comes behind the last one, the terminal
	// marker included.
	open() [][]byte
	token(i int, word string) []byte
	close(text string) [][]byte
	// fail is the error event of a stream, beat a sign of life in it.
	fail() []byte
	beat() []byte
	// media is the content type of a stream.
	media() string
}

// telling is the script of a streamed answer.
type telling struct {
	dialect dialect
	fault   *Fault
	speech  *speech
	text    func() string // the whole text, for what closes the stream

	i      int
	opened bool
	closed bool
	queue  [][]byte
	waited bool // the time to the first token is over
}

func (t *telling) next() step {
	if !t.opened && len(t.queue) == 0 {
		if s, hit := t.hit(); hit {
			return s // after 0 tokens: nothing at all, not even the opening
		}
		t.opened = true
		t.queue = t.dialect.open()
	}
	if len(t.queue) == 0 && !t.closed {
		if s, hit := t.hit(); hit {
			return s
		}
		if t.i < t.speech.n {
			t.i++
			return step{wait: t.pause(), data: t.dialect.token(t.i-1, t.speech.next())}
		}
		t.closed = true
		t.queue = t.dialect.close(t.text())
	}
	s := step{wait: t.pause0(), data: t.queue[0]}
	t.queue = t.queue[1:]
	if t.closed && len(t.queue) == 0 {
		s.verb = last
	}
	return s
}

// hit returns the step of a fault whose token has come.
func (t *telling) hit() (step, bool) {
	s, hit := t.fault.at(t.i, t.speech.n)
	switch {
	case hit && s.verb == last && t.fault.due("error", t.fault.fail, t.i, t.speech.n):
		s.data = t.dialect.fail()
	case !hit && t.fault.truncate && t.i >= t.speech.n/2:
		event := t.dialect.token(t.i, " half")
		s, hit = step{data: event[:len(event)/2], verb: last}, true
	}
	if hit {
		s.wait = t.pause0()
	}
	return s, hit
}

// pause is the wait before a token, pause0 that before anything else.
func (t *telling) pause() time.Duration {
	if t.waited && t.i > 1 {
		return t.fault.pace
	}
	return t.pause0()
}

func (t *telling) pause0() time.Duration {
	if t.waited {
		return 0
	}
	t.waited = true
	return t.fault.ttft
}

// due says whether the member name, with its value after, hits at token i of n.
// A number beyond the last token means behind the last token.
func (f *Fault) due(name string, after, i, n int) bool {
	return f.has(name) && i >= min(after, n)
}

// at returns what goes wrong at token i of n, if anything does.
func (f *Fault) at(i, n int) (step, bool) {
	switch {
	case f.due("cut", f.cut, i, n):
		return step{verb: cut}, true
	case f.due("error", f.fail, i, n), f.due("end", f.end, i, n):
		return step{verb: last}, true
	case f.due("stall", f.stall, i, n):
		return step{verb: hang}, true
	}
	return step{}, false
}

// staged says whether a plain answer must be sent in pieces.
func (f *Fault) staged() bool {
	return f.ttft > 0 || f.pace > 0 || f.has("cut") || f.has("end") || f.has("stall")
}

// pieces is the script of an answer that is no stream: it is sent in as many
// parts as it has tokens, so that every behaviour has a meaning for it too.
// The tail goes with the last part, unless something goes wrong between them:
// what breaks after the last token must not look complete.
type pieces struct {
	fault *Fault
	parts [][]byte
	tail  []byte
	i     int
}

func (p *pieces) next() step {
	n := len(p.parts)
	if s, hit := p.fault.at(p.i, n); hit {
		if p.i == 0 {
			s.wait = p.fault.ttft
		}
		return s
	}
	s := step{wait: p.fault.pace, verb: last}
	if p.i == 0 {
		s.wait = p.fault.ttft
	}
	if p.i < n {
		s.data = p.parts[p.i]
	}
	p.i++
	if p.i < n {
		s.verb = more
	} else if _, late := p.fault.at(n, n); late {
		s.verb = more
	} else {
		s.data = append(s.data[:len(s.data):len(s.data)], p.tail...)
	}
	return s
}

// split cuts a document at the tokens of the text it holds, or into n even
// parts when it does not hold it. What stands before the text goes with the
// first token; what stands behind it is the tail.
func split(document []byte, text string, speech *speech) (parts [][]byte, tail []byte) {
	at := bytes.Index(document, []byte(text))
	if at < 0 || text == "" {
		return even(document, speech.n)
	}
	from, to := 0, at
	for range speech.n {
		to += len(speech.next())
		parts = append(parts, document[from:to])
		from = to
	}
	return parts, document[from:]
}

// even cuts b into at most n parts of about the same length and a tail of its
// last byte.
func even(b []byte, n int) (parts [][]byte, tail []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	whole := len(b)
	b, tail = b[:whole-1], b[whole-1:]
	n = max(min(n, whole), 1)
	for i := range n {
		parts = append(parts, b[min(whole*i/n, len(b)):min(whole*(i+1)/n, len(b))])
	}
	return parts, tail
}
