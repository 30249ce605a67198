package llm

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxDepth is how deeply arrays and objects may be nested: what CPython 3.11
// reads and writes, with its default recursion limit, from a function that a
// script's main function calls. The exact number depends on the caller's stack
// there, so no more than "about a thousand" can be the same.
const maxDepth = 992

// maxDigits is the longest integer that CPython converts by default
// (sys.int_info.default_max_str_digits).
const maxDigits = 4300

type kind uint8

const (
	absent kind = iota
	null
	truth
	falsity
	integer
	float
	text
	array
	object
)

// node is one JSON value. The values inside it follow it in document order, up
// to next; in an object each member is the node of its name, then its value.
// Sixteen bytes, because a body of a million small values makes a million.
type node struct {
	start, end uint32 // source of the value, with the quotes of a string
	next       uint32 // index of the first node behind it
	kind       kind
	escaped    bool // the string holds a backslash
}

// document is a parsed JSON text.
type document struct {
	src   []byte
	nodes []node
}

// parse reads a whole JSON text as Python's json.loads(str) does: NaN and
// Infinity are values, names may repeat, a byte order mark is refused. Values
// nested deeper than keep are checked but leave no node.
func (d *document) parse(src []byte, keep int) error {
	p := parser{src: src, nodes: d.nodes[:0], keep: keep}
	err := p.whole()
	d.src, d.nodes = src, p.nodes
	if err != nil {
		d.nodes = d.nodes[:0]
	}
	return err
}

type parser struct {
	src   []byte
	pos   int
	depth int
	keep  int
	nodes []node
}

func (p *parser) whole() error {
	if uint64(len(p.src)) > 1<<32-1 {
		return fmt.Errorf("JSON of %d bytes is longer than 4 GiB", len(p.src))
	}
	if !utf8.Valid(p.src) {
		return fmt.Errorf("not UTF-8")
	}
	p.space()
	if err := p.value(); err != nil {
		return err
	}
	p.space()
	if p.pos < len(p.src) {
		return p.fault("something follows the value")
	}
	return nil
}

func (p *parser) fault(what string) error {
	if p.pos >= len(p.src) {
		return fmt.Errorf("not JSON: it ends after %d bytes, %s", len(p.src), what)
	}
	return fmt.Errorf("not JSON: %s at byte %d", what, p.pos)
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end; a NUL is no JSON either.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// open begins a node and returns its index, -1 when it is not kept.
func (p *parser) open(k kind) int {
	if p.depth > p.keep {
		return -1
	}
	if n := len(p.nodes); n == cap(p.nodes) && n >= 1<<12 {
		// Room for as many as the rest holds if it is as dense as what came; a
		// body of a million numbers is not copied over and over.
		p.nodes = slices.Grow(p.nodes, 1+min(3*n, int(int64(n)*int64(len(p.src)-p.pos)/int64(p.pos))))
	}
	p.nodes = append(p.nodes, node{start: uint32(p.pos), kind: k})
	return len(p.nodes) - 1
}

func (p *parser) shut(i int) {
	if i >= 0 {
		p.nodes[i].end, p.nodes[i].next = uint32(p.pos), uint32(len(p.nodes))
	}
}

func (p *parser) value() error {
	switch c := p.peek(); c {
	case '{':
		return p.nested(object, p.member, '}')
	case '[':
		return p.nested(array, p.value, ']')
	case '"':
		return p.str()
	case 't':
		return p.word("true", truth)
	case 'f':
		return p.word("false", falsity)
	case 'n':
		return p.word("null", null)
	case 'N':
		return p.word("NaN", float)
	case 'I':
		return p.word("Infinity", float)
	default:
		return p.number()
	}
}

// nested reads an array or an object from its opening bracket to close.
func (p *parser) nested(k kind, item func() error, closing byte) error {
	i := p.open(k)
	p.depth++
	if p.depth > maxDepth {
		return p.fault(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	p.pos++
	p.space()
	if p.peek() != closing {
		for {
			if err := item(); err != nil {
				return err
			}
			p.space()
			if c := p.peek(); c == closing {
				break
			} else if c != ',' {
				return p.fault("a comma or a closing bracket is missing")
			}
			p.pos++
			p.space()
		}
	}
	p.pos++
	p.depth--
	p.shut(i)
	return nil
}

func (p *parser) member() error {
	if p.peek() != '"' {
		return p.fault("a member's name is missing")
	}
	if err := p.str(); err != nil {
		return err
	}
	p.space()
	if p.peek() != ':' {
		return p.fault("a colon is missing")
	}
	p.pos++
	p.space()
	return p.value()
}

func (p *parser) word(w string, k kind) error {
	if len(p.src)-p.pos < len(w) || string(p.src[p.pos:p.pos+len(w)]) != w {
		return p.fault("a value is missing")
	}
	i := p.open(k)
	p.pos += len(w)
	p.shut(i)
	return nil
}
