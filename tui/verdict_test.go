package tui

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestAMissSaysWhatBecameOfItsFetch(t *testing.T) {
	head := []exchange.Fact{
		exchange.Received{Stamp: at(1, 1), Method: "POST", Target: "/v1/embeddings", Client: "127.0.0.1:5", Route: "demo"},
		exchange.Decided{Stamp: at(1, 1), Verdict: exchange.Verdict{XCache: exchange.MISS, Reason: "method"}},
	}
	queued := exchange.Queued{Stamp: at(1, 2), Route: "demo", Place: 1}
	admitted := exchange.Admitted{Stamp: at(1, 3)}
	sent := exchange.Sent{Stamp: at(1, 4), Attempt: 1}
	answer := exchange.Headed{Stamp: at(1, 5), Status: 200}
	done := func(o exchange.Outcome, status int) exchange.Fact {
		return exchange.Finished{Stamp: at(1, 9), Outcome: o, Status: status}
	}
	again := exchange.Landed{Stamp: at(1, 6), Ending: exchange.EndingBroken, Retry: true}
	joined := exchange.Joined{Stamp: at(1, 2), Leader: 7}
	for _, c := range []struct {
		want  string
		facts []exchange.Fact
	}{
		{"not fetched yet", nil},
		{"not fetched yet: in line for a slot", []exchange.Fact{queued}},
		{"not fetched yet: connecting to the origin", []exchange.Fact{queued, admitted}},
		{"waiting for the origin", []exchange.Fact{queued, admitted, sent}},
		{"waiting for the origin", []exchange.Fact{joined}},
		{"being fetched from the origin", []exchange.Fact{admitted, sent, answer}},
		{"being fetched; held until the result is accepted", []exchange.Fact{admitted, sent, exchange.Headed{Stamp: at(1, 5), Status: 200, Held: true}}},
		{"an attempt has failed, another is due", []exchange.Fact{admitted, sent, answer, again}},
		{"fetched from the origin", []exchange.Fact{admitted, sent, answer, done(exchange.OutcomeCompleted, 200)}},
		{"not fetched: it never reached the provider", []exchange.Fact{queued, done(exchange.OutcomeShed, 503)}},
		{"no place was free in time for another attempt", []exchange.Fact{admitted, sent, again, queued, done(exchange.OutcomeShed, 503)}},
		{"the origin was asked, no answer came in time", []exchange.Fact{admitted, sent, done(exchange.OutcomeFailed, 504)}},
		{"the origin was asked, no answer came", []exchange.Fact{admitted, sent, done(exchange.OutcomeFailed, 502)}},
		{"an answer began and did not come whole", []exchange.Fact{admitted, sent, answer, done(exchange.OutcomeFailed, 502)}},
		{"the fetch it rode on brought no answer", []exchange.Fact{joined, done(exchange.OutcomeFailed, 502)}},
		{"not fetched: the origin was not reached", []exchange.Fact{admitted, done(exchange.OutcomeFailed, 502)}},
		{"not fetched: tailrace refused it", []exchange.Fact{done(exchange.OutcomeRefused, 499)}},
		{"fetched, but not whole", []exchange.Fact{admitted, sent, answer, done(exchange.OutcomeIncomplete, 200)}},
		{"fetched in part", []exchange.Fact{admitted, sent, answer, done(exchange.OutcomeKilled, 200)}},
		{"the origin was asked, it ended before an answer came", []exchange.Fact{admitted, sent, done(exchange.OutcomeKilled, 499)}},
		{"it ended before the fetch it rode on had an answer", []exchange.Fact{joined, done(exchange.OutcomeClientGone, 0)}},
		{"not fetched: it ended before it was sent", []exchange.Fact{queued, done(exchange.OutcomeClientGone, 0)}},
	} {
		s := newScreen(t, 120, 36, append(append([]exchange.Fact(nil), head...), c.facts...))
		if got := verdictWords(&s.m.picked); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		s.shows("MISS") // the header's own word stays
		s.press("enter")
		if !strings.Contains(s.unbroken(), "MISS: "+c.want+" (method)") {
			t.Errorf("the detail does not say %q:\n%s", c.want, s.m.View())
		}
	}
}

func TestOneIsNotMany(t *testing.T) {
	s := newScreen(t, 160, 50, []exchange.Fact{
		call(1, 1, "gpt-4o", "hi"),
		exchange.Sent{Stamp: at(1, 2), Attempt: 1},
		exchange.Headed{Stamp: at(1, 3), Stream: true},
		exchange.Progress{Stamp: at(1, 4), Usage: exchange.Usage{Output: 1}, Text: "x"},
	})
	s.shows("1 request ", "→ 1 token ", "1 stream ")
	s.hides("1 requests", "1 tokens", "1 streams")
}

func TestThePlaceInLineIsThatOfThisMoment(t *testing.T) {
	s := newScreen(t, 80, 24, nil)
	for id := exchange.ID(1); id <= 3; id++ {
		s.observe(call(id, float64(id), "gpt-4o", "hi"), exchange.Queued{Stamp: at(id, float64(id)), Route: "demo", Place: int(id)})
	}
	s.shows("queued #1", "queued #2", "queued #3")
	s.observe(exchange.Admitted{Stamp: at(1, 9)}, exchange.Finished{Stamp: at(2, 9), Outcome: exchange.OutcomeShed, Status: 503})
	s.shows("queued #1")
	s.hides("queued #2", "queued #3")
	s.press("3")
	s.shows("IN LINE", "who is in line", "queued #1")
	s.hides("WAITING")
}
