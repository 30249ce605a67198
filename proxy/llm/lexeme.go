package llm

import "fmt"

// str reads a string. Control characters are refused, as Python's strict mode
// does, and lone surrogates are let through.
func (p *parser) str() error {
	i := p.open(text)
	p.pos++
	escaped := false
	for {
		p.pos += plain(p.src[p.pos:])
		switch c := p.peek(); {
		case p.pos >= len(p.src):
			return p.fault("inside a string")
		case c == '"':
			p.pos++
			p.shut(i)
			if i >= 0 {
				p.nodes[i].escaped = escaped
			}
			return nil
		case c == '\\':
			escaped = true
			if err := p.escape(); err != nil {
				return err
			}
		default:
			return p.fault("a control character in a string")
		}
	}
}

// plain returns how many bytes come before the next quote, backslash or
// control character.
func plain(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
}

func (p *parser) escape() error {
	p.pos++
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos++
		return nil
	case 'u':
		if p.pos+5 <= len(p.src) {
			if _, ok := unit(p.src[p.pos+1:]); ok {
				p.pos += 5
				return nil
			}
		}
	}
	return p.fault("a bad escape in a string")
}

// unit reads the four hex digits of a UTF-16 code unit.
func unit(b []byte) (rune, bool) {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number reads an integer, a float, or -Infinity. Like Python it takes the
// longest number that stands there ("1." is 1, and the dot is then too much).
func (p *parser) number() error {
	i := p.open(integer)
	start := p.pos
	if p.peek() == '-' {
		p.pos++
		if p.peek() == 'I' {
			p.pos = start
			if i >= 0 {
				p.nodes = p.nodes[:i]
			}
			return p.word("-Infinity", float)
		}
	}
	first := p.pos
	switch p.digits(); {
	case p.pos == first:
		p.pos = start
		return p.fault("a value is missing")
	case p.src[first] == '0':
		p.pos = first + 1
	}
	digits, isFloat := p.pos-first, false
	if end := p.pos; p.peek() == '.' {
		p.pos++
		if p.digits() == 0 {
			p.pos = end
		} else {
			isFloat = true
		}
	}
	if end := p.pos; p.peek()|0x20 == 'e' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if p.digits() == 0 {
			p.pos = end
		} else {
			isFloat = true
		}
	}
	if !isFloat && digits > maxDigits {
		return p.fault(fmt.Sprintf("an integer of more than %d digits", maxDigits))
	}
	p.shut(i)
	if i >= 0 && isFloat {
		p.nodes[i].kind = float
	}
	return nil
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}
