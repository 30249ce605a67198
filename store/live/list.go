package live

import (
	"iter"

	"tailrace/proxy/exchange"
)

// list is the rows by ID, newest first. Removal from the middle is what it is
// for: exchanges end in any order.
type list struct {
	newest, oldest *record
	len            int
}

// insert puts a record in its place. IDs are given out in order, but their
// facts come from many goroutines: the place is at most a few steps away.
func (l *list) insert(r *record) {
	next := l.newest
	var before *record
	for next != nil && next.state.ID > r.state.ID {
		before, next = next, next.older
	}
	r.newer, r.older = before, next
	if before != nil {
		before.older = r
	} else {
		l.newest = r
	}
	if next != nil {
		next.newer = r
	} else {
		l.oldest = r
	}
	l.len++
}

func (l *list) remove(r *record) {
	if r.newer != nil {
		r.newer.older = r.older
	} else {
		l.newest = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	} else {
		l.oldest = r.newer
	}
	r.newer, r.older = nil, nil
	l.len--
}

// newest yields every record, newest first.
func (b *Board) newest(yield func(*record) bool) {
	for r := b.rows.newest; r != nil && yield(r); r = r.older {
	}
}

func (b *Board) oldest(yield func(*record) bool) {
	for r := b.rows.oldest; r != nil && yield(r); r = r.newer {
	}
}

// all yields every record in the order that the query asks for.
func (b *Board) all(q *Query) iter.Seq[*record] {
	order := b.newest
	if q.Oldest {
		order = b.oldest
	}
	if !q.LiveFirst {
		return order
	}
	return func(yield func(*record) bool) {
		for r := range order {
			if r.state.Live() && !yield(r) {
				return
			}
		}
		for r := range order {
			if !r.state.Live() && !yield(r) {
				return
			}
		}
	}
}

// matches yields the records that the query's window may show.
func (b *Board) matches(q *Query, words []string, yield func(*record) bool) {
	for r := range b.all(q) {
		if q.wanted(r, words) && !q.newer(r.state.ID) && !yield(r) {
			return
		}
	}
}

// wanted reports whether a record is one that the query asks for, whatever its
// place.
func (q *Query) wanted(r *record, words []string) bool {
	s := &r.state
	switch {
	case q.Live && !s.Live(),
		q.Streams && !IsStream(s),
		q.Slots && !Waits(s) && !Holds(s),
		q.Row != 0 && s.Row != q.Row:
		return false
	}
	return r.matches(words)
}

// newer reports whether the query's window leaves a record out because it came
// after the row the window begins with.
func (q *Query) newer(id exchange.ID) bool { return q.UpTo != 0 && id > q.UpTo }
