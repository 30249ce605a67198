package proxy

import (
	"sync"

	"tailrace/proxy/exchange"
)

// retries are the streams that operators have sent again and that still run, by
// scope and key. The next client that asks for one joins it live, once: sending
// it anew would be paid a second time.
type retries struct {
	mu sync.Mutex
	m  map[string]*call
}

func (r *retries) add(key string, c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[string]*call{}
	}
	r.m[key] = c
}

// remove takes a call out, unless another has its key by now.
func (r *retries) remove(key string, c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m[key] == c {
		delete(r.m, key)
	}
}

// board takes the call of that key out and puts a client aboard, or returns nil.
func (r *retries) board(key string, t *trip) *call {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.m[key]
	if c == nil || !c.fl.Enter() {
		return nil
	}
	delete(r.m, key)
	c.rider.Store(t)
	return c
}

// joinLive answers a client from the stream that an operator has sent again and
// that has not ended; nil means that there is none.
func (p *Proxy) joinLive(t *trip, in *exchange.Intent, v exchange.Verdict) *answer {
	c := p.retries.board(in.Name(), t)
	if c == nil {
		return nil
	}
	t.mu.Lock()
	t.wholeAt = c.t.wholeAt
	t.mu.Unlock()
	t.decide(v, 0)
	p.say(exchange.Joined{Stamp: t.stamp(), Leader: c.fl.Leader})
	head, body, err := c.fl.Head(t.ctx, true)
	return t.landedOn(c.fl, head, body, err)
}
