package exchange

import (
	"testing"
	"time"
)

func ev(n EventName, d Detail) Event { return Event{Name: n, At: time.Unix(1, 0), Detail: d} }

// The decision table of the journal: last event, state and risk of sending again.
func TestEntryIsAPureFunctionOfItsEvents(t *testing.T) {
	attempt, sent := ev(ATTEMPT, Detail{N: 1}), ev(SENT, Detail{})
	for _, c := range []struct {
		name   string
		events []Event
		state  RowState
		last   EventName
		risk   Risk
	}{
		{"an attempt that has not been sent", []Event{attempt}, Preparing, ATTEMPT, RiskNone},
		{"sent", []Event{attempt, sent}, InFlight, SENT, RiskCharged},
		{"head of a stream", []Event{attempt, sent, ev(HEADERS, Detail{Status: 200, Stream: true})}, Streaming, HEADERS, RiskCharged},
		{"complete", []Event{attempt, sent, ev(COMPLETE, Detail{})}, Accepted, COMPLETE, RiskPaid},
		{"replayed", []Event{attempt, sent, ev(COMPLETE, Detail{}), ev(CACHEHIT, Detail{})}, Accepted, COMPLETE, RiskPaid},
		{"dial failed", []Event{attempt, ev(NOTSENT, Detail{Phase: "dial"})}, NotSent, NOTSENT, RiskNone},
		{"dial failed, another is due", []Event{attempt, ev(NOTSENT, Detail{Phase: "dial", Retry: true})}, RetryWait, NOTSENT, RiskNone},
		{"pooled connection died and so did the dial", []Event{attempt, sent, ev(NOTSENT, Detail{Phase: "dial"})}, NotSent, NOTSENT, RiskNone},
		{"shed", []Event{ev(NOTSENT, Detail{Phase: "queue"})}, NotSent, NOTSENT, RiskNone},
		{"killed in the queue", []Event{ev(KILLED, Detail{By: "operator", Phase: "queue"})}, Killed, KILLED, RiskNone},
		{"killed after it was sent", []Event{attempt, sent, ev(KILLED, Detail{Phase: "waiting"})}, Killed, KILLED, RiskCharged},
		{"killed with tokens", []Event{attempt, sent, ev(KILLED, Detail{Phase: "streaming", Tokens: 5})}, Killed, KILLED, RiskPaid},
		{"timeout, another is due", []Event{attempt, sent, ev(TIMEOUT, Detail{})}, RetryWait, TIMEOUT, RiskCharged},
		{"timeout that ends the budget", []Event{attempt, sent, ev(TIMEOUT, Detail{}), ev(DEADLETTER, Detail{})}, DeadLetter, DEADLETTER, RiskCharged},
		{"incomplete, another is due", []Event{attempt, sent, ev(INCOMPLETE, Detail{Error: "x", Retry: true})}, RetryWait, INCOMPLETE, RiskCharged},
		{"incomplete that ends the budget", []Event{attempt, sent, ev(INCOMPLETE, Detail{Error: "x"})}, DeadLetter, INCOMPLETE, RiskCharged},
		{"cut after content", []Event{attempt, sent, ev(INCOMPLETE, Detail{Error: "x", Tokens: 7, Delivered: true})}, Partial, INCOMPLETE, RiskPaid},
		{"refused", []Event{attempt, sent, ev(HTTPERROR, Detail{Status: 400})}, Rejected, HTTPERROR, RiskRefused},
		{"overloaded, not waited for", []Event{attempt, sent, ev(HTTPERROR, Detail{Status: 529})}, Rejected, HTTPERROR, RiskRefused},
		{"overloaded, waited for", []Event{attempt, sent, ev(HTTPERROR, Detail{Status: 429, RetryAfter: 1, Retry: true})}, RetryWait, HTTPERROR, RiskRefused},
		{"server error that ends the budget", []Event{attempt, sent, ev(HTTPERROR, Detail{Status: 500}), ev(DEADLETTER, Detail{})}, DeadLetter, DEADLETTER, RiskCharged},
		{"lost", []Event{attempt, sent, ev(BROKEN, Detail{}), ev(DEADLETTER, Detail{})}, DeadLetter, DEADLETTER, RiskCharged},
		{"client gone before content", []Event{attempt, sent, ev(CLIENTGONE, Detail{})}, Uncertain, CLIENTGONE, RiskCharged},
		{"client gone after content", []Event{attempt, sent, ev(CLIENTGONE, Detail{Tokens: 3, Delivered: true})}, Partial, CLIENTGONE, RiskPaid},
		{"the process died", []Event{attempt, sent, ev(INTERRUPTED, Detail{Phase: "waiting"})}, Interrupted, INTERRUPTED, RiskCharged},
		{"given up", []Event{attempt, sent, ev(DISCARDED, Detail{})}, Discarded, DISCARDED, RiskCharged},
		{"an earlier attempt keeps its risk", []Event{attempt, sent, ev(TIMEOUT, Detail{}), attempt, ev(NOTSENT, Detail{Phase: "dial"})}, NotSent, NOTSENT, RiskCharged},
		{"a late attempt changes nothing accepted", []Event{attempt, sent, ev(COMPLETE, Detail{}), ev(KILLED, Detail{})}, Accepted, KILLED, RiskPaid},
	} {
		var e Entry
		for _, x := range c.events {
			e.Apply(x)
		}
		if e.State != c.state || e.Last != c.last || e.Risk != c.risk {
			t.Errorf("%s: %s, last %s, risk %d; want %s, %s, %d", c.name, e.State, e.Last, e.Risk, c.state, c.last, c.risk)
		}
		if e.Words() == "" {
			t.Errorf("%s: no words", c.name)
		}
	}
}

func TestDetailsAreWrittenAsDocumentedAndReadBack(t *testing.T) {
	for _, c := range []struct {
		e    Event
		want string
	}{
		{ev(ATTEMPT, Detail{N: 1}), `{"n":1,"after":null}`},
		{ev(ATTEMPT, Detail{N: 2, After: TIMEOUT}), `{"n":2,"after":"TIMEOUT"}`},
		{ev(ATTEMPT, Detail{N: 1, After: SENT, Last: INTERRUPTED}), `{"n":1,"after":"SENT","last":"INTERRUPTED"}`},
		{ev(SENT, Detail{}), ""},
		{ev(TIMEOUT, Detail{}), ""},
		{ev(INCOMPLETE, Detail{Error: "unexpected envelope"}), `{"error":"unexpected envelope"}`},
		{ev(KILLED, Detail{By: "operator", Phase: "streaming", Tokens: 4}), `{"phase":"streaming","by":"operator","tokens":4}`},
	} {
		got := c.e.JSON()
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.e.Name, got, c.want)
		}
		if back, err := ParseDetail(got); err != nil || back != c.e.Detail {
			t.Errorf("%s: read back as %+v, %v", c.e.Name, back, err)
		}
	}
	if _, err := ParseDetail("{"); err == nil {
		t.Error("half a detail was read")
	}
}

func TestTheWordsOfARiskCountTokens(t *testing.T) {
	for n, want := range map[int]string{
		0:  "It may already have been charged; a retry may be charged twice.",
		1:  "1 output token was received and paid; a retry is charged again.",
		12: "12 output tokens were received and paid; a retry is charged again.",
	} {
		if got := (&Entry{Risk: RiskPaid, Tokens: n}).Words(); got != want {
			t.Errorf("%d tokens: %q, want %q", n, got, want)
		}
	}
}
