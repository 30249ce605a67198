package proxy

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
)

// gate decides who may talk to the proxy at all: programs on this machine that
// address it by its own name. A page in a browser that resolves a name of its
// own to 127.0.0.1 (DNS rebinding), or posts across sites, is refused before
// anything is read or sent.
type gate struct {
	hosts   []string // allowed beside the loopback names
	origins []string // allowed Origin values, exact
}

// refuse returns why a request may not pass, or "". The header is as received, in
// any spelling and repetition; local is the address that the connection came in
// on.
func (g *gate) refuse(host string, h exchange.Header, local net.Addr) string {
	if !g.hostAllowed(host, local) || len(h.Values("Host")) > 1 {
		return "Host is not this proxy: address it as 127.0.0.1, localhost or [::1] with its port, or allow the name with --allow-host"
	}
	origins := h.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !g.originAllowed(origins[0], local) {
		return "Origin is not allowed: a web page may not use this proxy; allow its origin with --allow-origin"
	}
	crossSite := slices.ContainsFunc(h.Values("Sec-Fetch-Site"), func(v string) bool { return strings.EqualFold(v, "cross-site") })
	if crossSite && g.allowedOrigin(h) == "" {
		return "cross-site requests of a browser are not allowed; allow their origin with --allow-origin"
	}
	return ""
}

// hostAllowed compares the Host exactly: case does not matter, a trailing dot or
// another spelling of the address does.
func (g *gate) hostAllowed(host string, local net.Addr) bool {
	name, port := splitHost(host)
	if slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, name) || strings.EqualFold(h, host) }) {
		return true
	}
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "[::1]":
	default:
		return false
	}
	return port == localPort(local)
}

// originAllowed takes our own origin and the listed ones, never "null".
func (g *gate) originAllowed(origin string, local net.Addr) bool {
	if origin == "null" {
		return false
	}
	if slices.Contains(g.origins, origin) {
		return true
	}
	host, ok := strings.CutPrefix(origin, "http://")
	return ok && g.hostAllowed(host, local) && !slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// splitHost splits at the last colon behind a bracket; the port is "80" when
// none is written.
func splitHost(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, "80"
}

func hostOnly(host string) string {
	name, _ := splitHost(host)
	return name
}

func localPort(a net.Addr) string {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	return strconv.Itoa(int(ap.Port()))
}
