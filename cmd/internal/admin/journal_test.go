package admin

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

var interrupted = exchange.Entry{
	ID: 12, Key: "00112233445566ff", Scope: "POST https://h/v1/chat", State: exchange.Interrupted, Last: exchange.INTERRUPTED,
	Attempts: 1, Risk: exchange.RiskCharged, Model: "m", CreatedAt: at, UpdatedAt: at.Add(time.Second),
}

const interruptedJSON = `"id":"12","key":"00112233445566ff","scope":"POST https://h/v1/chat","state":"interrupted","last_event":"INTERRUPTED","attempts":1,"accepted":false,"risk":2,"model":"m","stream":false,"created_at":"2026-01-02T02:04:05.678901Z","updated_at":"2026-01-02T02:04:06.678901Z"`

func TestTheJournalIsListedAsItsQueryAsks(t *testing.T) {
	p := start(t)
	p.entries = []exchange.Entry{interrupted, {ID: 3, State: exchange.Preparing}}
	status, got := p.answer("GET", "/v1/journal?state=interrupted&key=00112233445566ff&before=40&limit=2", "")
	want := `{"requests":[{` + interruptedJSON + `},{"id":"3","key":"","scope":"","state":"preparing","last_event":null,"attempts":0,"accepted":false,"risk":0,"model":null,"stream":false,"created_at":null,"updated_at":null}]}`
	if status != 200 {
		t.Errorf("status %d", status)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(exchange.Page{State: exchange.Interrupted, Key: "00112233445566ff", Before: 40, Limit: 2}, p.asked); d != "" {
		t.Error(d)
	}
}

func TestAQueryThatCannotBeMeantIs400(t *testing.T) {
	p := start(t)
	for _, path := range []string{
		"/v1/journal?state=dead", "/v1/journal?before=x", "/v1/journal?limit=0", "/v1/journal?limit=1001", "/v1/journal?limit=-1",
		"/v1/journal?stat=killed", "/v1/journal?limit=1&limit=2", "/v1/journal?a=%zz", "/v1/exchanges?limit=x", "/v1/exchanges?state=done",
	} {
		if status, got := p.answer("GET", path, ""); status != 400 || !strings.Contains(got, ";") {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

func TestARowHasItsEventsAttemptsRequestAndResult(t *testing.T) {
	p := start(t)
	p.dossier = exchange.Dossier{
		Entry: interrupted,
		Events: []exchange.Event{
			{Seq: 4, Name: exchange.ATTEMPT, Attempt: 1, At: at, Detail: exchange.Detail{N: 1}},
			{Seq: 5, Name: exchange.SENT, Attempt: 1, At: at},
			{Seq: 6, Name: exchange.CACHEHIT, At: at},
		},
		Attempts: []exchange.Attempt{
			{N: 1, StartedAt: at},
			{N: 2, StartedAt: at, EndedAt: at, Outcome: exchange.OutcomeCompleted, Status: 200, Bytes: 2, Raw: []byte("{}"), Error: "e"},
			{N: 3, Raw: []byte{0x1f, 0x8b}},
		},
		Intent: exchange.Intent{Method: "POST", Target: "/v1/chat", Header: exchange.Header{{Name: "Accept", Value: "*/*"}}, Body: []byte(`{"a":1}`)},
		Result: &exchange.Result{Status: 200, Header: exchange.Header{{Name: "Date", Value: "now"}}, Body: []byte("{}"), Accepted: at},
	}
	status, got := p.answer("GET", "/v1/journal/12", "")
	const when = `"2026-01-02T02:04:05.678901Z"`
	want := `{` + interruptedJSON +
		`,"events":[{"seq":4,"event":"ATTEMPT","attempt":1,"ts":` + when + `,"detail":{"n":1,"after":null}},{"seq":5,"event":"SENT","attempt":1,"ts":` + when + `,"detail":null},{"seq":6,"event":"CACHE_HIT","attempt":null,"ts":` + when + `,"detail":null}]` +
		`,"attempt_list":[{"n":1,"started_at":` + when + `,"ended_at":null,"outcome":null,"status":null,"bytes":0,"raw":null,"error":null},` +
		`{"n":2,"started_at":` + when + `,"ended_at":` + when + `,"outcome":"completed","status":200,"bytes":2,"raw":"{}","error":"e"},` +
		`{"n":3,"started_at":null,"ended_at":null,"outcome":null,"status":null,"bytes":0,"raw":null,"raw_base64":"H4s=","error":null}]` +
		`,"request":{"method":"POST","target":"/v1/chat","headers":[{"name":"Accept","value":"*/*"}],"body":"{\"a\":1}"}` +
		`,"result":{"status":200,"headers":[{"name":"Date","value":"now"}],"body":"{}","accepted_at":` + when + `}}`
	if status != 200 {
		t.Errorf("status %d", status)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	p.dossier.Result = nil
	if _, got = p.answer("GET", "/v1/journal/12", ""); !strings.HasSuffix(got, `"result":null}`) {
		t.Errorf("without a result: %s", got)
	}
}

func TestRetryIsPassedOnWithWhatTheCallerTakesUponItself(t *testing.T) {
	for body, how := range map[string]exchange.Retry{
		"":                            {},
		"{}":                          {},
		`{"confirm":true}`:            {Confirm: true},
		`{"new":true}`:                {Confirm: true, New: true},
		`{"confirm":true,"new":true}`: {Confirm: true, New: true},
	} {
		p := start(t)
		status, got := p.answer("POST", "/v1/journal/12/retry", body)
		if status != 202 || got != `{"id":"12","attempt":2,"exchange_id":"70"}` {
			t.Errorf("%s: %d %s", body, status, got)
		}
		if d := cmp.Diff([]any{int64(12), how}, p.retried); d != "" {
			t.Errorf("%s: %s", body, d)
		}
	}
}

func TestAJournalThatCannotBeReadIs500WithTheReason(t *testing.T) {
	p := start(t)
	p.refuse = errors.New("reading the journal: disk I/O error")
	if status, got := p.answer("GET", "/v1/journal", ""); status != 500 || !strings.Contains(got, "disk I/O") {
		t.Errorf("%d %s", status, got)
	}
}
