package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

func queued(b *Board, id exchange.ID, route string, ms, place int) {
	b.Observe(exchange.Received{Stamp: at(id, 0), Method: "POST", Route: route})
	b.Observe(exchange.Queued{Stamp: at(id, ms), Route: route, Place: place})
}

func places(b *Board) map[exchange.ID]int {
	out := map[exchange.ID]int{}
	for _, s := range b.Snapshot(Query{Limit: 100}).Rows {
		out[s.ID] = s.Place
		if one, _ := b.State(s.ID); one.Place != s.Place {
			out[s.ID] = -1
		}
	}
	return out
}

func TestPlacesMoveUpWhenThoseInFrontLeaveTheLine(t *testing.T) {
	b := NewBoard(100)
	queued(b, 1, "a", 1, 1)
	queued(b, 3, "a", 2, 2)
	queued(b, 2, "a", 3, 3) // its request came before, its fetch stands behind
	queued(b, 4, "a", 3, 4) // at the same moment: by ID
	queued(b, 5, "b", 0, 1) // another route's line
	check := func(why string, want map[exchange.ID]int) {
		t.Helper()
		if d := cmp.Diff(want, places(b)); d != "" {
			t.Errorf("%s:\n%s", why, d)
		}
	}
	check("all in line", map[exchange.ID]int{1: 1, 3: 2, 2: 3, 4: 4, 5: 1})
	b.Observe(exchange.Admitted{Stamp: at(1, 5)})
	check("the first has a slot", map[exchange.ID]int{1: 0, 3: 1, 2: 2, 4: 3, 5: 1})
	b.Observe(exchange.Finished{Stamp: at(2, 6), Outcome: exchange.OutcomeShed, Status: 503})
	check("one in the middle was shed", map[exchange.ID]int{1: 0, 3: 1, 2: 0, 4: 2, 5: 1})
	b.Observe(exchange.Landed{Stamp: at(1, 7), Ending: exchange.EndingBroken, Retry: true})
	b.Observe(exchange.Queued{Stamp: at(1, 8), Route: "a", Place: 3})
	check("a second attempt stands behind", map[exchange.ID]int{1: 3, 3: 1, 2: 0, 4: 2, 5: 1})
	b.Observe(exchange.Queued{Stamp: at(2, 9), Route: "a", Place: 4}) // a fetch that outlives its exchange
	check("who has ended is in no line", map[exchange.ID]int{1: 3, 3: 1, 2: 0, 4: 2, 5: 1})
	for _, id := range []exchange.ID{1, 3, 4, 5} {
		b.Observe(exchange.Finished{Stamp: at(id, 10), Outcome: exchange.OutcomeClientGone})
	}
	if len(b.lines) != 0 {
		t.Errorf("empty lines are kept: %v", b.lines)
	}
}

func TestTheExchangesOfAJournalRowAreFound(t *testing.T) {
	b := NewBoard(100)
	for id := exchange.ID(1); id <= 4; id++ {
		b.Observe(exchange.Received{Stamp: at(id, 0), Method: "POST"})
		b.Observe(exchange.Sent{Stamp: at(id, 1), Row: 5 + int64(id%2), Attempt: 1})
	}
	b.Observe(exchange.Finished{Stamp: at(1, 2), Outcome: exchange.OutcomeKilled})
	if d := cmp.Diff([]exchange.ID{3, 1}, ids(b.Snapshot(Query{Row: 6, Limit: 9}))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]exchange.ID{3}, ids(b.Snapshot(Query{Row: 6, Live: true, Limit: 9}))); d != "" {
		t.Error(d)
	}
}
