package cache

import (
	"strings"

	"tailrace/proxy/exchange"
)

// asked is what the fields of a request say to a cache, read in one pass.
type asked struct {
	noStore, noCache, onlyIfCached bool
	maxAge, minFresh               seconds

	credential   bool
	cookie       bool
	ranged       bool // Range or If-Range
	conditional  bool // If-None-Match or If-Modified-Since, which a cache may answer
	precondition bool // If-Match or If-Unmodified-Since, which it may not (RFC 9111, 4.3.2)
}

func readAsked(h exchange.Header) asked {
	a := asked{maxAge: absent, minFresh: absent}
	controlled, pragma := false, false
	for i := range h {
		name, value := h[i].Name, h[i].Value
		if IsCredential(name) {
			a.credential = true
			continue
		}
		switch len(name) { // spares most fields the comparison
		case len("Range"):
			a.ranged = a.ranged || strings.EqualFold(name, "Range")
		case len("Cookie"): // and Pragma
			a.cookie = a.cookie || strings.EqualFold(name, "Cookie")
			pragma = pragma || strings.EqualFold(name, "Pragma") && hasNoCache(value)
		case len("If-Match"): // and If-Range
			a.precondition = a.precondition || strings.EqualFold(name, "If-Match")
			a.ranged = a.ranged || strings.EqualFold(name, "If-Range")
		case len("Cache-Control"): // and If-None-Match
			if strings.EqualFold(name, "Cache-Control") {
				controlled = true
				a.control(value)
			}
			a.conditional = a.conditional || strings.EqualFold(name, "If-None-Match")
		case len("If-Modified-Since"):
			a.conditional = a.conditional || strings.EqualFold(name, "If-Modified-Since")
		case len("If-Unmodified-Since"):
			a.precondition = a.precondition || strings.EqualFold(name, "If-Unmodified-Since")
		}
	}
	if pragma && !controlled { // RFC 9111, section 5.4
		a.noCache = true
	}
	if a.maxAge == 0 {
		a.noCache = true
	}
	return a
}

// control reads one Cache-Control line of a request (RFC 9111, section 5.2.1).
// max-stale only permits, and nothing stale is served yet.
func (a *asked) control(value string) {
	for rest := value; rest != ""; {
		var name, arg string
		name, arg, rest = cutDirective(rest)
		switch {
		case strings.EqualFold(name, "no-store"):
			a.noStore = true
		case strings.EqualFold(name, "no-cache"):
			a.noCache = true
		case strings.EqualFold(name, "only-if-cached"):
			a.onlyIfCached = true
		case strings.EqualFold(name, "max-age"):
			a.maxAge = least(a.maxAge, arg)
		case strings.EqualFold(name, "min-fresh"):
			a.minFresh = most(a.minFresh, arg)
		}
	}
}

func hasNoCache(value string) bool {
	for rest := value; rest != ""; {
		var name string
		name, _, rest = cutDirective(rest)
		if strings.EqualFold(name, "no-cache") {
			return true
		}
	}
	return false
}

// IsCredential reports whether a request field names who is asking, so that the
// answer may be meant for that one alone. These are Authorization (RFC 9111,
// section 3.5) and the fields in which providers take keys and tokens instead.
// A Cookie is none: RFC 9111 leaves it to the origin to mark such answers.
func IsCredential(name string) bool {
	switch len(name) {
	case len("api-key"):
		return strings.EqualFold(name, "api-key")
	case len("x-api-key"):
		return strings.EqualFold(name, "x-api-key")
	case len("x-auth-token"):
		return strings.EqualFold(name, "x-auth-token")
	case len("authorization"):
		return strings.EqualFold(name, "authorization")
	case len("x-goog-api-key"): // and openai-api-key
		return strings.EqualFold(name, "x-goog-api-key") || strings.EqualFold(name, "openai-api-key")
	case len("anthropic-api-key"):
		return strings.EqualFold(name, "anthropic-api-key")
	case len("x-amz-security-token"):
		return strings.EqualFold(name, "x-amz-security-token")
	}
	return false
}

// safe reports whether a method is known to change nothing (RFC 9110, section
// 9.2.1, and the IANA method registry). What is not known is not safe.
func safe(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY":
		return true
	}
	return false
}
