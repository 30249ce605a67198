package live

import (
	"cmp"
	"slices"

	"tailrace/proxy/exchange"
)

// lines are, by route, the exchanges whose fetch stands in line for a slot, in
// the order in which they came. A Queued fact says its place once; those before
// it leave without another word, so the place is counted when it is looked at.
type lines map[string][]*record

func (l lines) enter(r *record) {
	line := l[r.state.Route]
	i, _ := slices.BinarySearchFunc(line, r, byArrival)
	l[r.state.Route] = slices.Insert(line, i, r)
}

func (l lines) leave(r *record) {
	line := l[r.state.Route]
	i, found := slices.BinarySearchFunc(line, r, byArrival)
	switch {
	case !found:
	case len(line) == 1:
		delete(l, r.state.Route)
	default:
		l[r.state.Route] = slices.Delete(line, i, i+1)
	}
}

// place is 1 for who is next, 0 for who is not in line.
func (l lines) place(r *record) int {
	if !Waits(&r.state) {
		return 0
	}
	i, _ := slices.BinarySearchFunc(l[r.state.Route], r, byArrival)
	return i + 1
}

func byArrival(a, b *record) int {
	return cmp.Or(a.state.QueuedAt.Compare(b.state.QueuedAt), cmp.Compare(a.state.ID, b.state.ID))
}

// value is what a reader gets of a record: its state with at most the last n
// bytes of its text, and the place it has in line now.
func (b *Board) value(r *record, n int) exchange.State {
	s := r.value(n)
	s.Place = b.lines.place(r)
	return s
}
