package cache

import (
	"strconv"
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// CacheStatus is the value of Cache-Status (RFC 9211) for a verdict: the key in
// words (Name; "" leaves it out), the time to live of what is served or was
// stored, and whether the response is being stored. The reason of the verdict
// may be the one of the request or, once the head is there, the one of the
// Plan; "collapsed" is that of a rider.
func CacheStatus(v exchange.Verdict, key string, ttl time.Duration, stored bool) string {
	var b strings.Builder
	b.Grow(64 + len(key))
	b.WriteString("tailrace")
	switch {
	case v.XCache == exchange.HIT || v.XCache == exchange.STALE:
		b.WriteString("; hit")
		if v.Source == exchange.SourceHot {
			writeTTL(&b, ttl)
		}
	case v.XCache == exchange.REVALIDATED:
		b.WriteString("; fwd=stale; fwd-status=304")
		writeTTL(&b, ttl)
	case v.Reason == whyOnlyIfCached: // neither: nothing was asked
	default:
		b.WriteString("; fwd=")
		b.WriteString(forwarded(v))
		if v.Reason == whyCollapsed {
			b.WriteString("; collapsed")
		}
		if stored {
			b.WriteString("; stored")
			writeTTL(&b, ttl)
		}
	}
	if key != "" {
		b.WriteString("; key=")
		writeString(&b, key)
	}
	switch {
	case v.Source == exchange.SourceJournal && v.Reason == "":
		b.WriteString("; detail=journal")
	case v.Reason != "" && v.Reason != forwarded(v) && v.Reason != whyCollapsed:
		b.WriteString("; detail=")
		writeWord(&b, v.Reason)
	}
	return b.String()
}

// whyCollapsed is the reason of a rider.
const whyCollapsed = "collapsed"

// forwarded says in RFC 9211's words (section 2.2) why a request went on.
func forwarded(v exchange.Verdict) string {
	switch v.Reason {
	case whyMethod:
		return "method"
	case whyAuthorization, whyRange, whyPrecondition:
		return "bypass"
	}
	if v.XCache == exchange.BYPASS {
		return "bypass"
	}
	switch v.Reason {
	case whyURI, whyVary:
		return v.Reason
	case whyExpired:
		return "stale"
	case whyNoCache, whyMaxAge, whyMinFresh:
		return "request"
	}
	return "miss"
}

func writeTTL(b *strings.Builder, ttl time.Duration) {
	b.WriteString("; ttl=")
	b.WriteString(strconv.FormatInt(int64(ttl/time.Second), 10))
}

// writeWord writes a token as it is and anything else as a string.
func writeWord(b *strings.Builder, s string) {
	for i := range len(s) {
		c := s[i] | 0x20
		if ('a' > c || c > 'z') && (i == 0 || (s[i] < '0' || s[i] > '9') && s[i] != '-') {
			writeString(b, s)
			return
		}
	}
	b.WriteString(s)
}

// writeString writes an sf-string (RFC 8941, section 3.3.3), which holds
// printable ASCII only; other bytes are percent-encoded, as in a URI.
func writeString(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c > 0x7e:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}
