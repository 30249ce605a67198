package journal

import (
	"bytes"
	"testing"

	"tailrace/proxy/exchange"
)

// complete stands in for the one of llm: a stream is whole when [DONE] came, and
// each "data:" before it is a token.
func complete(in exchange.Intent, head exchange.Head, body []byte) (exchange.Usage, bool) {
	whole := bytes.HasSuffix(body, []byte("data: [DONE]\n\n"))
	return exchange.Usage{Output: bytes.Count(body, []byte("data: {"))}, whole && in.Key != "" && len(in.Body) > 0 && head.Length == -1
}

// reopen ends a life of the file as kill -9 does and begins the next.
func reopen(t *testing.T, j *Journal) *Journal {
	t.Helper()
	crash(t, j)
	return open(t, j.path, Options{Complete: complete})
}

func headed(t *testing.T, j *Journal, c exchange.Claim, stream bool) {
	t.Helper()
	appended(t, j, exchange.Step{
		Claim: c, Events: []exchange.Event{{Name: exchange.HEADERS, Detail: exchange.Detail{Status: 200, Stream: stream}}},
		Head: &exchange.Head{Status: 200, Header: exchange.Header{{Name: "Content-Type", Value: "text/event-stream"}}},
	})
}

func TestAStreamThatIsWholeOnDiskIsAcceptedAtTheNextStartAndOwed(t *testing.T) {
	j := open1(t, newPath(t))
	c := claim(t, j, "a")
	headed(t, j, c, true)
	j.Record(c, []byte("data: {1}\n\n"))
	j.Record(c, []byte("data: [DONE]\n\n"))
	j.queue.wake()
	stored(t, j, 2)
	j = reopen(t, j)
	r := recall(t, j, "a")
	if r.Result == nil {
		t.Fatalf("recalled %+v", r)
	}
	same(t, "result", exchange.Result{
		Status: 200, Header: exchange.Header{{Name: "Content-Type", Value: "text/event-stream"}}, Body: []byte("data: {1}\n\ndata: [DONE]\n\n"),
		Stream: true, Usage: exchange.Usage{Output: 1}, Owed: true, Accepted: r.Result.Accepted,
	}, *r.Result)
	d := dossier(t, j, c.Row)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "COMPLETE/1"}, names(d.Events))
	same(t, "recovered", []exchange.Entry{d.Entry}, j.Recovered())
	if a := d.Attempts[0]; a.Outcome != exchange.OutcomeCompleted || a.Bytes != 25 {
		t.Errorf("attempt %+v", a)
	}
	checkFolds(t, j)
	if again := reopen(t, j); len(again.Recovered()) != 0 {
		t.Errorf("recovered once more: %+v", again.Recovered())
	}
}

func TestWhatADeadProcessLeftOpenIsMarkedWithHowFarItCame(t *testing.T) {
	j := open1(t, newPath(t))
	sent := claim(t, j, "sent")
	held := claim(t, j, "held")
	headed(t, j, held, false)
	cut := claim(t, j, "cut")
	headed(t, j, cut, true)
	j.Record(cut, []byte("data: {1}\n\ndata: {2}\n\n"))
	refused := claim(t, j, "refused") // whole, but an error is no answer
	appended(t, j, exchange.Step{Claim: refused, Events: []exchange.Event{{Name: exchange.HEADERS, Detail: exchange.Detail{Status: 429, Stream: true}}}})
	j.Record(refused, []byte("data: [DONE]\n\n"))
	draining := claim(t, j, "draining")
	headed(t, j, draining, true)
	appended(t, j, exchange.Step{Claim: draining, Events: []exchange.Event{{Name: exchange.CLIENTGONE}}})
	waiting := claim(t, j, "waiting")
	appended(t, j, exchange.Step{Claim: waiting, Events: []exchange.Event{{Name: exchange.TIMEOUT}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeFailed}})
	gone := claim(t, j, "gone")
	appended(t, j, exchange.Step{Claim: gone, Events: []exchange.Event{{Name: exchange.CLIENTGONE}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeClientGone}})
	j.queue.wake()
	stored(t, j, 2)
	j = reopen(t, j)

	type mark struct {
		Phase   string
		Tokens  int
		Attempt int
		Risk    exchange.Risk
	}
	got := map[string]mark{}
	for _, e := range j.Recovered() {
		d := dossier(t, j, e.ID)
		last := d.Events[len(d.Events)-1]
		if last.Name != exchange.INTERRUPTED || e.State != exchange.Interrupted {
			t.Errorf("row %d: %s, state %s", e.ID, last.Name, e.State)
		}
		if a := d.Attempts[0]; a.EndedAt.IsZero() || (last.Attempt > 0) != (a.Outcome == exchange.OutcomeInterrupted) {
			t.Errorf("row %d: attempt %+v", e.ID, a)
		}
		got[e.Preview] = mark{last.Detail.Phase, last.Detail.Tokens, last.Attempt, e.Risk}
	}
	same(t, "marks", map[string]mark{
		"say sent":     {"waiting", 0, 1, exchange.RiskCharged},
		"say held":     {"held", 0, 1, exchange.RiskCharged},
		"say cut":      {"streaming", 2, 1, exchange.RiskPaid},
		"say refused":  {"streaming", 0, 1, exchange.RiskCharged},
		"say draining": {"streaming", 0, 1, exchange.RiskCharged},
		"say waiting":  {"queued", 0, 0, exchange.RiskCharged},
	}, got)
	same(t, "what a client left", exchange.Uncertain, dossier(t, j, gone.Row).Entry.State)
	same(t, "raw", "data: {1}\n\ndata: {2}\n\n", string(dossier(t, j, cut.Row).Attempts[0].Raw))

	// The next request goes on with the row; the dead attempt can say nothing.
	next := appended(t, j, exchange.Step{Intent: intent("sent"), Row: sent.Row, Events: send(1)})
	same(t, "next attempt", exchange.Detail{N: 1, After: exchange.SENT, Last: exchange.INTERRUPTED}, dossier(t, j, next.Row).Events[3].Detail)
	checkFolds(t, j)
}

func TestACloseInOrderWithALiveAttemptIsSettledAtTheNextStartToo(t *testing.T) {
	path := newPath(t)
	closed(t, path)
	j := open(t, path, Options{Complete: complete})
	if r := j.Recovered(); len(r) != 1 || r[0].State != exchange.Interrupted {
		t.Errorf("recovered %+v", r)
	}
}
