package proxy

import (
	"context"
	"sync"
)

// under are the journaled calls under way, by scope and key.
type under struct {
	mu sync.Mutex
	m  map[string]map[*call]bool
}

func (u *under) add(c *call) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := c.name()
	if u.m == nil {
		u.m = map[string]map[*call]bool{}
	}
	if u.m[key] == nil {
		u.m[key] = map[*call]bool{}
	}
	u.m[key][c] = true
}

// remove takes a call out that has written its last word.
func (u *under) remove(c *call) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := c.name()
	if delete(u.m[key], c); len(u.m[key]) == 0 {
		delete(u.m, key)
	}
	close(c.over)
}

// left are the calls that nobody waits for any more: they were killed, or their
// clients are gone.
func (u *under) left(key string) []*call {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []*call
	for c := range u.m[key] {
		if c.fl.Ctx.Err() != nil {
			out = append(out, c)
		}
	}
	return out
}

// any reports whether a call of that key is under way.
func (u *under) any(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.m[key]) > 0
}

// settle waits until what was left has written why. A request that is back
// before that would find its row in flight, and be sent as another one: one that
// was killed, too.
func (u *under) settle(ctx context.Context, key string) {
	for _, c := range u.left(key) {
		select {
		case <-c.over:
		case <-ctx.Done():
			return
		}
	}
}
