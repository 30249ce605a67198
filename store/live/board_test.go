package live

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(id exchange.ID, ms int) exchange.Stamp {
	return exchange.Stamp{ID: id, At: t0.Add(time.Duration(ms) * time.Millisecond)}
}

// request puts a request on the board that has been answered in full.
func request(b *Board, id exchange.ID, target string) {
	b.Observe(exchange.Received{Stamp: at(id, 0), Method: "GET", Target: target, Route: "r"})
	b.Observe(exchange.Decided{Stamp: at(id, 1), Verdict: exchange.Verdict{XCache: exchange.MISS}})
	b.Observe(exchange.Finished{Stamp: at(id, 9), Outcome: exchange.OutcomeCompleted, Status: 200, BytesOut: 10})
}

func ids(s Snapshot) []exchange.ID {
	var out []exchange.ID
	for i := range s.Rows {
		out = append(out, s.Rows[i].ID)
	}
	return out
}

// script is a list of facts about one exchange, with two attempts and text
// longer than a state keeps.
func script(id exchange.ID, r *rand.Rand) []exchange.Fact {
	facts := []exchange.Fact{
		exchange.Received{Stamp: at(id, 0), Method: "POST", Target: "/v1/chat/completions", Call: exchange.Call{Model: "m", Declared: exchange.DeclaredBody}},
		exchange.Decided{Stamp: at(id, 1), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Queued{Stamp: at(id, 1), Place: 1},
		exchange.Admitted{Stamp: at(id, 2)},
	}
	for attempt := 1; attempt <= 2; attempt++ {
		facts = append(facts, exchange.Sent{Stamp: at(id, 3), Attempt: attempt, Row: 7, Key: "k"},
			exchange.Headed{Stamp: at(id, 4), Status: 200, Stream: true})
		total := 0
		for n := range 20 + r.IntN(40) {
			piece := strings.Repeat("héllo, wörld. ", 1+r.IntN(200))
			total += len(piece)
			facts = append(facts, exchange.Progress{Stamp: at(id, 5+n), Bytes: int64(total), Events: n, Text: piece, First: t0, Last: t0, Usage: exchange.Usage{Output: n}})
		}
		facts = append(facts, exchange.Landed{Stamp: at(id, 80), Ending: exchange.EndingBroken, Cause: "cut", Retry: attempt == 1, Bytes: int64(total)})
	}
	return append(facts, exchange.Finished{Stamp: at(id, 90), Outcome: exchange.OutcomeIncomplete, Cause: "cut", BytesOut: 99})
}

func TestBoardSaysWhatTheFoldOfTheSameFactsSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for id := exchange.ID(1); id <= 20; id++ {
		b := NewBoard(10)
		want := exchange.State{}
		for i, f := range script(id, r) {
			b.Observe(f)
			want.Apply(f)
			got, ok := b.State(id)
			if !ok {
				t.Fatal("a live exchange is not on the board")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("after fact %d (%T):\n%s", i, f, d)
			}
		}
	}
}

func TestBoardForgetsTheOldestEndedAndNeverALiveOne(t *testing.T) {
	b := NewBoard(5)
	b.Observe(exchange.Received{Stamp: at(1, 0), Method: "POST", Target: "/live"})
	for id := exchange.ID(2); id <= 100; id++ {
		request(b, id, "/x")
	}
	s := b.Snapshot(Query{Limit: 100})
	if d := cmp.Diff([]exchange.ID{100, 99, 98, 97, 96, 1}, ids(s)); d != "" {
		t.Error(d)
	}
	if s.Total != 6 || s.Live != 1 || s.Counts.Requests != 100 || s.Counts.Completed != 99 {
		t.Errorf("total %d, live %d, requests %d, completed %d", s.Total, s.Live, s.Counts.Requests, s.Counts.Completed)
	}
	if len(b.byID) != 6 || b.rows.len != 6 || len(b.ended) > 2*b.keep {
		t.Errorf("the board holds %d by ID, %d rows, %d ended", len(b.byID), b.rows.len, len(b.ended))
	}
	if _, ok := b.State(50); ok {
		t.Error("exchange 50 is still known")
	}
}

