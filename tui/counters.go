package tui

import (
	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// counter is one sum of the head.
type counter struct {
	in          tone
	word, short string
	n           uint64
	rank        int  // what is left out first has the highest
	always      bool // shown at zero too, while there is room
}

func (m *model) counters() []counter {
	c := &m.snap.Counts
	return []counter{
		{verdictTone(exchange.HIT), "HIT", "HIT", c.Hit, 0, true},
		{plain, "MISS", "MISS", c.Miss, 3, true},
		{verdictTone(exchange.BYPASS), "BYPASS", "BYP", c.Bypass, 4, true},
		{warn, "shed", "shed", c.Shed, 1, false},
		{bad, "failed", "fail", c.Failed + c.Incomplete, 2, false},
		{bad, "killed", "kill", c.Killed, 5, false},
		{verdictTone(exchange.STALE), "STALE", "STALE", c.Stale, 6, false},
		{verdictTone(exchange.REVALIDATED), "REVALIDATED", "REVAL", c.Revalidated, 7, false},
		{warn, "left", "left", c.ClientGone, 8, false},
		{warn, "refused", "ref", c.Refused, 9, false},
	}
}

// lastOfFirst is the rank of the last counter for which words are shortened.
const lastOfFirst = 4

// verdicts writes the counters that are not zero; HIT, MISS and BYPASS are
// there from the start. Where room is short, shed and failed must both be seen:
// the gaps become narrow, zeros go, then the seldom counters; only then words
// are shortened and what matters least is left out.
func (m *model) verdicts(r *row) {
	all := m.counters()
	list := make([]counter, 0, len(all))
	for _, c := range all {
		if c.n > 0 || c.always {
			list = append(list, c)
		}
	}
	gap := "  "
	if lengthOf(list, gap) > r.left() {
		gap = " "
	}
	if lengthOf(list, gap) > r.left() {
		for _, c := range all {
			if c.n == 0 {
				list = without(list, c.rank)
			}
		}
	}
	for lengthOf(list, gap) > r.left() && worst(list) > lastOfFirst {
		list = without(list, worst(list))
	}
	for i := len(list) - 1; i >= 0 && lengthOf(list, gap) > r.left(); i-- {
		list[i].word = list[i].short
	}
	for lengthOf(list, gap) > r.left() && len(list) > 1 {
		list = without(list, worst(list))
	}
	for i, c := range list {
		if i > 0 {
			r.add(plain, gap)
		}
		if c.n == 0 {
			c.in = dim
		}
		r.add(c.in, c.text())
	}
}

func (c *counter) text() string { return c.word + " " + cell.Count(int64(c.n)) }

func lengthOf(list []counter, gap string) int {
	n := 0
	for i := range list {
		if i > 0 {
			n += len(gap)
		}
		n += len(list[i].text())
	}
	return n
}

func worst(list []counter) int {
	most := -1
	for i := range list {
		most = max(most, list[i].rank)
	}
	return most
}

func without(list []counter, rank int) []counter {
	out := list[:0]
	for _, c := range list {
		if c.rank != rank {
			out = append(out, c)
		}
	}
	return out
}
