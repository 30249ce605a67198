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
// pieces as it has tokens, so that every behaviour has a meaning for it too.
type pieces struct {
	fault *Fault
	parts [][]byte
	i     int
}

func (p *pieces) next() step {
	wait := p.fault.pace
	if p.i == 0 {
		wait = p.fault.ttft
	}
	if s, hit := p.fault.at(p.i, len(p.parts)); hit {
		if p.i == 0 {
			s.wait = wait
		}
		return s
	}
	if len(p.parts) == 0 {
		return step{wait: wait, verb: last}
	}
	s := step{wait: wait, data: p.parts[p.i]}
	p.i++
	if p.i == len(p.parts) && !p.fault.late(p.i) {
		s.verb = last
	}
	return s
}

// late says whether a fault is still due behind the last of n pieces.
func (f *Fault) late(n int) bool {
	_, hit := f.at(n, n)
	return hit
}

// split cuts a document at the tokens of the text it holds, or into n even
// parts when it does not hold it. What stands before the text goes with the
// first token, what stands behind it with the last.
func split(document []byte, text string, speech *speech) [][]byte {
	at := bytes.Index(document, []byte(text))
	if at < 0 || text == "" {
		return even(document, max(speech.n, 1))
	}
	parts := make([][]byte, 0, speech.n)
	from, to := 0, at
	for i := range speech.n {
		to += len(speech.next())
		if i == speech.n-1 {
			to = len(document)
		}
		parts = append(parts, document[from:to])
		from = to
	}
	return parts
}

// even cuts b into at most n parts of about the same length.
func even(b []byte, n int) [][]byte {
	n = max(min(n, len(b)), 1)
	parts := make([][]byte, 0, n)
	for i := range n {
		parts = append(parts, b[len(b)*i/n:len(b)*(i+1)/n])
	}
	return parts
}
