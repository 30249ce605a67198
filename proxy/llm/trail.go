package llm

import "unicode/utf8"

// trailMax bounds text that nobody has taken yet, in bytes.
const trailMax = 64 << 10

// trail is a queue of text that forgets its oldest part when nobody takes it.
type trail struct {
	buf  []byte
	from int
}

func (t *trail) add(text string) {
	t.buf = append(t.buf, text...)
	if len(t.buf)-t.from > trailMax {
		t.from = len(t.buf) - trailMax
		for t.from < len(t.buf) && !utf8.RuneStart(t.buf[t.from]) {
			t.from++
		}
	}
	if t.from > trailMax {
		t.buf, t.from = append([]byte(nil), t.buf[t.from:]...), 0
	}
}

func (t *trail) take(max int) string {
	s := string(clip(t.buf[t.from:], max))
	t.from += len(s)
	if t.from == len(t.buf) { // a stream that rests holds nothing
		t.buf, t.from = nil, 0
	}
	return s
}
