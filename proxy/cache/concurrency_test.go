package cache

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

// Every body says what it was made for; whoever gets another's has found a bug.
func TestNobodyEverGetsAnothersBody(t *testing.T) {
	c := New(48 << 10) // small, so that all the time something is evicted
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 9))
			for i := range 3000 {
				now := t0.Add(time.Duration(i) * time.Millisecond)
				req, mark := anyRequest(rng)
				if rng.IntN(100) == 0 {
					c.Purge("*")
					c.Stats()
				}
				d := c.Decide(enabled, req, false, now)
				if d.Object != nil {
					head, body := d.Object.Answer(req, now)
					if got := head.Header.Get("X-Mark"); got != mark || string(body) != bodyOf(mark) {
						t.Errorf("%s %s %v: got %q", req.Method, req.Target, req.Header, got)
						return
					}
					continue
				}
				head := response(200, "Cache-Control: max-age=2", "X-Mark: "+mark, "Vary: Accept", "Vary: X-Tenant")
				if req.Method == "PUT" {
					c.Invalidate(req, head)
				}
				pl := c.Plan(enabled, &d, req, head, now, now)
				c.Store(&pl, []byte(bodyOf(mark)))
			}
		})
	}
	wg.Wait()
	consistent(t, c)
}

func anyRequest(rng *rand.Rand) (*exchange.Request, string) {
	target, accept, tenant := fmt.Sprintf("/%d", rng.IntN(20)), fmt.Sprint(rng.IntN(2)), fmt.Sprint(rng.IntN(2))
	lines := []string{"Accept: " + accept, "X-Tenant: " + tenant}
	mark := target + " " + accept + " " + tenant
	switch rng.IntN(12) {
	case 0:
		return request("PUT", target, lines...), mark + " put"
	case 1:
		return get(target, append(lines, "Range: bytes=0-1")...), mark + " part"
	case 2:
		key := fmt.Sprint(rng.IntN(3))
		return get(target, append(lines, "X-Api-Key: "+key)...), mark + " key " + key
	}
	return get(target, lines...), mark
}

func bodyOf(mark string) string { return strings.Repeat(mark+"\n", 50) }
