package proxy

import (
	"bytes"
	"strings"

	"tailrace/proxy/exchange"
)

// scrubMost is the shortest value that is looked for in texts: a shorter one
// would be found by chance everywhere.
const scrubMost = 8

// secretsOf are the values of a request's own credential, as providers like to
// repeat them in error texts, whatever their shape.
func secretsOf(req *exchange.Request) []string {
	var out []string
	add := func(v string) {
		if len(v) >= scrubMost {
			out = append(out, v)
		}
	}
	for _, f := range credentialOf(req) {
		v := f.Value
		if scheme, token, ok := strings.Cut(v, " "); ok && !strings.ContainsAny(scheme, "=;") {
			v = token
		}
		add(v)
	}
	add(queryKey(req))
	return out
}

// scrub removes from a body that is kept for people what has the shape of a key,
// and the request's own credential.
func (t *trip) scrub(b []byte) []byte {
	b, _ = exchange.RedactBody(b)
	for _, s := range t.secrets {
		if bytes.Contains(b, []byte(s)) {
			b = bytes.ReplaceAll(b, []byte(s), []byte(exchange.Redacted))
		}
	}
	return b
}

// scrubText is scrub for a sentence.
func (t *trip) scrubText(s string) string { return string(t.scrub([]byte(s))) }

// scrubHeader is scrub for the head of a response.
func (t *trip) scrubHeader(h exchange.Header) exchange.Header {
	h = exchange.RedactHeader(h)
	for i := range h {
		for _, s := range t.secrets {
			h[i].Value = strings.ReplaceAll(h[i].Value, s, exchange.Redacted)
		}
	}
	return h
}
