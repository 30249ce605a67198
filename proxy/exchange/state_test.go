package exchange

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestStateFollowsTheFactsOfAJournaledStream(t *testing.T) {
	at := time.Unix(100, 0)
	st := func(ms int) Stamp { return Stamp{ID: 7, At: at.Add(time.Duration(ms) * time.Millisecond)} }
	var s State
	for _, step := range []struct {
		f     Fact
		phase Phase
	}{
		{Received{Stamp: st(0), Method: "POST", Target: "/x", Call: Call{Key: "abc"}}, PhaseReceived},
		{Decided{Stamp: st(1), Verdict: Verdict{XCache: BYPASS}}, PhaseReceived},
		{Queued{Stamp: st(2), Place: 3}, PhaseQueued},
		{Admitted{Stamp: st(3)}, PhaseConnecting},
		{Sent{Stamp: st(4), Row: 9, Attempt: 1, Origin: "o:1"}, PhaseWaiting},
		{Headed{Stamp: st(5), Status: 200, Stream: true}, PhaseStreaming},
		{Answered{Stamp: st(6), Status: 200, Verdict: Verdict{XCache: BYPASS, Source: SourceOrigin}}, PhaseStreaming},
		{Progress{Stamp: st(7), Bytes: 10, Text: "he", First: at}, PhaseStreaming},
		{Progress{Stamp: st(8), Bytes: 20, Text: "llo", Usage: Usage{Output: 2}}, PhaseStreaming},
		{Landed{Stamp: st(9), Ending: EndingComplete, Bytes: 20, Usage: Usage{Output: 2, Exact: true}}, PhaseStreaming},
		{Finished{Stamp: st(10), Outcome: OutcomeCompleted, Status: 200, BytesOut: 20}, PhaseDone},
		{Landed{Stamp: st(11), Ending: EndingComplete, Retry: true}, PhaseDone}, // a fetch that outlives its exchange never brings it back
	} {
		s.Apply(step.f)
		if s.Phase != step.phase {
			t.Fatalf("after %T: %s, want %s", step.f, s.Phase, step.phase)
		}
	}
	if s.Row != 9 || s.Key != "abc" || s.Outcome != OutcomeCompleted || s.BytesOut != 20 || s.Live() || s.FirstToken != at {
		t.Errorf("%+v", s)
	}
}

func TestANewAttemptBeginsItsTextAnew(t *testing.T) {
	var s State
	s.Apply(Received{Stamp: Stamp{ID: 1}})
	s.Apply(Sent{Attempt: 1})
	s.Apply(Progress{Text: "first", Bytes: 5, Events: 1})
	s.Apply(Landed{Retry: true, Cause: "it broke"})
	if s.Phase != PhaseWaiting || s.Cause != "" {
		t.Errorf("%s %q between two attempts", s.Phase, s.Cause)
	}
	s.Apply(Sent{Attempt: 2})
	s.Apply(Progress{Text: "second", Bytes: 6, Events: 1})
	if s.Text != "second" || s.Attempt != 2 {
		t.Errorf("%q, attempt %d", s.Text, s.Attempt)
	}
}

func TestTextIsATailThatNeverSplitsARune(t *testing.T) {
	var s State
	for range 3000 {
		s.Apply(Progress{Text: "水路と発電"})
	}
	if len(s.Text) > TextTail || len(s.Text) < TextTail-4 || !utf8.ValidString(s.Text) || !strings.HasSuffix(s.Text, "発電") {
		t.Errorf("%d bytes, valid %v", len(s.Text), utf8.ValidString(s.Text))
	}
}

func TestAHitFromMemoryIsOneFact(t *testing.T) {
	var s State
	s.Apply(Served{Stamp: Stamp{ID: 3, At: time.Unix(10, 0)}, Method: "GET", Status: 200, Duration: time.Second, Verdict: Verdict{XCache: HIT, Source: SourceHot}})
	if s.Live() || s.Outcome != OutcomeHit || !s.Started.Equal(time.Unix(9, 0)) || s.Verdict.XCache != HIT {
		t.Errorf("%+v", s)
	}
}
