// Package queue gives out the fetch slots of a route.
//
// A fetch enters, waits for its turn, and leaves when the head of its response
// is in hand: a stream needs a connection, not a slot. The line is served
// strictly in order of arrival, it is bounded, and nobody waits in it longer
// than the route allows: overload is refused in a tenth of a second, never
// queued without end.
package queue

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull is returned by Enter when the line has reached its bound.
var ErrFull = errors.New("the line for a fetch slot is full")

// ErrTimeout is returned by Wait when no slot came free in time.
var ErrTimeout = errors.New("no fetch slot came free in time")

// Queue is the line for the slots of one route. It is safe for concurrent use.
type Queue struct {
	mu    sync.Mutex
	slots int
	line  int // how many may wait
	inUse int
	wait  list.List // of *Ticket, the front is next
	shed  uint64
}

// New returns a queue of so many slots with room for so many waiters. Both are
// at least 1.
func New(slots, line int) *Queue {
	return &Queue{slots: max(slots, 1), line: max(line, 1)}
}

// Ticket is one fetch's place: in line at first, then at a slot.
type Ticket struct {
	q     *Queue
	place *list.Element // nil once out of the line
	turn  chan struct{} // closed when a slot is given
	held  bool
	gone  bool
}

// Enter takes a slot at once when one is free and nobody waits, else a place at
// the end of the line. It never blocks; ErrFull means that the line is full.
// The ticket must be left, whatever becomes of it.
func (q *Queue) Enter() (*Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket{q: q, turn: make(chan struct{})}
	if q.inUse < q.slots && q.wait.Len() == 0 {
		q.give(t)
		return t, nil
	}
	if q.wait.Len() >= q.line {
		q.shed++
		return nil, ErrFull
	}
	t.place = q.wait.PushBack(t)
	return t, nil
}

// Wait returns nil as soon as the ticket has a slot. It returns ErrTimeout when
// that takes longer than the limit (negative: no limit), and the cause of ctx
// when that ends first; either way the place in line is given up, and a slot
// that came at the same moment goes to the next.
func (t *Ticket) Wait(ctx context.Context, limit time.Duration) error {
	var late <-chan time.Time
	if limit >= 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-t.turn:
		return nil
	default:
	}
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		t.Leave()
		return context.Cause(ctx)
	case <-late:
		return t.timeout()
	}
}

// timeout gives the place up, unless the slot came at the same moment.
func (t *Ticket) timeout() error {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	if t.held {
		return nil
	}
	t.q.shed++
	t.leave()
	return ErrTimeout
}

// Place is 0 for a ticket that has its slot, else its place in line: 1 is next.
func (t *Ticket) Place() int {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	if t.place == nil {
		return 0
	}
	n := 0
	for e := t.q.wait.Front(); e != nil; e = e.Next() {
		n++
		if e == t.place {
			break
		}
	}
	return n
}

// Leave gives back what the ticket has, a place or a slot. It may be called any
// number of times, from any goroutine.
func (t *Ticket) Leave() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	t.leave()
}

func (t *Ticket) leave() {
	if t.gone {
		return
	}
	t.gone = true
	if t.place != nil {
		t.q.wait.Remove(t.place)
		t.place = nil
	}
	if t.held {
		t.held = false
		t.q.inUse--
		t.q.next()
	}
}

// give hands a slot to a ticket. The lock is held.
func (q *Queue) give(t *Ticket) {
	q.inUse++
	t.held = true
	close(t.turn)
}

// next serves the line as far as slots are free. The lock is held.
func (q *Queue) next() {
	for q.inUse < q.slots {
		e := q.wait.Front()
		if e == nil {
			return
		}
		t := q.wait.Remove(e).(*Ticket)
		t.place = nil
		q.give(t)
	}
}

// Resize changes the number of slots. Running fetches keep theirs.
func (q *Queue) Resize(slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slots = max(slots, 1)
	q.next()
}

// CountShed counts a fetch that was shed for want of something else than a
// slot: a connection.
func (q *Queue) CountShed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shed++
}

// State is the queue at one moment.
type State struct {
	Slots, InUse, Waiting int
	Shed                  uint64 // since start
}

// State reads the queue.
func (q *Queue) State() State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return State{Slots: q.slots, InUse: q.inUse, Waiting: q.wait.Len(), Shed: q.shed}
}
