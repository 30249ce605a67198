package live

import (
	"strings"

	"tailrace/proxy/exchange"
)

// Query names the window of the board that is wanted.
type Query struct {
	// Text holds words that must all stand in the row, whatever their case:
	// in method, target, host, route, model, dialect, status, X-Cache with its
	// source and reason, phase, outcome or key; "live", "stream", "retry" and
	// "undeclared" match what they say.
	Text    string
	Live    bool // only exchanges that have not ended
	Streams bool // only streams
	Slots   bool // only fetches that wait for a slot or hold one

	LiveFirst bool // what lives before what ended
	Oldest    bool // oldest first instead of newest first

	// UpTo leaves out rows that came after this one, so that a page does not
	// move under its reader while requests arrive. 0 leaves out none.
	UpTo   exchange.ID
	Offset int // rows to skip
	Limit  int // rows to return; 0 returns none, only the sums

	TextBytes int // how much of its text each row carries, from its end
}

// Snapshot is one moment of the board: a value that nobody writes to.
type Snapshot struct {
	Rows    []exchange.State // the window
	Total   int              // rows that the query matches, whatever its window
	Newer   int              // of these, how many Query.UpTo left out
	Live    int              // exchanges that have not ended, whatever the query
	Streams int              // live streams, whatever the query
	Counts  Counts
	Loads   []exchange.Load // as the watched function returned them
	Seq     uint64          // counts facts: equal numbers mean that nothing happened between
}

// Snapshot returns the window asked for. It copies the rows of the window, not
// the board; without a filter it looks at no more rows than it skips and
// returns.
func (b *Board) Snapshot(q Query) Snapshot {
	var s Snapshot
	if b.loads != nil {
		s.Loads = b.loads()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Live, s.Streams, s.Counts, s.Seq = b.live, b.streams, b.counts, b.seq
	w := window{skip: q.Offset, limit: q.Limit, text: q.TextBytes, out: &s}
	if n := min(q.Limit, b.rows.len); n > 0 {
		s.Rows = make([]exchange.State, 0, n)
	}
	if q.plain() {
		s.Total = b.rows.len
		for r := b.rows.newest; r != nil && !w.full(); r = r.older {
			w.take(r)
		}
		return s
	}
	words := strings.Fields(strings.ToLower(q.Text))
	look := func(r *record) {
		if !q.wanted(r, words) {
			return
		}
		s.Total++
		if q.newer(r.state.ID) {
			s.Newer++
			return
		}
		w.take(r)
	}
	if !q.LiveFirst {
		b.rows.each(q.Oldest, look)
		return s
	}
	for _, alive := range []bool{true, false} {
		b.rows.each(q.Oldest, func(r *record) {
			if r.state.Live() == alive {
				look(r)
			}
		})
	}
	return s
}

// plain reports whether the query is for the newest rows of all, which needs
// no look at the rest.
func (q *Query) plain() bool {
	return strings.TrimSpace(q.Text) == "" && !q.Live && !q.Streams && !q.Slots && !q.LiveFirst && !q.Oldest && q.UpTo == 0
}

// window takes rows after skipping some, until it is full.
type window struct {
	skip, limit, text int
	out               *Snapshot
}

func (w *window) full() bool { return len(w.out.Rows) >= w.limit }

func (w *window) take(r *record) {
	switch {
	case w.skip > 0:
		w.skip--
	case !w.full():
		w.out.Rows = append(w.out.Rows, r.value(w.text))
	}
}
