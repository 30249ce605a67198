package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// maxCount bounds counts to what fits everywhere and means something.
const maxCount = math.MaxInt32

// floor says whether a zero is a value.
type floor int

const (
	orZero    floor = 0
	aboveZero floor = 1
)

// scalar returns the text of a value with its variables replaced.
func (r *reader) scalar(at string, n node) (string, bool) {
	text := ""
	switch v := r.resolve(n).(type) {
	case *ast.NullNode:
		r.problem(n, at+": this item is empty; write a value or take the line out")
		return "", false
	case *ast.LiteralNode:
		text = v.Value.Value
	case *ast.StringNode:
		text = v.Value
	case ast.ScalarNode:
		text = v.GetToken().Value // as written: 0o17 and 1_000 are not for us to guess at
	default:
		var ok bool
		if text, ok = withColon(v); !ok {
			r.problem(n, at+": one value belongs here, not a list or a mapping")
			return "", false
		}
	}
	s, err := r.expand(text)
	if err != nil {
		r.problem(n, at+": "+err.Error())
		return "", false
	}
	return s, true
}

// withColon gives back a text that the parser took for a mapping: in brackets it
// cuts host:1 at the colon, where YAML 1.2 (section 7.3.3) reads on unless a
// space follows.
func withColon(n node) (string, bool) {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 1 && !m.IsFlowStyle {
		n = m.Values[0]
	}
	v, ok := n.(*ast.MappingValueNode)
	if !ok {
		return "", false
	}
	key, colon, value := v.Key.GetToken(), v.Start.Position, v.Value.GetToken()
	ok = colon.Line == value.Position.Line && colon.Column+1 == value.Position.Column
	return key.Value + ":" + value.Value, ok
}

// text reads a string that passes all checks.
func (r *reader) text(to *string, checks ...func(string) error) func(string, node) {
	return func(at string, n node) {
		s, ok := r.scalar(at, n)
		if !ok {
			return
		}
		for _, check := range checks {
			if err := check(s); err != nil {
				r.problem(n, at+": "+err.Error())
				return
			}
		}
		*to = s
	}
}

// texts reads a list of strings that each pass all checks.
func (r *reader) texts(to *[]string, checks ...func(string) error) func(string, node) {
	return func(at string, n node) {
		items := r.sequence(at, n)
		list := make([]string, len(items))
		for i, item := range items {
			r.text(&list[i], checks...)(fmt.Sprintf("%s[%d]", at, i), item)
		}
		*to = list
	}
}

func (r *reader) boolean(to *bool) func(string, node) {
	return func(at string, n node) {
		s, ok := r.scalar(at, n)
		switch {
		case !ok:
		case s == "true", s == "false":
			*to = s == "true"
		default:
			r.problem(n, fmt.Sprintf("%s: %q is neither true nor false; write one of them", at, s))
		}
	}
}

// word reads one of a few words.
func (r *reader) word(to *string, words ...string) func(string, node) {
	return r.text(to, func(s string) error { return oneOf(s, words) })
}

// count reads a whole number within bounds.
func (r *reader) count(to *int, least, most int) func(string, node) {
	return func(at string, n node) {
		s, ok := r.scalar(at, n)
		if !ok {
			return
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < least || v > most {
			r.problem(n, fmt.Sprintf("%s: %q is no whole number from %d to %d; write one", at, s, least, most))
			return
		}
		*to = v
	}
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15})(|B|KiB|MiB|GiB)$`)

// size reads a number of bytes.
func (r *reader) size(to *int, least floor) func(string, node) {
	units := map[string]int{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	return func(at string, n node) {
		s, ok := r.scalar(at, n)
		if !ok {
			return
		}
		m := sizeForm.FindStringSubmatch(s)
		if m == nil {
			r.problem(n, fmt.Sprintf("%s: %q is no size; write a whole number with KiB, MiB or GiB, as in 64MiB", at, s))
			return
		}
		v, err := strconv.Atoi(m[1])
		switch {
		case err != nil || v > math.MaxInt64/4/units[m[2]]:
			r.problem(n, fmt.Sprintf("%s: %q is more than any machine has; write a smaller size", at, s))
		case v < int(least):
			r.problem(n, at+": 0 has no meaning here; write a size above it")
		default:
			*to = v * units[m[2]]
		}
	}
}

// duration reads a time span in Go's form; a bare 0 needs no unit.
func (r *reader) duration(to *time.Duration, least floor) func(string, node) {
	return func(at string, n node) {
		s, ok := r.scalar(at, n)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			r.problem(n, fmt.Sprintf("%s: %q is no duration; write a number with a unit, as in 100ms, 30s or 10m", at, s))
		case d < 0:
			r.problem(n, fmt.Sprintf("%s: %s is negative; write a duration from 0 up", at, s))
		case d < time.Duration(least):
			r.problem(n, at+": 0 has no meaning here; write a duration above it")
		default:
			*to = d
		}
	}
}
