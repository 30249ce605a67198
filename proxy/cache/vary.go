package cache

import (
	"slices"
	"strings"

	"tailrace/proxy/exchange"
)

// maxVariants bounds how many objects one URI may have: they are looked through
// one by one. The oldest gives way.
const maxVariants = 32

// selector is one field that the response was selected by, with the value that
// the request had. Values of several lines are joined by ", ".
type selector struct {
	name, value string
	present     bool
}

// varies reads all Vary lines of a response into what they select of a request
// (RFC 9111, section 4.1). star is true when one of their members is "*": such
// a response answers no second request.
func varies(response, request exchange.Header) (out []selector, star bool) {
	for i := range response {
		if !strings.EqualFold(response[i].Name, "Vary") {
			continue
		}
		for member := range strings.SplitSeq(response[i].Value, ",") {
			name := trim(member)
			switch {
			case name == "":
				continue
			case name == "*":
				return nil, true
			case slices.ContainsFunc(out, func(s selector) bool { return strings.EqualFold(s.name, name) }):
				continue
			}
			lines := request.Values(name)
			for j := range lines {
				lines[j] = trim(lines[j])
			}
			out = append(out, selector{
				name:    strings.Clone(name),
				value:   strings.Clone(strings.Join(lines, ", ")),
				present: lines != nil,
			})
		}
	}
	return out, false
}

// matches reports whether a request has the value that the selector holds:
// lines are joined as they go, so that nothing is allocated.
func (s *selector) matches(h exchange.Header) bool {
	rest, present := s.value, false
	for i := range h {
		if !strings.EqualFold(h[i].Name, s.name) {
			continue
		}
		ok := true
		if present {
			if rest, ok = strings.CutPrefix(rest, ", "); !ok {
				return false
			}
		}
		if rest, ok = strings.CutPrefix(rest, trim(h[i].Value)); !ok {
			return false
		}
		present = true
	}
	return present == s.present && rest == ""
}

func matchAll(selectors []selector, h exchange.Header) bool {
	for i := range selectors {
		if !selectors[i].matches(h) {
			return false
		}
	}
	return true
}

// selectVariant returns the newest object that the request selects, or nil.
func selectVariant(variants []*Object, h exchange.Header) *Object {
	for i := len(variants) - 1; i >= 0; i-- {
		if matchAll(variants[i].selectors, h) {
			return variants[i]
		}
	}
	return nil
}
