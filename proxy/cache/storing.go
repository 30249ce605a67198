package cache

import (
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// Plan is what becomes of one response.
type Plan struct {
	Store  bool          // give the whole body to Cache.Store
	Reason string        // why not, "" when it is stored
	TTL    time.Duration // how long it stays fresh from the moment its head came
	Limit  int64         // bytes of body; what grows beyond is not stored and need not be kept

	req       *exchange.Request
	object    *Object // all but its body; nil once stored
	selectors []selector
	length    int64
	cut       uint64
}

// Plan judges the head of a response (RFC 9111, section 3). d is the decision
// about the request it answers; sent and received are when the request's first
// byte left and when the head came. The request must stay as it is until the
// plan is stored or dropped.
func (c *Cache) Plan(p *Policy, d *Decision, req *exchange.Request, head *exchange.Head, sent, received time.Time) Plan {
	if req.Method == "HEAD" {
		return Plan{Reason: whyHead}
	}
	if !d.Store || p == nil {
		return Plan{Reason: d.Verdict.Reason}
	}
	rd := readResponse(head.Header)
	if why := forbidden(head, &rd); why != "" {
		return Plan{Reason: why}
	}
	selectors, star := varies(head.Header, req.Header)
	if star {
		return Plan{Reason: whyVaryStar}
	}

	date := dateOf(head.Header, received)
	life, named := lifetime(p, head, &rd, date)
	age := initialAge(head.Header, date, sent, received)
	switch {
	case life == 0 && !named:
		return Plan{Reason: whyNoFreshness}
	case life <= age:
		return Plan{Reason: whyStale}
	case !named && req.Header.Has("Cookie"):
		return Plan{Reason: whyCookie}
	}

	pl := Plan{TTL: life - age, Limit: c.max, req: req, selectors: selectors, length: head.Length, cut: d.cut}
	if p.MaxObject > 0 {
		pl.Limit = min(pl.Limit, p.MaxObject)
	}
	if head.Length > pl.Limit {
		pl.Reason = whyTooLarge
		return pl
	}
	pl.Store = true
	pl.object = newObject(req, head, selectors, date, received)
	pl.object.lifetime, pl.object.initial = life, age
	return pl
}

// forbidden says what keeps a response out whatever lifetime it names.
func forbidden(head *exchange.Head, rd *responseDirectives) string {
	switch {
	case head.Status < 200 || head.Status == 206 || head.Status == 304:
		return whyStatus
	case rd.noStore:
		return whyNoStore
	case rd.private:
		return whyPrivate
	case rd.noCache:
		return whyOriginNoCache
	case head.Header.Has("Set-Cookie"):
		return whySetCookie
	case eventStream(head.Header.Get("Content-Type")):
		return whyStream
	}
	return ""
}

func eventStream(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(trim(media), "text/event-stream")
}

// Shares reports whether the response may also answer a request that rides on
// its fetch: it is one that may be used again (RFC 9111, section 4), whether or
// not there is room for it, and the request selects it. A rider it does not
// hold for fetches for itself.
func (pl *Plan) Shares(rider *exchange.Request) bool {
	return pl.req != nil && matchAll(pl.selectors, rider.Header)
}

// Store keeps the body of a planned response and reports whether it did. Body
// must be whole: what is shorter or longer than its head said is not stored.
// It is handed over, and nobody may write to it afterwards. A response is not
// stored either when its resource was invalidated or purged after its request
// was judged: it may show what was there before.
func (c *Cache) Store(pl *Plan, body []byte) bool {
	o := pl.object
	if o == nil || int64(len(body)) > pl.Limit || pl.length >= 0 && int64(len(body)) != pl.length {
		return false
	}
	pl.object = nil
	o.setBody(body)

	c.mu.Lock()
	defer c.mu.Unlock()
	if o.bytes > c.max || c.cuts.of(c.slot(o.resource)) != pl.cut {
		return false
	}
	for _, old := range c.resources[o.resource] {
		if matchAll(old.selectors, pl.req.Header) { // the new one answers for it
			c.remove(old)
		}
	}
	if v := c.resources[o.resource]; len(v) >= maxVariants {
		c.remove(v[0])
	}
	c.add(o)
	return true
}
