package metrics

import (
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scrape returns the lines that a scrape gives, by series.
func scrape(t *testing.T, o *Observer) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	o.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("%d %v", w.Code, err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			out[name] = value
		}
	}
	return out
}

func expect(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
}

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func stamp(id exchange.ID, after time.Duration) exchange.Stamp {
	return exchange.Stamp{ID: id, At: at.Add(after)}
}

func TestEachEndedRequestIsCountedOnceWithWhatItsFactsSaid(t *testing.T) {
	o := New()
	for _, f := range []exchange.Fact{
		exchange.Received{Stamp: stamp(1, 0), Route: "chat"},
		exchange.Decided{Stamp: stamp(1, 0), Verdict: exchange.Verdict{XCache: exchange.MISS}},
		exchange.Answered{Stamp: stamp(1, 0), Status: 200, Verdict: exchange.Verdict{XCache: exchange.STALE}},
		exchange.Received{Stamp: stamp(2, 0), Route: "chat"},
		exchange.Finished{Stamp: stamp(1, 2*time.Second), Status: 200},
		exchange.Finished{Stamp: stamp(1, 2*time.Second), Status: 200}, // never stated twice; were it, it would not count
		exchange.Served{Stamp: stamp(3, 0), Route: "chat", Status: 200, Verdict: exchange.Verdict{XCache: exchange.HIT}, Duration: time.Millisecond},
		exchange.Received{Stamp: stamp(4, 0)},
		exchange.Finished{Stamp: stamp(4, 0)},
		exchange.Received{Stamp: stamp(5, 0), Route: "chat"},
		exchange.Decided{Stamp: stamp(5, 0), Verdict: exchange.Verdict{XCache: exchange.MISS}},
		exchange.Finished{Stamp: stamp(5, 0), Status: 987},
	} {
		o.Observe(f)
	}
	expect(t, scrape(t, o), map[string]string{
		`tailrace_requests_total{cache="STALE",route="chat",status="200"}`:   "1",
		`tailrace_requests_total{cache="HIT",route="chat",status="200"}`:     "1",
		`tailrace_requests_total{cache="none",route="none",status="none"}`:   "1",
		`tailrace_requests_total{cache="MISS",route="chat",status="other"}`:  "1",
		`tailrace_requests_total{cache="MISS",route="chat",status="200"}`:    "",
		`tailrace_request_duration_seconds_count{route="chat"}`:              "3",
		`tailrace_request_duration_seconds_sum{route="chat"}`:                "2.001",
		`tailrace_request_duration_seconds_bucket{route="chat",le="0.001"}`:  "2",
		`tailrace_request_duration_seconds_bucket{route="chat",le="2.5"}`:    "3",
		`tailrace_request_duration_seconds_bucket{route="none",le="0.001"}`:  "1",
		`tailrace_request_duration_seconds_bucket{route="other",le="0.001"}`: "",
	})
	if len(o.open) != 1 {
		t.Errorf("%d exchanges are kept, one is under way", len(o.open))
	}
}

func TestNothingFromARequestBecomesALabel(t *testing.T) {
	o := New()
	o.Observe(exchange.Received{Stamp: stamp(1, 0), Method: "POST", Target: "/needle", Host: "needle", Client: "needle", Call: exchange.Call{Model: "needle", Key: "needle"}})
	o.Observe(exchange.Finished{Stamp: stamp(1, 0), Status: 200, Cause: "needle"})
	for name := range scrape(t, o) {
		if strings.Contains(name, "needle") {
			t.Errorf("%s", name)
		}
	}
}

func TestLevelsAreReadWhenTheyAreAskedForUnderBothNames(t *testing.T) {
	o := New()
	load := exchange.Load{Route: "chat"}
	o.WatchLoads(func() []exchange.Load { return []exchange.Load{load} })
	load = exchange.Load{Route: "chat", InUse: 3, Waiting: 2, Shed: 20, BufferBytes: 5, Fallback: 1, ActiveStreams: 9}
	expect(t, scrape(t, o), map[string]string{
		`tailrace_fetch_queue_depth{route="chat"}`:        "2",
		`tailrace_fetch_slots_in_use{route="chat"}`:       "3",
		`tailrace_streams_active{route="chat"}`:           "9",
		`tailrace_fetch_shed_total{route="chat"}`:         "20",
		`tailrace_streaming_buffer_bytes{route="chat"}`:   "5",
		`tailrace_streaming_fallback_total{route="chat"}`: "1",
		`bouine_fetch_shed_total{route="chat"}`:           "20",
		`bouine_streaming_buffer_bytes{route="chat"}`:     "5",
		`bouine_streaming_fallback_total{route="chat"}`:   "1",
	})
}

func TestNumbersOfOtherRoomsHaveTheirPrefix(t *testing.T) {
	o := New()
	o.Watch("tailrace_journal_", []Number{
		{Name: "commits_total", Help: "Commits.", Read: func() float64 { return 4 }},
		{Name: "queue_depth", Help: "Waiting.", Level: true, Read: func() float64 { return 2 }},
	})
	got := scrape(t, o)
	expect(t, got, map[string]string{"tailrace_journal_commits_total": "4", "tailrace_journal_queue_depth": "2"})
	if got["go_goroutines"] == "" {
		t.Error("the Go runtime is missing")
	}
}

func TestFactsAndScrapesMayComeAtOnce(t *testing.T) {
	o := New()
	var all sync.WaitGroup
	for i := range exchange.ID(8) {
		all.Go(func() {
			for j := range exchange.ID(50) {
				id := i*100 + j + 1
				o.Observe(exchange.Received{Stamp: stamp(id, 0), Route: "r"})
				o.Observe(exchange.Finished{Stamp: stamp(id, 0), Status: 200})
			}
		})
	}
	scrape(t, o)
	all.Wait()
	expect(t, scrape(t, o), map[string]string{`tailrace_requests_total{cache="none",route="r",status="200"}`: "400"})
}
