package cache

import (
	"bytes"
	"hash/maphash"
	"net/url"
	"strings"

	"tailrace/proxy/exchange"
)

// cuts remember that a resource was invalidated, so that an answer asked for
// before is not stored after. They are counters in a fixed table: two resources
// in one slot only cost each other a storing.
type cuts struct {
	all   uint64
	slots [1024]uint32
}

func (t *cuts) of(slot int) uint64 { return t.all + uint64(t.slots[slot]) }

func (c *Cache) slot(r resource) int {
	return int(maphash.Comparable(c.seed, r) % uint64(len(c.cuts.slots)))
}

func (c *Cache) cut(r resource) uint64 {
	slot := c.slot(r)
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cuts.of(slot)
}

// Invalidate removes what a write has changed (RFC 9111, section 4.4) and
// returns how many objects that were: after a 2xx or 3xx to an unsafe method,
// all variants of its target, and of the URIs in Location and Content-Location
// of the same origin (another origin's are not its to clear). Call it when the
// head is there: what is asked for from then on must not be the old. For any
// other exchange it does nothing.
func (c *Cache) Invalidate(req *exchange.Request, head *exchange.Head) int {
	if safe(req.Method) || head.Status < 200 || head.Status >= 400 {
		return 0
	}
	target := resourceOf(req)
	n := c.drop(target)
	for _, name := range [...]string{"Location", "Content-Location"} {
		for _, ref := range head.Header.Values(name) {
			if r, ok := sameOrigin(target, trim(ref)); ok && r != target {
				n += c.drop(r)
			}
		}
	}
	return n
}

func (c *Cache) drop(r resource) int {
	slot := c.slot(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cuts.slots[slot]++
	n := 0
	for _, o := range c.resources[r] {
		c.remove(o)
		n++
	}
	return n
}

// sameOrigin resolves a reference against the target. An absolute path and an
// absolute URI are taken as the bytes they are: parsing and printing them could
// give another spelling than the one that is stored.
func sameOrigin(base resource, ref string) (resource, bool) {
	ref, _, _ = strings.Cut(ref, "#")
	if ref == "" {
		return base, true
	}
	if strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//") {
		base.target = ref
		return base, true
	}
	origin := base.scheme + "://" + base.host
	if len(ref) > len(origin) && strings.EqualFold(ref[:len(origin)], origin) && ref[len(origin)] == '/' {
		base.target = ref[len(origin):]
		return base, true
	}
	from, err := url.Parse(origin + base.target)
	if err != nil {
		return resource{}, false
	}
	to, err := from.Parse(ref)
	if err != nil || !strings.EqualFold(to.Scheme, base.scheme) || !strings.EqualFold(to.Host, base.host) {
		return resource{}, false
	}
	base.target = to.RequestURI()
	return base, true
}

// Purge removes what an operator names and returns how many objects that were.
// The pattern is a URL at the origin ("https://api.example.com/v1/models"), or,
// when it begins with "/", a target at any origin; a "*" at its end stands for
// anything, and "*" alone for everything. It is compared byte by byte with what
// is sent to the origin; the query is part of it.
func (c *Cache) Purge(pattern string) int {
	want, prefix := strings.CutSuffix(pattern, "*")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cuts.all++
	n := 0
	var line []byte
	for r, variants := range c.resources {
		line = line[:0]
		if !strings.HasPrefix(want, "/") {
			line = append(append(append(line, r.scheme...), "://"...), r.host...)
		}
		line = append(line, r.target...)
		if string(line) != want && !(prefix && bytes.HasPrefix(line, []byte(want))) {
			continue
		}
		for _, o := range variants {
			c.remove(o)
			n++
		}
	}
	return n
}
