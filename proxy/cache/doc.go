// Package cache is a shared HTTP cache (RFC 9111) on plain values: requests,
// heads and bodies go in, verdicts and answers come out. It opens no
// connection, starts no goroutine and reads no clock; every question carries
// its own now, so that one decision never sees two times.
//
// There are two moments to know. [Cache.Decide] judges a request: answered from
// memory, or fetched, and why. [Cache.Plan] judges the head of what was
// fetched: may it be stored, for how long, and if not, why. [Cache.Store] then
// takes the whole body. A write is announced by [Cache.Invalidate] as soon as
// its head is there.
//
//	d := c.Decide(policy, req, declared, now)
//	if d.Object != nil {
//		head, body := d.Object.Answer(req, now)
//		...
//	}
//	pl := c.Plan(policy, &d, req, head, sent, received)
//	if pl.Store {
//		c.Store(&pl, body) // the whole body, or not at all
//	}
//
// What it does not do yet: validate what has expired, serve stale or partial
// responses, guess a lifetime from Last-Modified. What would need one of these
// is fetched and, where it could not be used again, not stored. A request that
// carries a credential neither reads nor writes the cache.
package cache
