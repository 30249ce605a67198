// Package proxytest is what the tests of the proxy stand on: a proxy on a port
// of its own, a scripted origin that speaks raw bytes, and a ledger of facts.
package proxytest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

// Ledger keeps every fact in the order in which it was stated.
type Ledger struct {
	mu    sync.Mutex
	facts []exchange.Fact
	more  chan struct{}
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{more: make(chan struct{})} }

// Observe writes a fact down.
func (l *Ledger) Observe(f exchange.Fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts = append(l.facts, f)
	close(l.more)
	l.more = make(chan struct{})
}

// Facts returns those of one exchange, or all for ID 0.
func (l *Ledger) Facts(id exchange.ID) []exchange.Fact {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []exchange.Fact
	for _, f := range l.facts {
		if id == 0 || f.Of().ID == id {
			out = append(out, f)
		}
	}
	return out
}

// Names are the kinds of an exchange's facts in order, without Progress, whose
// number depends on the clock.
func (l *Ledger) Names(id exchange.ID) string {
	var out []string
	for _, f := range l.Facts(id) {
		name := strings.TrimPrefix(fmt.Sprintf("%T", f), "exchange.")
		if name != "Progress" {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// Wait blocks until some fact satisfies ok, and returns it. It fails the test
// after ten seconds.
func (l *Ledger) Wait(t testing.TB, ok func(exchange.Fact) bool) exchange.Fact {
	t.Helper()
	late := time.After(10 * time.Second)
	for seen := 0; ; {
		l.mu.Lock()
		fresh, more := l.facts[seen:], l.more
		seen = len(l.facts)
		l.mu.Unlock()
		for _, f := range fresh {
			if ok(f) {
				return f
			}
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("no such fact in 10s; there are: %s", l.Names(0))
			return nil
		}
	}
}

// Finished waits for the end of the n-th exchange that ends, from 1.
func (l *Ledger) Finished(t testing.TB, n int) exchange.Finished {
	t.Helper()
	count := 0
	f, _ := l.Wait(t, func(f exchange.Fact) bool {
		if _, ok := f.(exchange.Finished); ok {
			count++
		}
		return count == n
	}).(exchange.Finished)
	return f
}

// Of waits for the first fact of type F.
func Of[F exchange.Fact](t testing.TB, l *Ledger) F {
	t.Helper()
	f, _ := l.Wait(t, func(f exchange.Fact) bool { _, ok := f.(F); return ok }).(F)
	return f
}
