package fakellm

import "time"

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
