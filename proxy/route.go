package proxy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tailrace/proxy/cache"
	"tailrace/proxy/exchange"
	"tailrace/proxy/origin"
	"tailrace/proxy/queue"
)

// route is a Route at work: with its pool, its fetch slots and its tees.
type route struct {
	Route
	pool   *origin.Pool
	scheme string // of the pool's origins; the cache's keys need it before a connection exists
	host   string
	queue  *queue.Queue
	policy cache.Policy

	headerTimeout time.Duration // connect.response_header_timeout of the pool

	buffered atomic.Int64 // bytes held by live tees
	fallback atomic.Uint64
	streams  atomic.Int64
}

func (p *Proxy) newRoute(rc Route) (*route, error) {
	pool := p.pools[rc.Pool]
	if pool == nil {
		return nil, fmt.Errorf("route %q: no pool is named %q: name one of upstream_pools", rc.Name, rc.Pool)
	}
	r := &route{Route: rc, pool: pool, queue: queue.New(rc.MaxFetchConcurrency, rc.MaxFetchQueue)}
	r.policy = cache.Policy{Enabled: rc.Cache.Enabled, TTLDefault: rc.Cache.TTLDefault, MaxObject: rc.MaxResponseBytes}
	for _, pc := range p.cfg.Pools {
		if pc.Name != rc.Pool || len(pc.Targets) == 0 {
			continue
		}
		u, err := url.Parse(pc.Targets[0])
		if err != nil {
			return nil, fmt.Errorf("pool %q: target %q: %w", pc.Name, pc.Targets[0], err)
		}
		r.scheme, r.host, r.headerTimeout = u.Scheme, authority(u), pc.ResponseHeaderTimeout
	}
	return r, nil
}

// authority is the Host of an origin: without the port that its scheme implies,
// as every client sends it; some gateways know themselves by nothing else.
func authority(u *url.URL) string {
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return strings.TrimSuffix(u.Host, ":"+port)
	}
	return u.Host
}

// match finds the first route that takes the request.
func (p *Proxy) match(req *exchange.Request) *route {
	for _, r := range p.routes {
		if r.Match.takes(req) {
			return r
		}
	}
	return nil
}

// takes compares raw bytes: the path that is routed is the path that is sent.
func (m *Match) takes(req *exchange.Request) bool {
	if !strings.HasPrefix(req.Path(), m.PathPrefix) {
		return false
	}
	if len(m.Methods) > 0 && !slices.Contains(m.Methods, req.Method) {
		return false
	}
	if m.Host != "" && !strings.EqualFold(m.Host, hostOnly(req.Host)) {
		return false
	}
	return m.Header == "" || req.Header.Has(m.Header)
}

// prefix is the path prefix that the route takes by itself; a route that also
// wants a header field takes no path by itself.
func (r *route) prefix() string {
	if r.Match.Header != "" {
		return "\x00" + r.Match.Header
	}
	return r.Match.PathPrefix
}

// where says in words which requests the route takes.
func (r *route) where() string {
	s := r.Match.Host + r.Match.PathPrefix
	switch {
	case r.Match.Header == "":
		return s
	case s == "":
		s = "any path"
	}
	return s + " with " + r.Match.Header
}

// outgoing is the request as the origin gets it: the route's rewriting applied.
// Body and header values are shared, not copied.
func (r *route) outgoing(req *exchange.Request) *exchange.Request {
	out := *req
	out.Scheme, out.Host = r.scheme, r.host
	if rest, ok := strings.CutPrefix(req.Target, r.StripPrefix); ok && r.StripPrefix != "" {
		if !strings.HasPrefix(rest, "/") {
			rest = "/" + rest
		}
		out.Target = rest
	}
	out.Target = r.AddPrefix + out.Target
	if len(r.HeaderRemove) > 0 {
		out.Header = out.Header.Without(r.HeaderRemove...)
	}
	for _, f := range r.HeaderSet {
		out.Header = out.Header.With(f.Name, f.Value)
	}
	if r.Auth != "" && credentialOf(req) == nil {
		out.Header = append(out.Header, authField(req, r.Auth))
	}
	return &out
}

// limits are the clocks of one fetch. A declared stream has none but its wait
// for the head and its idleness.
func (r *route) limits(declared bool) origin.Limits {
	if declared {
		return origin.Limits{Header: r.Stream.HeaderTimeout, Idle: r.Stream.IdleTimeout}
	}
	return origin.Limits{Header: r.headerTimeout, Total: r.FetchTimeout, Idle: r.Stream.IdleTimeout}
}
