// Package flight lets several exchanges share one fetch.
//
// The first to [Group.Join] a key begins the flight and fetches; those who join
// later ride: they wait for the same head and read the same [Body] from its
// first byte, also when they come in the middle of it. A flight is cut when the
// last of its exchanges has left, and not before.
package flight

import (
	"context"
	"errors"
	"sync"

	"tailrace/proxy/exchange"
)

// ErrAlone is returned by Head to a rider whose leader's response turned out to
// be one that nobody may share: the rider fetches for itself.
var ErrAlone = errors.New("flight: this response is not shared")

// Group holds the flights under way. The zero value is ready; it is safe for
// concurrent use.
type Group[K comparable] struct {
	mu sync.Mutex
	m  map[K]*Flight
}

// Join returns the flight of that key. The first caller begins it, with the
// returned context for its fetch; it must Publish or Fail, and everybody who
// joined must Leave.
func (g *Group[K]) Join(key K, id exchange.ID) (f *Flight, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.m[key]; f != nil && f.Enter() {
		return f, false
	}
	f = New(id)
	begun := f
	f.drop = func() { g.remove(key, begun) }
	if g.m == nil {
		g.m = map[K]*Flight{}
	}
	g.m[key] = f
	return f, true
}

// remove takes a flight out, unless another has taken its key.
func (g *Group[K]) remove(key K, f *Flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.m[key] == f {
		delete(g.m, key)
	}
}

// Len is the number of flights that can be joined.
func (g *Group[K]) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.m)
}

// Flight is one fetch and the exchanges that read it.
type Flight struct {
	Leader exchange.ID
	// Verdict is the leader's, refined by the head it got. It is set before
	// Publish, Alone or Fail, and read after Head.
	Verdict exchange.Verdict
	// Shares says, set at the same time, whether the response is a rider's too;
	// nil: everybody's.
	Shares func(rider *exchange.Request) bool
	Ctx    context.Context // of the fetch; ended, with a cause, when all have left

	cancel context.CancelCauseFunc
	drop   func() // takes it out of its group; nil for a flight that nobody can join

	mu     sync.Mutex
	aboard int
	headed chan struct{} // closed by Publish, Fail or Alone
	head   exchange.Head
	body   *Body
	err    error
	alone  bool
}

// New begins a flight that nobody can join.
func New(leader exchange.ID) *Flight {
	f := &Flight{Leader: leader, aboard: 1, headed: make(chan struct{})}
	f.Ctx, f.cancel = context.WithCancelCause(context.Background())
	return f
}

// Enter counts one more exchange in, and reports false when the flight is over.
// Join calls it; whoever holds a Flight may.
func (f *Flight) Enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.aboard == 0 || f.alone || f.err != nil {
		return false
	}
	f.aboard++
	return true
}

// Publish hands the head and the body to everybody aboard and yet to come.
func (f *Flight) Publish(h exchange.Head, b *Body) { f.settle(h, b, nil, false) }

// Fail tells everybody aboard that there is no answer. Nobody can join any more.
func (f *Flight) Fail(err error) {
	f.settle(exchange.Head{}, nil, err, false)
	f.Close()
}

// Alone publishes to the leader only: riders get ErrAlone, and nobody can join
// any more.
func (f *Flight) Alone(h exchange.Head, b *Body) {
	f.settle(h, b, nil, true)
	f.Close()
}

func (f *Flight) settle(h exchange.Head, b *Body, err error, alone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.headed:
		return
	default:
	}
	f.head, f.body, f.err, f.alone = h, b, err, alone
	close(f.headed)
}

// Head waits for what Publish or Fail says, or for the end of ctx. A rider gets
// ErrAlone where the leader gets the head.
func (f *Flight) Head(ctx context.Context, rider bool) (exchange.Head, *Body, error) {
	select {
	case <-f.headed:
	case <-ctx.Done():
		return exchange.Head{}, nil, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if rider && f.alone {
		return exchange.Head{}, nil, ErrAlone
	}
	return f.head, f.body, f.err
}

// Leave counts one exchange out. When it was the last one the fetch is
// cancelled with its cause, and Leave reports true.
func (f *Flight) Leave(cause error) (last bool) {
	f.mu.Lock()
	f.aboard--
	last = f.aboard == 0
	f.mu.Unlock()
	if last {
		f.Close()
		f.cancel(cause)
	}
	return last
}

// Close takes the flight out of its group: whoever asks for the key from now on
// begins another one. Those aboard are not disturbed.
func (f *Flight) Close() {
	if f.drop != nil {
		f.drop()
	}
}
