package admin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// gate turns away what a web page, or a name that was rebound to this machine,
// could send: the browser tells us where a request comes from, and the token
// alone would not keep /metrics and /healthz from being read.
type gate struct {
	hosts   []string // our own, with our port
	names   []string // allowed beside them, in small letters
	ours    []string // origins that are our own
	allowed []string // origins that were allowed by name
}

func newGate(o Options) gate {
	g := gate{allowed: o.AllowOrigins}
	for _, h := range []string{"localhost", "127.0.0.1", "[::1]"} {
		h += ":" + strconv.Itoa(o.Port)
		g.hosts = append(g.hosts, h)
		g.ours = append(g.ours, "http://"+h)
	}
	for _, h := range o.AllowHosts {
		g.names = append(g.names, strings.ToLower(h))
	}
	return g
}

// hostAllowed takes an allowed name with any port: a container is often reached
// through another one than it listens on.
func (g *gate) hostAllowed(host string) bool {
	host = strings.ToLower(host)
	name := host
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name = host[:i]
	}
	return slices.Contains(g.hosts, host) || slices.Contains(g.names, host) || slices.Contains(g.names, name)
}

// admit answers what does not pass, and the preflight of an allowed origin.
func (g *gate) admit(w http.ResponseWriter, r *http.Request) bool {
	if !g.hostAllowed(r.Host) {
		say(w, http.StatusForbidden, "the Host "+strconv.Quote(r.Host)+" is not this machine; use 127.0.0.1 and the admin port, or allow the name with --allow-host")
		return false
	}
	origins, allowed := r.Header.Values("Origin"), false
	if len(origins) > 0 {
		allowed = len(origins) == 1 && slices.Contains(g.allowed, origins[0])
		if !allowed && (len(origins) > 1 || !slices.Contains(g.ours, origins[0])) {
			say(w, http.StatusForbidden, "web pages from "+strconv.Quote(strings.Join(origins, ", "))+" may not use this port; allow the origin with --allow-origin")
			return false
		}
	}
	if !allowed && strings.EqualFold(r.Header.Get("Sec-Fetch-Site"), "cross-site") {
		say(w, http.StatusForbidden, "another web site sent this request; open the address yourself, or allow the origin with --allow-origin")
		return false
	}
	if !allowed {
		return true
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Set("Vary", "Origin")
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
		w.WriteHeader(http.StatusNoContent)
		return false
	}
	return true
}
