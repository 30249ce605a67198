package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

func TestThePageDoesNotMoveWhileRequestsArrive(t *testing.T) {
	b := NewBoard(100)
	for id := exchange.ID(1); id <= 10; id++ {
		request(b, id, "/x")
	}
	q := Query{UpTo: 10, Offset: 3, Limit: 3}
	before := ids(b.Snapshot(q))
	for id := exchange.ID(11); id <= 20; id++ {
		request(b, id, "/x")
	}
	s := b.Snapshot(q)
	if d := cmp.Diff(before, ids(s)); d != "" {
		t.Errorf("the page moved:\n%s", d)
	}
	if d := cmp.Diff([]exchange.ID{7, 6, 5}, ids(s)); d != "" {
		t.Error(d)
	}
	if s.Total != 20 || s.Newer != 10 {
		t.Errorf("total %d, newer %d", s.Total, s.Newer)
	}
}

func TestRowsStandByIDAlsoWhenTheirFactsComeOutOfOrder(t *testing.T) {
	b := NewBoard(100)
	for _, id := range []exchange.ID{2, 1, 5, 3, 4} {
		request(b, id, "/x")
	}
	if d := cmp.Diff([]exchange.ID{5, 4, 3, 2, 1}, ids(b.Snapshot(Query{Limit: 9}))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]exchange.ID{1, 2}, ids(b.Snapshot(Query{Limit: 2, Oldest: true}))); d != "" {
		t.Error(d)
	}
}

func TestLiveFirstPutsWhatEndedBehind(t *testing.T) {
	b := NewBoard(100)
	for id := exchange.ID(1); id <= 6; id++ {
		if id%3 == 0 {
			b.Observe(exchange.Received{Stamp: at(id, 0)})
			continue
		}
		request(b, id, "/x")
	}
	if d := cmp.Diff([]exchange.ID{6, 3, 5, 4, 2, 1}, ids(b.Snapshot(Query{LiveFirst: true, Limit: 9}))); d != "" {
		t.Error(d)
	}
}

func TestTheFilterLooksAtWhatARowSays(t *testing.T) {
	b := NewBoard(100)
	b.Observe(exchange.Received{
		Stamp: at(1, 0), Method: "POST", Target: "/v1/Chat/completions", Route: "openai", Host: "localhost",
		Call: exchange.Call{Model: "gpt-4o", Dialect: exchange.DialectOpenAI, Declared: exchange.DeclaredBody},
	})
	b.Observe(exchange.Decided{Stamp: at(1, 1), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}})
	b.Observe(exchange.Received{Stamp: at(2, 0), Method: "GET", Target: "/v1/models", Route: "openai"})
	b.Observe(exchange.Finished{Stamp: at(2, 3), Outcome: exchange.OutcomeShed, Status: 503})
	for text, want := range map[string][]exchange.ID{
		"":                 {2, 1},
		"  ":               {2, 1},
		"GPT":              {1},
		"post CHAT":        {1},
		"chat 503":         nil,
		"503":              {2},
		"shed":             {2},
		"live":             {1},
		"stream":           {1},
		"bypass":           {1},
		"openai":           {2, 1},
		"models completed": nil,
	} {
		s := b.Snapshot(Query{Text: text, Limit: 9})
		if d := cmp.Diff(want, ids(s)); d != "" || s.Total != len(want) {
			t.Errorf("%q (total %d):\n%s", text, s.Total, d)
		}
	}
	// What a row says changes with its facts.
	b.Observe(exchange.Finished{Stamp: at(1, 9), Outcome: exchange.OutcomeKilled})
	if got := ids(b.Snapshot(Query{Text: "live", Limit: 9})); got != nil {
		t.Errorf("still live: %v", got)
	}
}

