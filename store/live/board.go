// Package live is the present: what the exchanges of this process are doing
// now, and what became of the last ones.
//
// A [Board] is an exchange.Observer. It folds each fact into the state of its
// exchange with exchange.State.Apply and rings a bell. Whoever shows the
// present waits for [Board.Bell], lets a moment settle and takes one
// [Board.Snapshot] of the window it shows. Nobody is ever called back and
// nothing is pushed, so a screen that stops reading cannot slow the traffic.
//
// A board is bounded: all live exchanges and the last N that ended. What must
// not be forgotten is in the journal.
package live

import (
	"sync"

	"tailrace/proxy/exchange"
)

const (
	// DefaultKeep is how many ended exchanges a board remembers unless told.
	DefaultKeep = 2000

	// HitsListed is how many hits from memory become rows in one second. A
	// cache can serve a hundred thousand: beyond this they are only counted.
	HitsListed = 50

	// wordsKept is how many ended exchanges keep all their words (messages and
	// up to exchange.TextTail of text); older ones keep the last wordsLeft
	// bytes. Without it 2000 long answers would hold more than 32 MiB.
	wordsKept = 256
	wordsLeft = 512
)

// Board holds the states of all live exchanges and of the last ones that
// ended. Its methods are safe for concurrent use.
type Board struct {
	bell  chan struct{}
	loads func() []exchange.Load

	mu      sync.Mutex
	byID    map[exchange.ID]*record
	rows    list      // by ID, newest first
	lines   lines     // who waits for a slot
	ended   []*record // oldest first; ended[gone:] are on the board
	gone    int
	keep    int
	live    int
	streams int
	counts  Counts
	seq     uint64
	second  int64 // unix second in which listed hits were listed
	listed  int
}

var _ exchange.Observer = (*Board)(nil)

// NewBoard returns an empty board that remembers the last keep exchanges that
// ended; 0 or less means DefaultKeep.
func NewBoard(keep int) *Board {
	if keep <= 0 {
		keep = DefaultKeep
	}
	return &Board{
		bell:  make(chan struct{}, 1),
		byID:  make(map[exchange.ID]*record),
		lines: make(lines),
		keep:  keep,
	}
}

// Bell is rung after every fact. Its capacity is one: many facts before a look
// are one ring. It has one reader.
func (b *Board) Bell() <-chan struct{} { return b.bell }

// WatchLoads names the function that reads the routes' slots and lines. It is
// called once for each snapshot, without a lock of the board. Set it before
// the board is used.
func (b *Board) WatchLoads(read func() []exchange.Load) { b.loads = read }

// Observe folds one fact in. It holds a mutex for well under a microsecond and
// never waits for a reader.
func (b *Board) Observe(f exchange.Fact) {
	b.mu.Lock()
	b.seq++
	switch f := f.(type) {
	case exchange.Received:
		b.begin(f.ID, f)
	case exchange.Served:
		b.served(f)
	case exchange.Purged:
		b.counts.Purged += uint64(max(f.Count, 0))
	default:
		// An exchange that left the board may still be spoken of: a fetch
		// outlives its client. There is nothing left to fold that into.
		if r := b.byID[f.Of().ID]; r != nil {
			b.apply(r, f)
		}
	}
	b.mu.Unlock()
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// State returns all that is known of one exchange, with its text and its place
// in line at this moment, while it is on the board.
func (b *Board) State(id exchange.ID) (exchange.State, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.byID[id]
	if r == nil {
		return exchange.State{}, false
	}
	return b.value(r, exchange.TextTail), true
}

func (b *Board) begin(id exchange.ID, f exchange.Fact) {
	if b.byID[id] != nil { // an ID is never used twice; a second beginning would bring the dead to life
		return
	}
	r := &record{}
	r.state.Phase = exchange.PhaseReceived
	r.state.ID = id
	b.byID[id] = r
	b.rows.insert(r)
	b.counts.Requests++
	b.live++
	b.apply(r, f)
}

func (b *Board) served(f exchange.Served) {
	if s := f.At.Unix(); s != b.second {
		b.second, b.listed = s, 0
	}
	if b.listed < HitsListed {
		b.listed++
		b.begin(f.ID, f)
		return
	}
	b.counts.Requests++
	b.counts.Unlisted++
	b.counts.verdict(f.Verdict.XCache, 1)
	b.counts.outcome(exchange.OutcomeHit)
	b.counts.BytesOut += f.BytesOut
}

// apply folds a fact into a record and keeps the sums right.
func (b *Board) apply(r *record, f exchange.Fact) {
	wasLive, wasStream := r.state.Live(), r.stream()
	before := r.sums()
	if Waits(&r.state) {
		b.lines.leave(r)
	}
	r.apply(f)
	if Waits(&r.state) {
		b.lines.enter(r)
	}
	b.counts.moved(before, r.sums(), f)
	isLive := r.state.Live()
	switch {
	case wasLive && wasStream && !(isLive && r.stream()):
		b.streams--
	case wasLive && !wasStream && isLive && r.stream():
		b.streams++
	}
	if wasLive && !isLive {
		b.live--
		b.end(r)
	}
}

// end puts a record in the line of the ended ones and lets the oldest go.
func (b *Board) end(r *record) {
	b.counts.outcome(r.state.Outcome)
	b.ended = append(b.ended, r)
	if n := len(b.ended) - 1 - wordsKept; n >= b.gone {
		b.ended[n].shorten()
	}
	if len(b.ended)-b.gone <= b.keep {
		return
	}
	old := b.ended[b.gone]
	b.ended[b.gone] = nil
	b.gone++
	b.rows.remove(old)
	delete(b.byID, old.state.ID)
	if b.gone > b.keep { // give the front of the slice back now and then
		b.ended = append(make([]*record, 0, b.keep+b.keep/2), b.ended[b.gone:]...)
		b.gone = 0
	}
}
