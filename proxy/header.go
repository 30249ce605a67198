package proxy

import (
	"strings"

	"tailrace/proxy/exchange"
)

// hopByHop are the fields that end at this hop (RFC 9110, section 7.6.1), with
// those that old proxies add. Host and Content-Length are written anew from the
// parsed parts.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"TE", "Trailer", "Transfer-Encoding", "Upgrade", "Host", "Content-Length", "Expect",
}

// ours are the response fields that only tailrace sets; an origin that sends
// them is not believed.
var ours = []string{
	"X-Cache", "X-Cache-Source", "Cache-Status", "X-Journal-Key", "X-Journal-Attempts",
	"X-Tailrace-Sent", "Idempotent-Replayed",
}

// fields parses raw header lines; order, repetition and spelling are kept.
func fields(raw []byte) exchange.Header {
	var h exchange.Header
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if ok {
			h = append(h, exchange.Field{Name: name, Value: strings.Trim(value, " \t")})
		}
	}
	return h
}

// endToEnd removes hop-by-hop fields and those that Connection names, except
// that nobody can have a credential removed by naming it there.
func endToEnd(h exchange.Header) exchange.Header {
	drop := hopByHop
	for _, v := range h.Values("Connection") {
		for name := range strings.SplitSeq(v, ",") {
			if name = strings.TrimSpace(name); name != "" && !exchange.IsSecret(name) {
				drop = append(drop[:len(drop):len(drop)], name)
			}
		}
	}
	return h.Without(drop...)
}
