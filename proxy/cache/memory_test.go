package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestTheBoundInBytesHoldsAfterEveryOperation(t *testing.T) {
	const limit = 64 << 10
	c := New(limit)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		target := fmt.Sprintf("/%d", rng.IntN(300))
		req := get(target, fmt.Sprintf("X: %d", rng.IntN(3)))
		switch rng.IntN(20) {
		case 0:
			c.Invalidate(request("PUT", target), response(204))
		case 1:
			if rng.IntN(20) == 0 {
				c.Purge(fmt.Sprintf("/%d*", rng.IntN(10)))
			}
		default:
			head := response(200, "Cache-Control: max-age=60")
			if rng.IntN(2) == 0 {
				head = response(200, "Cache-Control: max-age=60", "Vary: X")
			}
			if d := c.Decide(enabled, req, false, t0); d.Object == nil {
				pl := c.Plan(enabled, &d, req, head, t0, t0)
				c.Store(&pl, make([]byte, rng.IntN(8000)))
			}
		}
		if s := c.Stats(); s.Bytes > limit {
			t.Fatalf("after %d operations: %+v", i, s)
		}
		if i%500 == 0 {
			consistent(t, c)
		}
	}
	if s := c.Stats(); s.Evictions == 0 || s.Entries == 0 {
		t.Errorf("nothing was tried: %+v", s)
	}
	consistent(t, c)
	if n := c.Purge("*"); n == 0 || c.Stats().Bytes != 0 || c.Stats().Entries != 0 {
		t.Errorf("after purging %d: %+v", n, c.Stats())
	}
	consistent(t, c)
}

// consistent counts what is held in both ways that it can be found.
func consistent(t *testing.T, c *Cache) {
	t.Helper()
	var indexed, queued Stats
	for r, variants := range c.resources {
		if len(variants) == 0 {
			t.Fatalf("%v has no variant", r)
		}
		for _, o := range variants {
			indexed.Entries++
			indexed.Bytes += o.bytes
		}
	}
	for o := c.sieve.oldest; o != nil; o = o.newer {
		queued.Entries++
		queued.Bytes += o.bytes
		if o.newer == nil && c.sieve.newest != o {
			t.Fatal("the queue has another end")
		}
	}
	s := c.Stats()
	s.Evictions = 0
	if indexed != s || queued != s {
		t.Fatalf("counted %+v, indexed %+v, queued %+v", s, indexed, queued)
	}
}

func TestTheBoundHoldsForTheHeapToo(t *testing.T) {
	const limit = 16 << 20
	for _, size := range []int{0, 100, 1024, 20000} {
		before := heap()
		c := New(limit)
		for i := 0; c.Stats().Evictions == 0; i++ {
			req := get(fmt.Sprintf("/v1/models/a-name-of-usual-length-%d", i), "Accept-Encoding: gzip")
			buffer := strings.Repeat("x", 16<<10) // a field is part of the buffer it was read into, which must not stay
			head := response(200, "X-Part: ", "Cache-Control: max-age=60", "Content-Type: application/json", "Vary: Accept-Encoding", "Server: x", "ETag: \"0123456789abcdef\"")
			head.Header[0].Value = buffer[:2]
			pl, ok := fetch(c, enabled, req, head, string(make([]byte, size)), t0)
			if !ok {
				t.Fatal(pl.Reason)
			}
		}
		used := heap() - before
		t.Logf("bodies of %5d bytes: %6d objects, heap %.2f of the bound", size, c.Stats().Entries, float64(used)/limit)
		if used > limit*11/10 {
			t.Errorf("bodies of %d bytes: %d bytes of heap for a bound of %d", size, used, limit)
		}
		runtime.KeepAlive(c)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestWhatIsAskedForAgainOutlivesAScan(t *testing.T) {
	c := New(64 << 10)
	for i := range 10 {
		mustStore(t, c, get(fmt.Sprintf("/hot/%d", i)), minute, "x", t0)
	}
	for i := range 1000 {
		for j := range 10 {
			expect(t, c, get(fmt.Sprintf("/hot/%d", j)), t0, "HIT")
		}
		mustStore(t, c, get(fmt.Sprintf("/scan/%d", i)), minute, "x", t0)
	}
	if c.Stats().Evictions < 900 {
		t.Errorf("only %d evictions: the scan was too small to tell", c.Stats().Evictions)
	}
}

func TestABodyInABufferMuchLargerThanItIsCopied(t *testing.T) {
	c := New(1 << 20)
	d := c.Decide(enabled, get("/"), false, t0)
	pl := c.Plan(enabled, &d, get("/"), minute, t0, t0)
	if !c.Store(&pl, make([]byte, 10, 512<<10)) {
		t.Fatal("not stored")
	}
	if s := c.Stats(); s.Bytes > 2000 {
		t.Errorf("10 bytes of body are charged as %d", s.Bytes)
	}
	_, body := c.Decide(enabled, get("/"), false, t0).Object.Answer(get("/"), t0)
	if len(body) != 10 || cap(body) != 10 {
		t.Errorf("len %d, cap %d", len(body), cap(body))
	}
}

func TestAnObjectThatWasEvictedCanStillBeServedToItsEnd(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/"), minute, "body", t0)
	o := expect(t, c, get("/"), t0, "HIT").Object
	c.Purge("*")
	if _, body := o.Answer(get("/"), t0.Add(time.Second)); string(body) != "body" {
		t.Errorf("%q", body)
	}
}
