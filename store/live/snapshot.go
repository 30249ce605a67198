package live

import (
	"iter"
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
	Live    bool  // only exchanges that have not ended
	Streams bool  // only streams
	Slots   bool  // only fetches that wait for a slot or hold one
	Row     int64 // only exchanges of this journal row; 0: of any or none

	LiveFirst bool // what lives before what ended
	Oldest    bool // oldest first instead of newest first

	// UpTo leaves out rows that came after this one, so that a page does not
	// move under its reader while requests arrive. 0 leaves out none.
	UpTo   exchange.ID
	Offset int // rows to skip
	Limit  int // rows to return; 0 returns none, only the sums

	// Find moves the window so that it begins Above rows before this row: what
	// a reader has selected stays where it is on the screen while rows come and
	// go around it. When the row is not among the matches, Offset holds.
	Find  exchange.ID
	Above int

	TextBytes int // how much of its text each row carries, from its end
}

// Snapshot is one moment of the board: a value that nobody writes to.
type Snapshot struct {
	Rows    []exchange.State // the window; their Place is that of this moment
	Offset  int              // place of the window's first row among the matches
	At      int              // place of Query.Find among the matches, -1 when it is not there
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
	s := Snapshot{At: -1}
	if b.loads != nil {
		s.Loads = b.loads()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Live, s.Streams, s.Counts, s.Seq = b.live, b.streams, b.counts, b.seq
	s.Offset = max(q.Offset, 0)
	if q.plain() {
		s.Total = b.rows.len
		s.fill(b, &q, b.newest)
		return s
	}
	words := strings.Fields(strings.ToLower(q.Text))
	matches := func(yield func(*record) bool) { b.matches(&q, words, yield) }
	seen := 0
	for r := range b.all(&q) {
		switch {
		case !q.wanted(r, words):
		case q.newer(r.state.ID):
			s.Total++
			s.Newer++
		default:
			if r.state.ID == q.Find {
				s.At = seen
			}
			s.Total++
			seen++
		}
	}
	if s.At >= 0 {
		s.Offset = max(s.At-q.Above, 0)
	}
	s.fill(b, &q, matches)
	return s
}

// fill takes the window's rows out of those that match.
func (s *Snapshot) fill(b *Board, q *Query, matches iter.Seq[*record]) {
	n := min(q.Limit, s.Total-s.Newer-s.Offset)
	if n <= 0 {
		return
	}
	s.Rows = make([]exchange.State, 0, n)
	skip := s.Offset
	for r := range matches {
		if skip > 0 {
			skip--
			continue
		}
		if s.Rows = append(s.Rows, b.value(r, q.TextBytes)); len(s.Rows) == n {
			return
		}
	}
}

// plain reports whether the query is for the newest rows of all, which needs
// no look at the rest.
func (q *Query) plain() bool {
	return strings.TrimSpace(q.Text) == "" && !q.Live && !q.Streams && !q.Slots && !q.LiveFirst && !q.Oldest &&
		q.UpTo == 0 && q.Find == 0 && q.Row == 0
}
