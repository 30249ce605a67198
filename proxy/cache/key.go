package cache

import (
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

// Key names a fetch that may be shared: two requests have the same Key when they
// ask for the same URI. Which fields the response selects on is not known before
// its head is there: then [Plan.Shares] says whether it is a rider's, and one
// whose it is not fetches for itself.
type Key struct{ resource }

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