func TestSlotsAreHeldFromAdmissionToTheHeadOfAStream(t *testing.T) {
	b := NewBoard(100)
	step := func(want string, f exchange.Fact) {
		t.Helper()
		b.Observe(f)
		s := b.Snapshot(Query{Slots: true, Limit: 1})
		got := "none"
		if len(s.Rows) == 1 && Waits(&s.Rows[0]) {
			got = "waits"
		} else if len(s.Rows) == 1 {
			got = "holds"
		}
		if got != want {
			t.Errorf("after %T it %s, want %s", f, got, want)
		}
	}
	step("none", exchange.Received{Stamp: at(1, 0), Method: "POST"})
	step("waits", exchange.Queued{Stamp: at(1, 1), Place: 1})
	step("holds", exchange.Admitted{Stamp: at(1, 2)})
	step("holds", exchange.Sent{Stamp: at(1, 3)})
	step("none", exchange.Headed{Stamp: at(1, 4), Stream: true})
	step("none", exchange.Landed{Stamp: at(1, 5), Ending: exchange.EndingBroken, Retry: true})
	step("waits", exchange.Queued{Stamp: at(1, 6)})
	step("holds", exchange.Admitted{Stamp: at(1, 7)})
	step("holds", exchange.Sent{Stamp: at(1, 8)})
	step("holds", exchange.Headed{Stamp: at(1, 9)}) // no stream: to the end of its body
	step("none", exchange.Landed{Stamp: at(1, 10), Ending: exchange.EndingComplete})
	b.Observe(exchange.Received{Stamp: at(2, 0), Method: "GET"})
	b.Observe(exchange.Joined{Stamp: at(2, 1), Leader: 1})
	if s := b.Snapshot(Query{Slots: true, Limit: 9}); s.Total != 0 {
		t.Errorf("a rider holds a slot: %+v", s.Rows)
	}
}

func TestALookCarriesNoMoreTextThanAskedFor(t *testing.T) {
	b := NewBoard(100)
	b.Observe(exchange.Received{Stamp: at(1, 0)})
	b.Observe(exchange.Progress{Stamp: at(1, 1), Text: "one two thrée"})
	for n, want := range map[int]string{0: "", 3: "ée", 2: "e", 100: "one two thrée"} {
		if got := b.Snapshot(Query{Limit: 1, TextBytes: n}).Rows[0].Text; got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
}

func TestLoadsAreReadAtTheMomentOfTheLook(t *testing.T) {
	b := NewBoard(1)
	reads := 0
	b.WatchLoads(func() []exchange.Load {
		reads++
		b.State(1) // it may use the board: no lock is held
		return []exchange.Load{{Route: "r", InUse: reads}}
	})
	b.Snapshot(Query{})
	if s := b.Snapshot(Query{}); len(s.Loads) != 1 || s.Loads[0].InUse != 2 {
		t.Errorf("%+v", s.Loads)
	}
}

func TestTheSelectedRowStaysInItsPlaceOnTheScreen(t *testing.T) {
	b := NewBoard(100)
	for id := exchange.ID(1); id <= 10; id++ {
		request(b, id, "/x")
	}
	q := Query{Find: 5, Above: 2, Limit: 4}
	for id := exchange.ID(11); id <= 14; id++ {
		s := b.Snapshot(q)
		if d := cmp.Diff([]exchange.ID{7, 6, 5, 4}, ids(s)); d != "" {
			t.Error(d)
		}
		if want := int(id) - 1 - 5; s.At != want || s.Offset != want-2 || s.Total != int(id)-1 {
			t.Errorf("at %d, offset %d, total %d; want at %d", s.At, s.Offset, s.Total, want)
		}
		request(b, id, "/x")
	}
	s := b.Snapshot(Query{Find: 999, Above: 2, Offset: 1, Limit: 2})
	if d := cmp.Diff([]exchange.ID{13, 12}, ids(s)); d != "" || s.At != -1 || s.Offset != 1 {
		t.Errorf("a row that is not there: at %d, offset %d\n%s", s.At, s.Offset, d)
	}
}
