package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 123456789, time.UTC)

func observed(asJSON bool, facts ...exchange.Fact) string {
	out := &output{}
	l := newLines(out)
	log := newRequestLog(l, asJSON)
	for _, f := range facts {
		log.Observe(f)
	}
	l.close()
	return out.String()
}

func moment(id exchange.ID, after time.Duration) exchange.Stamp {
	return exchange.Stamp{ID: id, At: noon.Add(after)}
}

func TestALineTellsWhatBecameOfARequest(t *testing.T) {
	facts := []exchange.Fact{
		exchange.Received{Stamp: moment(1, 0), Method: "POST", Target: "/v1/chat/completions", Route: "openai", Call: exchange.Call{Model: "gpt 5", Key: "00112233445566ff"}},
		exchange.Decided{Stamp: moment(1, 0), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Received{Stamp: moment(2, 0), Method: "GET", Target: "/x"},
		exchange.Sent{Stamp: moment(1, 0), Row: 12, Attempt: 2},
		exchange.Progress{Stamp: moment(1, 0), Text: "said"},
		exchange.Answered{Stamp: moment(1, 0), Status: 200, Verdict: exchange.Verdict{XCache: exchange.BYPASS, Source: exchange.SourceOrigin, Reason: "declared-stream-body"}},
		exchange.Finished{Stamp: moment(1, 1500*time.Millisecond), Status: 200, BytesOut: 99, Outcome: exchange.OutcomeKilled, Usage: exchange.Usage{Output: 7}, Cause: "killed by the operator"},
		exchange.Landed{Stamp: moment(1, 0)},
		exchange.Purged{},
	}
	want := "2026-01-02T12:00:01.623456Z POST /v1/chat/completions 200 BYPASS outcome=killed took=1.5s bytes=99 route=openai " +
		`source=origin reason=declared-stream-body model="gpt 5" tokens=7 key=00112233445566ff row=12 attempt=2 id=1 cause="killed by the operator"` + "\n"
	if got := observed(false, facts...); got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
	want = `{"ts":"2026-01-02T12:00:01.623456Z","id":"1","method":"POST","path":"/v1/chat/completions","route":"openai","status":200,` +
		`"x_cache":"BYPASS","x_cache_source":"origin","reason":"declared-stream-body","outcome":"killed","duration_ms":1500,"bytes_out":99,` +
		`"model":"gpt 5","output_tokens":7,"key":"00112233445566ff","journal_id":"12","attempt":2,"cause":"killed by the operator"}` + "\n"
	if got := observed(true, facts...); got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

func TestAHitAndARequestThatGotNothingHaveALineToo(t *testing.T) {
	got := observed(false,
		exchange.Served{Stamp: moment(1, 0), Method: "GET", Target: "/a", Route: "r", Status: 200, BytesOut: 5, Verdict: exchange.Verdict{XCache: exchange.HIT, Source: exchange.SourceHot}, Duration: 2 * time.Millisecond},
		exchange.Received{Stamp: moment(2, 0), Method: "GET", Target: "/b"},
		exchange.Finished{Stamp: moment(2, 0), Outcome: exchange.OutcomeClientGone},
	)
	want := "2026-01-02T12:00:00.123456Z GET /a 200 HIT outcome=hit took=2ms bytes=5 route=r source=hot id=1\n" +
		"2026-01-02T12:00:00.123456Z GET /b - - outcome=client-gone took=0s bytes=0 id=2\n"
	if got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

// Errors for clients say who failed; in our own log that is said already.
func TestTheCauseInALineDoesNotNameUsAgain(t *testing.T) {
	for cause, want := range map[string]string{
		"tailrace: no route takes /x": `cause="no route takes /x"`, "tailrace: tailrace: twice": "cause=twice", "reset": "cause=reset",
	} {
		got := observed(false, exchange.Received{Stamp: moment(1, 0)}, exchange.Finished{Stamp: moment(1, 0), Outcome: exchange.OutcomeRefused, Cause: cause})
		if !strings.HasSuffix(got, " "+want+"\n") {
			t.Errorf("%q gives %s", cause, got)
		}
	}
}

// What traffic brings can neither end a line nor move a cursor.
func TestALineHoldsNothingThatATerminalObeys(t *testing.T) {
	got := observed(false,
		exchange.Received{Stamp: moment(1, 0), Method: "G\x1b[2J", Target: "/\r\n\u202e\x9b", Call: exchange.Call{Model: "m\x07\u009b"}},
		exchange.Finished{Stamp: moment(1, 0), Outcome: exchange.OutcomeFailed, Cause: "a\nb"},
	)
	for _, c := range strings.TrimSuffix(got, "\n") {
		if c < ' ' || c > '~' {
			t.Errorf("%q holds %q", got, c)
		}
	}
	if strings.Count(got, "\n") != 1 {
		t.Errorf("%q is not one line", got)
	}
	if s := observed(true, exchange.Received{Stamp: moment(1, 0), Target: "/\n\x1b"}, exchange.Finished{Stamp: moment(1, 0)}); strings.Count(s, "\n") != 1 || !json.Valid([]byte(s)) {
		t.Errorf("%q is not one line of JSON", s)
	}
}

// A log that nobody reads must not hold the traffic.
func TestAStoppedReaderHoldsNobodyAndIsToldWhatItMissed(t *testing.T) {
	in, out := io.Pipe()
	l := newLines(out)
	for range linesKept * 2 { // returns, though nobody reads
		l.put("x")
	}
	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(in)
		read <- string(b)
	}()
	l.close()
	l.put("late") // after the end: nothing happens
	out.Close()
	got := <-read
	lines := strings.Count(got, "x\n")
	if lines < linesKept || lines > linesKept+2 || !strings.Contains(got, "left out, since nobody read") || strings.Contains(got, "late") {
		t.Errorf("%d of %d lines came through, %q...", lines, linesKept*2, got[:min(len(got), 80)])
	}
}
