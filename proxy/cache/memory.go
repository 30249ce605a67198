package cache

import "slices"

// sieve decides what gives way: a queue in order of arrival, a mark on what was
// asked for, and a hand that moves from the oldest to the newest and takes the
// first without a mark, wiping marks on its way (SIEVE, Zhang et al., NSDI
// 2024). A hit only sets a mark, so that hits never wait for each other; what
// was never asked for again goes before what was.
type sieve struct {
	newest, oldest, hand *Object
}

func (s *sieve) push(o *Object) {
	o.older, o.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = o
	} else {
		s.oldest = o
	}
	s.newest = o
}

func (s *sieve) unlink(o *Object) {
	if s.hand == o {
		s.hand = o.newer
	}
	if o.older != nil {
		o.older.newer = o.newer
	} else {
		s.oldest = o.newer
	}
	if o.newer != nil {
		o.newer.older = o.older
	} else {
		s.newest = o.older
	}
	o.older, o.newer = nil, nil
}

// victim returns the next to go, nil when nothing is held.
func (s *sieve) victim() *Object {
	for s.oldest != nil {
		if s.hand == nil {
			s.hand = s.oldest
		}
		if !s.hand.visited.Swap(false) {
			return s.hand
		}
		s.hand = s.hand.newer
	}
	return nil
}

// add makes room and takes an object in. The lock is held.
func (c *Cache) add(o *Object) {
	for c.stats.Bytes+o.bytes > c.max {
		v := c.sieve.victim()
		if v == nil {
			break
		}
		c.remove(v)
		c.stats.Evictions++
	}
	c.sieve.push(o)
	// A new slice each time: find reads the old one after it let go of the lock.
	c.resources[o.resource] = append(slices.Clip(c.resources[o.resource]), o)
	c.stats.Entries++
	c.stats.Bytes += o.bytes
}

// remove takes an object out. The lock is held. Who is being answered from it
// keeps its bytes.
func (c *Cache) remove(o *Object) {
	c.sieve.unlink(o)
	variants := c.resources[o.resource]
	if len(variants) == 1 {
		delete(c.resources, o.resource)
	} else {
		left := make([]*Object, 0, len(variants)-1)
		for _, v := range variants {
			if v != o {
				left = append(left, v)
			}
		}
		c.resources[o.resource] = left
	}
	c.stats.Entries--
	c.stats.Bytes -= o.bytes
}
