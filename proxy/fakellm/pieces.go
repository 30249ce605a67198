package fakellm

import "bytes"

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