func TestBoardKeepsTheWordsOfTheLastEndedOnly(t *testing.T) {
	b := NewBoard(wordsKept + 10)
	long := strings.Repeat("ab", 4000)
	for id := exchange.ID(1); id <= wordsKept+1; id++ {
		b.Observe(exchange.Received{Stamp: at(id, 0), Call: exchange.Call{Messages: []exchange.Message{{Role: "user", Text: "hi"}}}})
		b.Observe(exchange.Progress{Stamp: at(id, 1), Text: long})
		b.Observe(exchange.Finished{Stamp: at(id, 2), Outcome: exchange.OutcomeCompleted})
	}
	if s, _ := b.State(1); len(s.Text) != wordsLeft || s.Call.Messages != nil {
		t.Errorf("the oldest keeps %d bytes and %d messages, want %d and none", len(s.Text), len(s.Call.Messages), wordsLeft)
	}
	if s, _ := b.State(2); len(s.Text) != len(long) || len(s.Call.Messages) != 1 {
		t.Errorf("the second keeps %d bytes and %d messages, want all", len(s.Text), len(s.Call.Messages))
	}
}

func TestFactsOfUnknownExchangesChangeNothing(t *testing.T) {
	b := NewBoard(5)
	b.Observe(exchange.Landed{Stamp: at(9, 0), Bytes: 5})
	b.Observe(exchange.Finished{Stamp: at(9, 0), Outcome: exchange.OutcomeKilled})
	request(b, 1, "/x")
	b.Observe(exchange.Finished{Stamp: at(1, 10), Outcome: exchange.OutcomeKilled, Status: 200, BytesOut: 10})
	b.Observe(exchange.Received{Stamp: at(1, 11)})
	s := b.Snapshot(Query{Limit: 9})
	if s.Total != 1 || s.Live != 0 || s.Counts.Killed != 0 || s.Counts.Requests != 1 || s.Counts.BytesOut != 10 {
		t.Errorf("%+v", s)
	}
}

func TestHitsAreListedUpToARateAndCountedBeyondIt(t *testing.T) {
	b := NewBoard(1000)
	for i := range 200 {
		b.Observe(exchange.Served{Stamp: at(exchange.ID(i+1), i), Status: 200, BytesOut: 2, Verdict: exchange.Verdict{XCache: exchange.HIT}, Duration: time.Millisecond})
	}
	b.Observe(exchange.Served{Stamp: at(201, 1000), Status: 200, BytesOut: 2, Verdict: exchange.Verdict{XCache: exchange.HIT}})
	s := b.Snapshot(Query{Limit: 1})
	if s.Total != HitsListed+1 || s.Counts.Unlisted != 200-HitsListed || s.Counts.Hit != 201 || s.Counts.BytesOut != 402 || s.Counts.Completed != 201 {
		t.Errorf("total %d, %+v", s.Total, s.Counts)
	}
	if got := s.Rows[0]; got.ID != 201 || got.Live() || got.Outcome != exchange.OutcomeHit {
		t.Errorf("newest row: %+v", got)
	}
}

func TestManyFactsAreOneRingOfTheBell(t *testing.T) {
	b := NewBoard(5)
	request(b, 1, "/x")
	<-b.Bell()
	select {
	case <-b.Bell():
		t.Error("rang twice")
	default:
	}
	b.Observe(exchange.Purged{Count: 2})
	<-b.Bell()
	if n := b.Snapshot(Query{}).Counts.Purged; n != 2 {
		t.Errorf("%d purged", n)
	}
}

