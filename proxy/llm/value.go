package llm

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is a place in a document. The zero value is an absent one: members of
// it are absent, its text is empty, so that a path can be followed to its end
// before anybody asks whether it existed.
type value struct {
	doc *document
	at  uint32
}

func (d *document) root() value {
	if len(d.nodes) == 0 {
		return value{}
	}
	return value{doc: d}
}

func (v value) node() node {
	if v.doc == nil {
		return node{}
	}
	return v.doc.nodes[v.at]
}

func (v value) kind() kind   { return v.node().kind }
func (v value) isTrue() bool { return v.kind() == truth }

// present reports whether there is a value other than null.
func (v value) present() bool { return v.kind() > null }

// source is the JSON text of the value.
func (v value) source() []byte {
	if v.doc == nil {
		return nil
	}
	n := v.node()
	return v.doc.src[n.start:n.end]
}

// get returns the member of that name, the last one when there are several.
func (v value) get(name string) (found value) {
	for n, m := range v.members() {
		if n.named(name) {
			found = m
		}
	}
	return found
}

// find follows a path of member names.
func (v value) find(path ...string) value {
	for _, name := range path {
		v = v.get(name)
	}
	return v
}

func (v value) named(name string) bool {
	n := v.node()
	if n.escaped {
		return v.text(4*len(name)+utf8.UTFMax) == name
	}
	return string(v.doc.src[n.start+1:n.end-1]) == name
}

// members yields the names and values of an object, in document order.
func (v value) members() iter.Seq2[value, value] {
	return func(yield func(value, value) bool) {
		n := v.node()
		if n.kind != object {
			return
		}
		for i := v.at + 1; i < n.next; i = v.doc.nodes[i+1].next {
			if !yield(value{v.doc, i}, value{v.doc, i + 1}) {
				return
			}
		}
	}
}

// items yields the values of an array.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		n := v.node()
		if n.kind != array {
			return
		}
		for i := v.at + 1; i < n.next; i = v.doc.nodes[i].next {
			if !yield(value{v.doc, i}) {
				return
			}
		}
	}
}

// first returns the first item of an array.
func (v value) first() value {
	for item := range v.items() {
		return item
	}
	return value{}
}

func (v value) count() (n int) {
	for range v.items() {
		n++
	}
	return n
}

// text is the content of a string, at most about max bytes of it and never a
// part of a character; "" when the value is no string. Lone surrogates, which
// no text can hold, become U+FFFD.
func (v value) text(max int) string {
	n := v.node()
	if n.kind != text {
		return ""
	}
	raw := v.doc.src[n.start+1 : n.end-1]
	if !n.escaped {
		return string(clip(raw, max))
	}
	return strings.ToValidUTF8(string(clip(unescape(nil, raw, max), max)), "\ufffd")
}

// int is the value of a number within an int; 0 when the value is none.
func (v value) int() int {
	switch v.kind() {
	case integer:
		n, _ := strconv.Atoi(string(v.source()))
		return n
	case float:
		if f := parseFloat(string(v.source())); math.Abs(f) < 1<<53 {
			return int(f)
		}
	}
	return 0
}

// clip cuts a text to max bytes, at the start of a character.
func clip[T []byte | string](s T, max int) T {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// unescape appends what a string's source says until max bytes were appended.
// Surrogates without their other half are kept in the three bytes that UTF-8
// would use for them, so that order by bytes is order by code point.
func unescape(dst, raw []byte, max int) []byte {
	for len(raw) > 0 && len(dst) < max {
		n := plain(raw)
		dst = append(dst, raw[:n]...)
		if raw = raw[n:]; len(raw) == 0 {
			break
		}
		r, size := escaped(raw)
		raw = raw[size:]
		if utf16.IsSurrogate(r) {
			if low, n := pair(r, raw); n > 0 {
				r, raw = low, raw[n:]
			} else {
				dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
				continue
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// escaped reads the escape that raw begins with, of a string already checked.
func escaped(raw []byte) (rune, int) {
	switch c := raw[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := unit(raw[2:])
		return r, 6
	default:
		return rune(c), 2
	}
}

// pair joins a high surrogate with an escaped low one that follows it.
func pair(high rune, raw []byte) (rune, int) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, 0
	}
	low, _ := unit(raw[2:])
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return r, 6
	}
	return 0, 0
}
