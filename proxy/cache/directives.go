package cache

import (
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// seconds is a delta-seconds value (RFC 9111, section 1.2.2), at most 2^31.
type seconds int64

const (
	absent     seconds = -1
	maxSeconds seconds = 1 << 31 // what is larger, or overflows, counts as this
)

func (s seconds) duration() time.Duration { return time.Duration(s) * time.Second }

// parseSeconds reads digits and nothing else.
func parseSeconds(s string) (seconds, bool) {
	if s == "" {
		return 0, false
	}
	var n seconds
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		if n < maxSeconds {
			n = n*10 + seconds(s[i]-'0')
		}
	}
	return min(n, maxSeconds), true
}

// least takes one more occurrence of a directive that makes a response live
// longer the larger it is: of several the shortest holds, and what cannot be
// read is 0 (RFC 9111, section 4.2.1).
func least(have seconds, arg string) seconds {
	n, ok := parseSeconds(arg)
	if !ok {
		n = 0
	}
	if have == absent {
		return n
	}
	return min(have, n)
}

// most is least for a directive that demands more the larger it is.
func most(have seconds, arg string) seconds {
	n, ok := parseSeconds(arg)
	if !ok {
		n = maxSeconds
	}
	return max(have, n)
}

// responseDirectives are those that decide about storing and lifetime. The
// field lists of no-cache="f" and private="f" are read as if they were not
// there, which RFC 9111, 5.2.2.4 and 5.2.2.7 allow and which is never wrong.
type responseDirectives struct {
	noStore, noCache, private bool
	maxAge, sMaxAge           seconds
}

func readResponse(h exchange.Header) responseDirectives {
	d := responseDirectives{maxAge: absent, sMaxAge: absent}
	for i := range h {
		if !strings.EqualFold(h[i].Name, "Cache-Control") {
			continue
		}
		for rest := h[i].Value; rest != ""; {
			var name, arg string
			name, arg, rest = cutDirective(rest)
			switch {
			case strings.EqualFold(name, "no-store"):
				d.noStore = true
			case strings.EqualFold(name, "no-cache"):
				d.noCache = true
			case strings.EqualFold(name, "private"):
				d.private = true
			case strings.EqualFold(name, "max-age"):
				d.maxAge = least(d.maxAge, arg)
			case strings.EqualFold(name, "s-maxage"):
				d.sMaxAge = least(d.sMaxAge, arg)
			}
		}
	}
	return d
}

// cutDirective takes the first member off a Cache-Control value: its name, and
// its argument without quotes. An argument that the grammar does not know
// (blanks around "=", escapes, something behind the quotes) comes back with
// what is wrong about it, so that it never reads as a number. A quote that is
// not closed quotes nothing: it must not hide a no-store behind it.
func cutDirective(s string) (name, arg, rest string) {
	i := strings.IndexAny(s, "=,")
	if i < 0 {
		return trim(s), "", ""
	}
	name = trim(s[:i])
	if s[i] == ',' {
		return name, "", s[i+1:]
	}
	after := s[i+1:]
	if inner, behind, ok := cutQuoted(after); ok {
		gap, next, _ := strings.Cut(behind, ",")
		arg, rest = inner, next
		if trim(gap) != "" || strings.IndexByte(inner, '\\') >= 0 {
			arg = after[:len(inner)+2]
		}
	} else {
		arg, rest, _ = strings.Cut(after, ",")
		arg = strings.TrimRight(arg, " \t")
	}
	if i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		arg = s[i : i+1] // "max-age =1"
	}
	return name, arg, rest
}

// cutQuoted takes a quoted-string off the front.
func cutQuoted(s string) (inner, behind string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[1:i], s[i+1:], true
		}
	}
	return "", "", false
}

// trim takes optional white space (RFC 9110, section 5.6.3) off both ends.
func trim(s string) string { return strings.Trim(s, " \t") }
