package origin

import (
	"strings"

	"tailrace/proxy/exchange"
)

// endToEnd returns the field lines that are meant for the other end: without
// those about one connection (RFC 9110, section 7.6.1), those that Connection
// names, and Content-Length, which the framing says anew. It returns h itself
// when there are none.
func endToEnd(h exchange.Header) exchange.Header {
	if !hasHop(h) {
		return h
	}
	out := make(exchange.Header, 0, len(h))
	for _, f := range h {
		if !hop(f.Name) && !listed(h, f.Name) {
			out = append(out, f)
		}
	}
	return out
}

func hasHop(h exchange.Header) bool {
	for _, f := range h {
		if hop(f.Name) {
			return true
		}
	}
	return false
}

func hop(name string) bool {
	switch len(name) {
	case 2:
		return strings.EqualFold(name, "TE")
	case 7:
		return strings.EqualFold(name, "Trailer") || strings.EqualFold(name, "Upgrade")
	case 10:
		if strings.EqualFold(name, "Connection") || strings.EqualFold(name, "Keep-Alive") {
			return true
		}
	case 14:
		return strings.EqualFold(name, "Content-Length")
	case 17:
		if strings.EqualFold(name, "Transfer-Encoding") {
			return true
		}
	}
	return len(name) > 6 && strings.EqualFold(name[:6], "Proxy-")
}

// listed reports whether a Connection field names option.
func listed(h exchange.Header, option string) bool {
	for _, f := range h {
		if !strings.EqualFold(f.Name, "Connection") {
			continue
		}
		for o := range strings.SplitSeq(f.Value, ",") {
			if strings.EqualFold(strings.Trim(o, " \t"), option) {
				return true
			}
		}
	}
	return false
}

// token reports whether s can be a method or a field name (RFC 9110, 5.6.2).
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// fieldValue reports whether s has no control characters but tabs.
func fieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
