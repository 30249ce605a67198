package cache

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tailrace/proxy/exchange"
)

// Object is one stored response. Nothing of it that a reader sees ever changes,
// so that it may be served while it is evicted or replaced.
type Object struct {
	name      string
	resource  resource
	selectors []selector
	status    int
	reason    string
	header    exchange.Header // as it is served, but for Age
	body      []byte
	modified  time.Time // Last-Modified, else Date: what If-Modified-Since is compared with

	received time.Time
	initial  time.Duration // age when its head came
	lifetime time.Duration
	bytes    int64 // what it is charged in memory

	visited      atomic.Bool
	older, newer *Object // of the sieve, under the cache's lock
}

// Name is the key it is stored under, in words, without secrets.
func (o *Object) Name() string { return o.name }

// TTL is how long it stays fresh, negative when it has expired.
func (o *Object) TTL(now time.Time) time.Duration { return o.lifetime - o.age(now) }

// age is current_age (RFC 9111, section 4.2.3).
func (o *Object) age(now time.Time) time.Duration { return o.initial + span(o.received, now) }

// visit marks the object as used. Loading first keeps its cache line shared
// between cores when it is hot.
func (o *Object) visit() {
	if !o.visited.Load() {
		o.visited.Store(true)
	}
}

// perConnection are fields that a cache must not store even if they come this
// far (RFC 9111, section 3.1): a stored "Connection: close" would close every
// client's connection. Age is counted anew at each answer.
var perConnection = []string{
	"Age", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
	"Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
}

// newObject copies all it takes from the request and the head, which are parts
// of larger buffers.
func newObject(req *exchange.Request, head *exchange.Head, selectors []selector, date, received time.Time) *Object {
	o := &Object{
		name: Name(req), resource: resourceOf(req).clone(), selectors: selectors,
		status: head.Status, reason: strings.Clone(head.Reason), received: received, modified: date,
	}
	kept := head.Header.Without(perConnection...)
	if !kept.Has("Date") { // RFC 9110, section 6.6.1
		kept = append(kept, exchange.Field{Name: "Date", Value: received.UTC().Format(fixdate)})
	}
	o.header = make(exchange.Header, len(kept))
	for i, f := range kept {
		o.header[i] = exchange.Field{Name: strings.Clone(f.Name), Value: strings.Clone(f.Value)}
	}
	if t, ok := parseDate(o.header.Get("Last-Modified")); ok {
		o.modified = t
	}
	return o
}

// What an object costs beside its strings and its body, measured by
// TestTheBoundHoldsForTheHeapToo.
const (
	objectOverhead = 400
	fieldOverhead  = 48
)

// setBody takes the body over; one that was grown to much more than it needed
// is copied instead.
func (o *Object) setBody(body []byte) {
	if spare := cap(body) - len(body); spare > len(body)/8+64 {
		body = append(make([]byte, 0, len(body)), body...)
	}
	o.body = slices.Clip(body)

	n := objectOverhead + cap(body) + len(o.name) + len(o.resource.host) + len(o.resource.target)
	for _, f := range o.header {
		n += len(f.Name) + len(f.Value) + fieldOverhead
	}
	for _, s := range o.selectors {
		n += len(s.name) + len(s.value) + fieldOverhead
	}
	o.bytes = int64(n)
}
