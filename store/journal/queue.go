package journal

import (
	"sync"
	"time"

	"tailrace/proxy/exchange"
)

const (
	queueLimit = 16 << 20              // bytes of recorded pieces that wait for the disk
	packPieces = 16                    // pieces of a body that make one chunk
	packBytes  = 64 << 10              // or so many bytes
	packWait   = 50 * time.Millisecond // or so much time since the first of them
	batchOps   = 512                   // operations of one transaction
	batchBytes = 16 << 20              // and bytes, so that nobody waits for ever
)

// op is one operation of the writer.
type op interface {
	// write does it inside a transaction. An error that is refused came before
	// anything was written.
	write(*session) error
	// durable reports whether its commit must be on the disk.
	durable() bool
	// size is how many bytes it brings.
	size() int
	// settle is told, once, what became of it.
	settle(error)
}

// tell is how a caller waits for its operation.
type tell struct {
	queue *queue
	done  chan error
}

func newTell(j *Journal) tell { return tell{j.queue, make(chan error, 1)} }

func (t tell) settle(err error) { t.done <- err }

// wait queues the operation and returns what became of it. There is no way to
// leave early: a step that was begun is finished.
func (t tell) wait(o op, c exchange.Claim) error {
	if !t.queue.put(o, c) {
		return ErrClosed
	}
	return <-t.done
}

// queue is what waits for the writer, in order. Pieces of a body gather in a
// pack first; whatever else is said of that row sends the pack ahead.
type queue struct {
	mu      sync.Mutex
	filled  sync.Cond // ops is not empty, or closed
	drained sync.Cond // bytes went down, or closed
	ops     []op
	packs   map[exchange.Claim]*pack
	timer   *time.Timer // flushes the packs, while there are any
	bytes   int64       // of pieces not written yet
	closed  bool
}

func newQueue() *queue {
	q := &queue{packs: map[exchange.Claim]*pack{}}
	q.filled.L, q.drained.L = &q.mu, &q.mu
	return q
}

// put adds an operation behind the pieces recorded for its claim. It reports
// false when the queue is closed.
func (q *queue) put(o op, c exchange.Claim) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.flush(c)
	q.ops = append(q.ops, o)
	q.filled.Signal()
	return true
}

// record adds a copy of a piece. It waits while the queue is full; one piece
// larger than the limit passes when nothing else waits.
func (q *queue) record(c exchange.Claim, piece []byte, t torn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := int64(len(piece))
	for !q.closed && q.bytes > 0 && q.bytes+n > queueLimit {
		q.flushAll()
		q.drained.Wait()
	}
	if q.closed {
		return
	}
	p := q.packs[c]
	if p == nil {
		p = &pack{claim: c, queue: q, torn: t}
		q.packs[c] = p
		if q.timer == nil {
			q.timer = time.AfterFunc(packWait, q.wake)
		}
	}
	p.body = append(p.body, piece...)
	p.pieces++
	q.bytes += n
	if p.pieces >= packPieces || len(p.body) >= packBytes {
		q.flush(c)
	}
}

func (q *queue) flush(c exchange.Claim) {
	p := q.packs[c]
	if p == nil {
		return
	}
	delete(q.packs, c)
	q.ops = append(q.ops, p)
	q.filled.Signal()
}

func (q *queue) flushAll() {
	for c := range q.packs {
		q.flush(c)
	}
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
}

func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flushAll()
}

// written gives the room of n bytes back.
func (q *queue) written(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= int64(n)
	q.drained.Broadcast()
}

// take waits for operations and returns as many as make one transaction, none
// once the queue is closed and empty.
func (q *queue) take() []op {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ops) == 0 && !q.closed {
		q.filled.Wait()
	}
	n, bytes := 0, 0
	for n < len(q.ops) && n < batchOps && (n == 0 || bytes+q.ops[n].size() <= batchBytes) {
		bytes += q.ops[n].size()
		n++
	}
	batch := append([]op(nil), q.ops[:n]...)
	rest := copy(q.ops, q.ops[n:])
	clear(q.ops[rest:])
	q.ops = q.ops[:rest]
	return batch
}

// close puts the last operation in and takes nothing after it. It reports false
// when the queue was closed before.
func (q *queue) close(last op) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.flushAll()
	q.ops = append(q.ops, last)
	q.closed = true
	q.filled.Broadcast()
	q.drained.Broadcast()
	return true
}

// load says how many operations wait, and how many bytes of pieces.
func (q *queue) load() (ops int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.ops), q.bytes
}
