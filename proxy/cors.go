package proxy

import (
	"net/http"
	"slices"
	"strings"

	"tailrace/proxy/exchange"
)

// allowedOrigin is the Origin of a request when it is on the list of
// --allow-origin, else "".
func (g *gate) allowedOrigin(h exchange.Header) string {
	if o := h.Get("Origin"); o != "" && slices.Contains(g.origins, o) {
		return o
	}
	return ""
}

// preflight answers a browser that asks, for a page of an allowed origin, what it
// may send (the Fetch standard's CORS preflight): anything. It never reaches a
// provider.
func (t *trip) preflight(req *exchange.Request) *answer {
	h := exchange.Header{
		{Name: "Access-Control-Allow-Methods", Value: req.Header.Get("Access-Control-Request-Method")},
		{Name: "Access-Control-Max-Age", Value: "600"},
		{Name: "X-Tailrace-Sent", Value: "no"},
	}
	if ask := req.Header.Get("Access-Control-Request-Headers"); ask != "" {
		h = append(h, exchange.Field{Name: "Access-Control-Allow-Headers", Value: ask})
	}
	a := &answer{head: exchange.Head{Status: http.StatusNoContent, Header: h}, verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "preflight"}}
	return a.mark()
}

func isPreflight(req *exchange.Request) bool {
	return req.Method == http.MethodOptions && req.Header.Has("Access-Control-Request-Method")
}

// share lets a page of an allowed origin read the answer; an exact origin, never
// "*", and nothing for anybody else.
func (a *answer) share(origin string) {
	h := a.head.Header
	kept := make(exchange.Header, 0, len(h)+3)
	for _, f := range h {
		if !strings.EqualFold(f.Name, "Access-Control-Allow-Origin") {
			kept = append(kept, f)
		}
	}
	a.head.Header = append(kept,
		exchange.Field{Name: "Access-Control-Allow-Origin", Value: origin},
		exchange.Field{Name: "Access-Control-Expose-Headers", Value: "*"},
		exchange.Field{Name: "Vary", Value: "Origin"})
}