func TestCountsFollowVerdictsTokensAndAttempts(t *testing.T) {
	b := NewBoard(5)
	b.Observe(exchange.Received{Stamp: at(1, 0), Call: exchange.Call{Declared: exchange.DeclaredAccept}})
	b.Observe(exchange.Decided{Stamp: at(1, 0), Verdict: exchange.Verdict{XCache: exchange.MISS}})
	b.Observe(exchange.Sent{Stamp: at(1, 1), Attempt: 1})
	b.Observe(exchange.Progress{Stamp: at(1, 2), Bytes: 50, Usage: exchange.Usage{Output: 5}})
	if s := b.Snapshot(Query{}); s.Counts.TokensOut != 5 || s.Streams != 1 || s.Live != 1 {
		t.Errorf("while it streams: %+v", s)
	}
	b.Observe(exchange.Sent{Stamp: at(1, 3), Attempt: 2})
	b.Observe(exchange.Progress{Stamp: at(1, 4), Bytes: 20, Usage: exchange.Usage{Output: 2}})
	b.Observe(exchange.Answered{Stamp: at(1, 5), Status: 200, Verdict: exchange.Verdict{XCache: exchange.STALE}})
	b.Observe(exchange.Finished{Stamp: at(1, 6), Outcome: exchange.OutcomeCompleted, BytesOut: 20, Usage: exchange.Usage{Input: 9, Output: 3}})
	// A replay repeats what the answer had cost; it was not paid again.
	b.Observe(exchange.Received{Stamp: at(2, 7)})
	b.Observe(exchange.Finished{Stamp: at(2, 8), Outcome: exchange.OutcomeHit, Usage: exchange.Usage{Input: 9, Output: 3}})
	s := b.Snapshot(Query{})
	want := Counts{Requests: 2, Stale: 1, Completed: 2, BytesIn: 70, BytesOut: 20, TokensIn: 9, TokensOut: 8}
	if d := cmp.Diff(want, s.Counts); d != "" || s.Streams != 0 || s.Live != 0 {
		t.Errorf("live %d, streams %d\n%s", s.Live, s.Streams, d)
	}
}

func TestBoardHoldsUnderManyWritersAndReaders(t *testing.T) {
	b := NewBoard(50)
	b.WatchLoads(func() []exchange.Load { return []exchange.Load{{Route: "r"}} })
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 0))
			for i := range 40 {
				for _, f := range script(exchange.ID(i*8+w+1), r) {
					b.Observe(f)
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-b.Bell():
				}
				s := b.Snapshot(Query{Text: "post", LiveFirst: true, Limit: 20, TextBytes: 100})
				for i := range s.Rows {
					b.State(s.Rows[i].ID)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	readers.Wait()
	s := b.Snapshot(Query{Limit: 1000})
	if s.Total != 50 || s.Live != 0 || s.Streams != 0 || s.Counts.Incomplete != 320 {
		t.Errorf("total %d, live %d, streams %d, %+v", s.Total, s.Live, s.Streams, s.Counts)
	}
	for i := 1; i < len(s.Rows); i++ {
		if s.Rows[i-1].ID <= s.Rows[i].ID {
			t.Fatalf("row %d has ID %s, the next %s", i-1, s.Rows[i-1].ID, s.Rows[i].ID)
		}
	}
}

func TestASnapshotCostsItsWindowNotTheBoard(t *testing.T) {
	b := NewBoard(0)
	for id := exchange.ID(1); id <= DefaultKeep; id++ {
		request(b, id, fmt.Sprintf("/%d", id))
	}
	q := Query{Limit: 20}
	if n := testing.AllocsPerRun(100, func() { b.Snapshot(q) }); n > 10 {
		t.Errorf("a window of 20 rows of %d takes %v allocations", DefaultKeep, n)
	}
	q.Text = "get 777" // made once for each row, then kept
	b.Snapshot(q)
	if n := testing.AllocsPerRun(100, func() { b.Snapshot(q) }); n > 20 {
		t.Errorf("a filtered window takes %v allocations", n)
	}
	b.Observe(exchange.Received{Stamp: at(9999, 0)})
	var p exchange.Fact = exchange.Progress{Stamp: at(9999, 1), Text: "word ", Usage: exchange.Usage{Output: 1}}
	for range 20000 {
		b.Observe(p) // the text has reached its bound
	}
	if n := testing.AllocsPerRun(1000, func() { b.Observe(p) }); n > 1 {
		t.Errorf("a piece of text takes %v allocations", n)
	}
}

func BenchmarkObserveProgress(b *testing.B) {
	board := NewBoard(0)
	board.Observe(exchange.Received{Stamp: at(1, 0)})
	var p exchange.Fact = exchange.Progress{Stamp: at(1, 1), Text: "word ", Usage: exchange.Usage{Output: 1}}
	b.ReportAllocs()
	for b.Loop() {
		board.Observe(p)
	}
}

func BenchmarkSnapshotWithAFilter(b *testing.B) {
	board := NewBoard(0)
	for id := exchange.ID(1); id <= DefaultKeep; id++ {
		request(board, id, fmt.Sprintf("/%d", id))
	}
	b.ReportAllocs()
	for b.Loop() {
		board.Snapshot(Query{Text: "get 777", Limit: 40})
	}
}
