package cache

import (
	"hash/maphash"
	"sync"
	"time"

	"tailrace/proxy/exchange"
)

// Policy is what the operator wants of the cache on one route. A nil Policy is
// a disabled one.
type Policy struct {
	Enabled    bool
	TTLDefault time.Duration // lifetime of a response that names none, where its status allows; 0 = such a response is not stored
	MaxObject  int64         // bytes of body; a larger response is not stored. 0 = bounded by the cache's own size alone
}

// Cache holds responses in memory, bounded in bytes. All methods are safe for
// concurrent use.
type Cache struct {
	seed maphash.Seed
	max  int64

	mu        sync.RWMutex
	resources map[resource][]*Object // the variants of each, oldest first
	sieve     sieve
	stats     Stats
	cuts      cuts
}

// Stats is the state of a cache at one moment.
type Stats struct {
	Entries   int
	Bytes     int64  // bodies, heads and the overhead of keeping them
	Evictions uint64 // since New: what had to give way to something newer
}

// New returns an empty cache that keeps at most maxBytes: bodies, heads and the
// overhead of keeping them. With 0 or less it stores nothing.
func New(maxBytes int64) *Cache {
	return &Cache{seed: maphash.MakeSeed(), max: maxBytes, resources: make(map[resource][]*Object)}
}

// Stats counts what is held now, expired objects included.
func (c *Cache) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.stats
}

// Decision is what the cache says of one request.
type Decision struct {
	Verdict exchange.Verdict // HIT from the hot source, MISS or BYPASS, with its reason
	Object  *Object          // on a HIT, else nil

	// Key names the fetch that requests may share: those with an equal, non-zero
	// Key may ride on one, if the head that comes allows it (Plan.Shares). It is
	// zero unless Collapse is true.
	Key      Key
	Collapse bool

	Store        bool // the response may be stored, if its head allows it
	OnlyIfCached bool // the client wants a stored response or none: answer 504, fetch nothing (RFC 9111, 5.2.1.7)

	cut uint64 // the cuts of the resource when the request was judged
}

// Decide is the one evaluator of requests. The request is already routed:
// Scheme, Host and Target are what goes to the origin. declared says that it is
// a declared stream, whose reason the caller makes more exact ("-accept",
// "-body" or "-path"). A hit allocates nothing.
func (c *Cache) Decide(p *Policy, req *exchange.Request, declared bool, now time.Time) Decision {
	get := req.Method == "GET"
	switch {
	case declared:
		return forward(exchange.BYPASS, whyDeclared)
	case p == nil || !p.Enabled:
		return forward(exchange.BYPASS, whyDisabled)
	case get || req.Method == "HEAD":
	case safe(req.Method):
		return forward(exchange.BYPASS, whyMethod)
	default:
		return forward(exchange.MISS, whyMethod)
	}

	ask := readAsked(req.Header)
	var d Decision
	switch {
	case ask.noStore:
		d = forward(exchange.BYPASS, whyNoStore)
	case ask.credential:
		d = forward(exchange.MISS, whyAuthorization)
	case ask.ranged:
		d = forward(exchange.MISS, whyRange)
	case ask.precondition:
		d = forward(exchange.MISS, whyPrecondition)
	case ask.noCache:
		// It may not ride either: the fetch under way may have been answered
		// before this client asked for something newer.
		d = forward(exchange.MISS, whyNoCache)
		d.Store = get
	default:
		o, why := c.find(req, &ask, now)
		if o != nil {
			return Decision{Verdict: exchange.Verdict{XCache: exchange.HIT, Source: exchange.SourceHot}, Object: o}
		}
		d = forward(exchange.MISS, why)
		d.Store = get
		d.Collapse = get && !ask.cookie && !ask.conditional
	}
	if ask.onlyIfCached {
		return Decision{Verdict: exchange.Verdict{XCache: d.Verdict.XCache, Reason: whyOnlyIfCached}, OnlyIfCached: true}
	}
	if d.Collapse {
		d.Key = Key{resourceOf(req)}
	}
	if d.Store {
		d.cut = c.cut(resourceOf(req))
	}
	return d
}

func forward(x exchange.XCache, why string) Decision {
	return Decision{Verdict: exchange.Verdict{XCache: x, Source: exchange.SourceOrigin, Reason: why}}
}

// find looks for a fresh object that answers the request (RFC 9111, section 4),
// or says why there is none.
func (c *Cache) find(req *exchange.Request, ask *asked, now time.Time) (*Object, string) {
	c.mu.RLock()
	variants := c.resources[resourceOf(req)]
	o := selectVariant(variants, req.Header)
	c.mu.RUnlock()
	switch {
	case len(variants) == 0:
		return nil, whyURI
	case o == nil:
		return nil, whyVary
	}
	age := o.age(now)
	switch {
	case age >= o.lifetime:
		return nil, whyExpired
	case ask.maxAge != absent && age > ask.maxAge.duration():
		return nil, whyMaxAge
	case ask.minFresh != absent && o.lifetime-age < ask.minFresh.duration():
		return nil, whyMinFresh
	}
	o.visit()
	return o, ""
}
