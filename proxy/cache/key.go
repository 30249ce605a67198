package cache

import (
	"hash/maphash"
	"strings"

	"tailrace/proxy/exchange"
)

// resource names what is stored: the target URI (RFC 9111, section 2). Only
// answers to GET are stored, so that the method need not be part of it. Strings
// are compared as bytes: what is routed and sent is what is keyed.
type resource struct{ scheme, host, target string }

func resourceOf(req *exchange.Request) resource {
	return resource{req.Scheme, req.Host, req.Target}
}

func (r resource) clone() resource {
	return resource{strings.Clone(r.scheme), strings.Clone(r.host), strings.Clone(r.target)}
}

// Key names a fetch that may be shared. Two requests have the same Key when
// they ask for the same URI with the same fields: which of them a response will
// select on is not known before it is there, so that a Key of the URI alone
// would hand one client's variant to another.
type Key struct {
	resource
	fields uint64 // keyed hash of the request's fields
}

// tracing are fields that differ from request to request and select nothing.
// A response whose Vary names one all the same is caught by Plan.Shares.
var tracing = [...]string{"traceparent", "tracestate", "x-request-id", "x-correlation-id"}

func (c *Cache) key(req *exchange.Request) Key {
	var h maphash.Hash
	h.SetSeed(c.seed)
next:
	for i := range req.Header {
		f := &req.Header[i]
		for _, t := range tracing {
			if strings.EqualFold(f.Name, t) {
				continue next
			}
		}
		for j := range len(f.Name) {
			b := f.Name[j]
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			h.WriteByte(b)
		}
		h.WriteByte(0) // no field name or value has a NUL in it
		h.WriteString(f.Value)
		h.WriteByte(0)
	}
	return Key{resourceOf(req), h.Sum64()}
}

// Name is the cache key of a request in words, for Cache-Status and for people:
// method and URI at the origin, without the secrets that a query may carry. A
// HEAD is named as the GET whose object answers it.
func Name(req *exchange.Request) string {
	method := req.Method
	if method == "HEAD" {
		method = "GET"
	}
	return method + " " + req.Scheme + "://" + req.Host + exchange.RedactTarget(req.Target)
}
