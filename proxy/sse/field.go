package sse

import (
	"bytes"
	"strconv"
)

// field interprets one line that is not blank.
func (s *Scanner) field(line []byte, yield func(Event)) {
	name, value, colon := bytes.Cut(line, []byte{':'})
	if colon && len(name) == 0 {
		s.comment(value, yield)
		return
	}
	// One space behind the colon is no part of the value; a second one is.
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if s.hasData {
			s.buf = append(s.buf, '\n')
		}
		s.buf = append(s.buf, value...)
		s.hasData = true
	case "event":
		s.name = string(value)
	case "id":
		// A NUL could not be sent back in Last-Event-ID.
		if bytes.IndexByte(value, 0) < 0 {
			s.lastID, s.hasID = string(value), true
		}
	case "retry":
		if n, ok := digits(value); ok {
			s.retry = n
		}
	}
}

// comment yields a comment line. Its text is kept apart from the event under
// way, whose data may go on behind it.
func (s *Scanner) comment(text []byte, yield func(Event)) {
	yield(Event{Data: bytes.Clone(text), ID: s.lastID, Retry: -1, Comment: true})
}

// dispatch ends the event at a blank line. Without a data line there is none,
// but an id it carried stays in force.
func (s *Scanner) dispatch(yield func(Event)) {
	switch {
	case s.over:
		s.dropped++
	case s.hasData:
		e := Event{Name: s.name, ID: s.lastID, HasID: s.hasID, Retry: s.retry}
		e.Data = s.take()
		yield(e)
	}
	s.reset()
}

// reset forgets the event under way, but not the last event ID.
func (s *Scanner) reset() {
	s.buf = s.buf[:s.start]
	s.name, s.hasData, s.hasID, s.retry, s.over = "", false, false, -1, false
}

// digits reads a number of ASCII digits only: no sign, no space.
func digits(b []byte) (int, bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(string(b))
	return n, err == nil
}
