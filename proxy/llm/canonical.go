package llm

import (
	"bufio"
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// printer writes values as Python's json.dumps(v, sort_keys=True) does:
// members by code point of their names, ", " and ": " between things, and
// nothing but ASCII. Its writer never fails: it is a hash or a buffer.
type printer struct {
	*bufio.Writer
	scratch []byte
}

func (p *printer) value(v value) {
	switch v.kind() {
	case object:
		p.object(sorted(v))
	case array:
		p.array(v)
	case text:
		p.text(v.source())
	case float:
		p.scratch = appendFloat(p.scratch[:0], parseFloat(string(v.source())))
		p.Write(p.scratch)
	case integer:
		src := v.source()
		if string(src) == "-0" { // Python's integers have no negative zero
			src = src[1:]
		}
		p.Write(src)
	default:
		p.Write(v.source())
	}
}

func (p *printer) array(v value) {
	p.WriteByte('[')
	begun := false
	for item := range v.items() {
		if begun {
			p.WriteString(", ")
		}
		begun = true
		p.value(item)
	}
	p.WriteByte(']')
}

// field is a member of an object on its way out.
type field struct {
	name  []byte // as unescape gives it
	quote []byte // as its source writes it
	value value
}

func (p *printer) object(fields []field) {
	p.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			p.WriteString(", ")
		}
		p.text(f.quote)
		p.WriteString(": ")
		p.value(f.value)
	}
	p.WriteByte('}')
}

// sorted returns an object's members in order. Of several with one name the
// last one counts.
func sorted(v value) []field {
	var fields []field
	for n, m := range v.members() {
		src := n.source()
		f := field{name: src[1 : len(src)-1], quote: src, value: m}
		if n.node().escaped {
			f.name = unescape(nil, f.name, len(src))
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int { return bytes.Compare(a.name, b.name) })
	kept := fields[:0]
	for i, f := range fields {
		if i+1 == len(fields) || !bytes.Equal(f.name, fields[i+1].name) {
			kept = append(kept, f)
		}
	}
	return kept
}

// text writes a string again from its source, quotes included.
func (p *printer) text(src []byte) {
	p.WriteByte('"')
	for raw := src[1 : len(src)-1]; len(raw) > 0; {
		n := 0
		for n < len(raw) && raw[n] >= ' ' && raw[n] <= '~' && raw[n] != '\\' {
			n++
		}
		p.Write(raw[:n])
		if raw = raw[n:]; len(raw) == 0 {
			break
		}
		if raw[0] == '\\' {
			// Half of a surrogate pair is written as it stands, so the pair is too.
			r, size := escaped(raw)
			p.character(r)
			raw = raw[size:]
			continue
		}
		r, size := utf8.DecodeRune(raw)
		p.character(r)
		raw = raw[size:]
	}
	p.WriteByte('"')
}

func (p *printer) character(r rune) {
	switch r {
	case '"', '\\':
		p.WriteByte('\\')
		p.WriteByte(byte(r))
	case '\n':
		p.WriteString(`\n`)
	case '\r':
		p.WriteString(`\r`)
	case '\t':
		p.WriteString(`\t`)
	case '\b':
		p.WriteString(`\b`)
	case '\f':
		p.WriteString(`\f`)
	default:
		switch {
		case r >= ' ' && r <= '~':
			p.WriteByte(byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			p.unit(high)
			p.unit(low)
		default:
			p.unit(r)
		}
	}
}

func (p *printer) unit(r rune) {
	const hex = "0123456789abcdef"
	p.scratch = append(p.scratch[:0], '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	p.Write(p.scratch)
}
