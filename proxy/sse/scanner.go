// Package sse finds the events in a stream that arrives in arbitrary pieces.
//
// Two framings are known: the event stream of the WHATWG HTML standard
// (section 9.2.6, "Interpreting an event stream") and NDJSON, one JSON document
// a line. A Scanner only reads: the bytes a client gets are never rebuilt from
// its events. Give it a copy of each piece with Feed, in order, then call End:
//
//	s := sse.NewEvents(8 << 20)
//	s.Feed(piece, func(e sse.Event) { ... })
//	s.End(func(e sse.Event) { ... })
//
// However the stream is cut into pieces, the events are the same. The work is
// linear in the bytes fed, and what is kept is bounded by the limit. Character
// encoding is not checked, and no JSON is parsed.
package sse

import "bytes"

// Event is one event of an event stream, one comment line of it, or one line
// of NDJSON (then only Data is set). Data is valid until the next Feed or End;
// copy what must live longer.
type Event struct {
	// Name is the event field; empty means the default type, "message".
	Name string
	// Data is the data lines joined by LF, without a last LF. For a comment it
	// is the text behind the colon.
	Data []byte
	// ID is the last event ID in force, which outlives the event that set it.
	ID string
	// HasID says that this very event carried a valid id field.
	HasID bool
	// Retry is the reconnection time in milliseconds that this event asks for,
	// -1 when it asks for none.
	Retry int
	// Comment marks a line that began with a colon: providers send those as
	// heartbeats. It is reported when the line ends, ahead of the event around it.
	Comment bool
}

// A Scanner is not safe for use by several goroutines at once.
type Scanner struct {
	limit   int
	lines   bool
	dropped int

	line   []byte // the unfinished line
	inLine bool   // a byte of this line was seen, also when over
	lastCR bool   // the last line ended in CR: an LF right after it belongs to it
	bom    int    // bytes of a leading BOM matched so far, -1 when that is settled
	over   bool   // the event under way is too large: skip to its end

	// All data of one Feed stands in one buffer, so that every event it yields
	// stays valid until the next Feed. buf[start:] is the event under way.
	buf   []byte
	start int

	name    string
	hasData bool
	hasID   bool
	retry   int
	lastID  string
}

// NewEvents returns a scanner of an event stream. Of one event it buffers at
// most limit bytes; a larger one is dropped and counted, and scanning goes on
// behind it. The limit counts the data, the name and the line being read.
func NewEvents(limit int) *Scanner {
	return &Scanner{limit: limit, retry: -1}
}

// NewLines returns a scanner of NDJSON: each line that is not blank is an
// Event. A line longer than limit bytes is dropped and counted.
func NewLines(limit int) *Scanner {
	return &Scanner{limit: limit, lines: true, bom: -1, retry: -1}
}

// Dropped counts the events and lines that were larger than the limit.
func (s *Scanner) Dropped() int { return s.dropped }

// LastID returns the last event ID in force, which a reconnecting client sends
// as Last-Event-ID.
func (s *Scanner) LastID() string { return s.lastID }

// Feed reads the next piece of the stream and yields each event that it
// completes. It keeps no reference to p.
func (s *Scanner) Feed(p []byte, yield func(Event)) {
	s.compact()
	if s.bom >= 0 {
		p = s.skipBOM(p)
	}
	for len(p) > 0 {
		// One search for LF, then all CRs in front of it: each byte is looked
		// at a fixed number of times, whatever the mix of line ends.
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			s.segment(p, yield)
			return
		}
		s.segment(p[:n], yield)
		if !s.lastCR { // else it is the second half of a CRLF
			s.endLine(nil, yield)
		}
		s.lastCR = false
		p = p[n+1:]
	}
}

// End says that the stream is over. An NDJSON line without its LF counts; an
// event without its blank line is discarded, as the standard says.
func (s *Scanner) End(yield func(Event)) {
	s.compact()
	if s.lines && s.inLine {
		s.endLine(nil, yield)
	}
	if s.over {
		s.dropped++
	}
	s.reset()
	s.line, s.inLine, s.lastCR = nil, false, false
	s.buf, s.start = nil, 0
}

// segment reads bytes without LF.
func (s *Scanner) segment(p []byte, yield func(Event)) {
	for len(p) > 0 {
		cr := -1
		if !s.lines {
			cr = bytes.IndexByte(p, '\r')
		}
		if cr < 0 {
			s.lastCR = false
			s.keep(p)
			return
		}
		s.endLine(p[:cr], yield)
		s.lastCR = true
		p = p[cr+1:]
	}
}

// keep appends a part of an unfinished line.
func (s *Scanner) keep(p []byte) {
	s.inLine = true
	if s.fits(len(s.line) + len(p)) {
		s.line = append(s.line, p...)
	}
}

// fits says whether a line of n bytes still fits the event under way. The sum
// only grows within an event, so the answer does not depend on the slicing.
func (s *Scanner) fits(n int) bool {
	if !s.over && n+len(s.buf)-s.start+len(s.name) > s.limit {
		s.over = true
		s.line = s.line[:0]
		s.buf = s.buf[:s.start]
	}
	return !s.over
}

// endLine completes the line under way with its last bytes.
func (s *Scanner) endLine(rest []byte, yield func(Event)) {
	line := rest
	if len(s.line) > 0 {
		s.keep(rest)
		line = s.line
	} else {
		s.inLine = s.inLine || len(rest) > 0
		s.fits(len(rest))
	}
	blank := !s.inLine
	s.inLine = false
	switch {
	case s.lines:
		s.document(line, yield)
	case blank:
		s.dispatch(yield)
	case !s.over:
		s.field(line, yield)
	}
	s.line = shrink(s.line[:0])
}

// document yields one line of NDJSON.
func (s *Scanner) document(line []byte, yield func(Event)) {
	if s.over {
		s.dropped++
		s.over = false
		return
	}
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	s.buf = append(s.buf, line...)
	yield(Event{Data: s.take(), Retry: -1})
}

// skipBOM leaves out one leading U+FEFF, which may come in three pieces.
func (s *Scanner) skipBOM(p []byte) []byte {
	const bom = "\xef\xbb\xbf"
	for len(p) > 0 && s.bom < len(bom) {
		if p[0] != bom[s.bom] {
			if s.bom > 0 {
				s.keep([]byte(bom[:s.bom]))
			}
			s.bom = -1
			return p
		}
		s.bom++
		p = p[1:]
	}
	if s.bom == len(bom) {
		s.bom = -1
	}
	return p
}

// take returns the data of the event under way and begins the next.
func (s *Scanner) take() []byte {
	data := s.buf[s.start:len(s.buf):len(s.buf)]
	s.start = len(s.buf)
	return data
}

// compact forgets the data of events already yielded.
func (s *Scanner) compact() {
	if s.start > 0 {
		n := copy(s.buf, s.buf[s.start:])
		s.buf, s.start = s.buf[:n], 0
	}
	if len(s.buf) == 0 {
		s.buf = shrink(s.buf)
	}
}

// shrink lets a buffer go that one large event has made large: a thousand idle
// streams must not each keep the room of their largest event.
func shrink(b []byte) []byte {
	if cap(b) > 16<<10 {
		return nil
	}
	return b
}
