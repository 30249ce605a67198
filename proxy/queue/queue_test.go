package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFreeSlotIsTakenAtOnce(t *testing.T) {
	q := New(2, 4)
	a, _ := q.Enter()
	if err := a.Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if s := q.State(); s.InUse != 1 {
		t.Fatalf("in use %d, want 1", s.InUse)
	}
	a.Leave()
	a.Leave()
	if s := q.State(); s.InUse != 0 {
		t.Fatalf("in use %d after two leaves, want 0", s.InUse)
	}
}

func TestLineIsServedInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 100)
		first, _ := q.Enter()
		var order []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 20 {
			tk, err := q.Enter()
			if err != nil {
				t.Fatal(err)
			}
			if got := tk.Place(); got != i+1 {
				t.Fatalf("place %d, want %d", got, i+1)
			}
			wg.Go(func() {
				if err := tk.Wait(t.Context(), -1); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				tk.Leave()
			})
		}
		first.Leave()
		wg.Wait()
		for i, got := range order {
			if got != i {
				t.Fatalf("order %v", order)
			}
		}
	})
}

func TestWaiterIsShedAtItsLimitAndGivesItsPlaceUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 4)
		holder, _ := q.Enter()
		waiter, _ := q.Enter()
		start := time.Now()
		if err := waiter.Wait(t.Context(), 100*time.Millisecond); !errors.Is(err, ErrTimeout) {
			t.Fatalf("got %v, want ErrTimeout", err)
		}
		if d := time.Since(start); d != 100*time.Millisecond {
			t.Fatalf("shed after %v, want 100ms", d)
		}
		holder.Leave()
		if s := q.State(); s != (State{Slots: 1, Shed: 1}) {
			t.Fatalf("%+v", s)
		}
	})
}

func TestFullLineIsRefused(t *testing.T) {
	q := New(1, 1)
	a, _ := q.Enter()
	b, _ := q.Enter()
	if _, err := q.Enter(); !errors.Is(err, ErrFull) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	b.Leave()
	c, err := q.Enter()
	if err != nil {
		t.Fatal(err)
	}
	c.Leave()
	a.Leave()
	if s := q.State(); s.Shed != 1 || s.InUse != 0 || s.Waiting != 0 {
		t.Fatalf("%+v", s)
	}
}

func TestWaiterWhoseClientLeavesIsNeverServed(t *testing.T) {
	q := New(1, 4)
	holder, _ := q.Enter()
	gone, _ := q.Enter()
	next, _ := q.Enter()
	why := errors.New("client gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := gone.Wait(ctx, -1); !errors.Is(err, why) {
		t.Fatalf("got %v", err)
	}
	holder.Leave()
	if err := next.Wait(t.Context(), 0); err != nil {
		t.Fatalf("the next in line was not served: %v", err)
	}
	next.Leave()
}

func TestResizeServesTheLine(t *testing.T) {
	q := New(1, 4)
	a, _ := q.Enter()
	b, _ := q.Enter()
	q.Resize(2)
	if err := b.Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	q.Resize(1)
	a.Leave()
	c, _ := q.Enter()
	if err := c.Wait(t.Context(), 0); !errors.Is(err, ErrTimeout) {
		t.Fatalf("a slot beyond the new limit was given: %v", err)
	}
	b.Leave()
}

// Random enter, wait, cancel and leave: never more running than slots, nobody
// lost, nothing held at the end.
func TestNoSlotIsLostUnderRandomUse(t *testing.T) {
	const slots = 3
	q := New(slots, 50)
	var served, refused sync.Map
	var wg sync.WaitGroup
	var mu sync.Mutex
	now, most := 0, 0
	for i := range 400 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			tk, err := q.Enter()
			if err != nil {
				refused.Store(i, true)
				return
			}
			defer tk.Leave()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if r.IntN(3) == 0 {
				go cancel()
			}
			if tk.Wait(ctx, time.Duration(r.IntN(2000))*time.Microsecond) != nil {
				refused.Store(i, true)
				return
			}
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			for range r.IntN(200) {
				_ = q.State()
			}
			mu.Lock()
			now--
			mu.Unlock()
			served.Store(i, true)
		})
	}
	wg.Wait()
	if most > slots {
		t.Fatalf("%d ran at once over %d slots", most, slots)
	}
	for i := range 400 {
		_, a := served.Load(i)
		_, b := refused.Load(i)
		if a == b {
			t.Fatalf("fetch %d: served %v, refused %v", i, a, b)
		}
	}
	if s := q.State(); s.InUse != 0 || s.Waiting != 0 {
		t.Fatalf("left over: %+v", s)
	}
}
