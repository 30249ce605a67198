package llm

// splitter finds the elements of a JSON array of objects that arrives in
// pieces: Gemini streams one when it is not asked for events. It follows
// brackets and strings only; the elements are parsed by whoever gets them.
type splitter struct {
	element []byte
	depth   int // brackets open, the array's own included
	quoted  bool
	escaped bool
	skip    bool // the element is longer than eventMax
}

// open reports whether the array has begun and not ended.
func (s *splitter) open() bool { return s.depth > 0 }

// feed reads the next piece and yields each element that it completes, valid
// until yield returns.
func (s *splitter) feed(p []byte, yield func([]byte)) {
	start := 0 // of the part of p that belongs to the element under way
	for i, c := range p {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped, s.quoted = c == '\\', c != '"'
		case c == '"':
			s.quoted = true
		case c == '{' || c == '[':
			if s.depth++; s.depth == 2 {
				start = i
			}
		case c == '}' || c == ']':
			if s.depth--; s.depth == 1 {
				s.append(p[start : i+1])
				if !s.skip {
					yield(s.element)
				}
				s.element, s.skip = s.element[:0], false
			}
		}
	}
	if s.depth > 1 {
		s.append(p[start:])
	} else if cap(s.element) > 16<<10 {
		s.element = nil
	}
}

func (s *splitter) append(p []byte) {
	if s.skip || len(s.element)+len(p) > eventMax {
		s.element, s.skip = nil, true
		return
	}
	s.element = append(s.element, p...)
}
