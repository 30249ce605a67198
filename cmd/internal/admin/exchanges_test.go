package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

// happen puts two exchanges on the board: one that has only arrived, and one
// that has ended.
func (p *program) happen() {
	stamp := func(id exchange.ID, after time.Duration) exchange.Stamp {
		return exchange.Stamp{ID: id, At: at.Add(after)}
	}
	for _, f := range []exchange.Fact{
		exchange.Received{
			Stamp: stamp(1, 0), Method: "POST", Target: "/v1/chat/completions", Route: "openai", Client: "127.0.0.1:5",
			Call: exchange.Call{Key: "00112233445566ff", Model: "m", Declared: exchange.DeclaredBody},
		},
		exchange.Decided{Stamp: stamp(1, 0), Verdict: exchange.Verdict{XCache: exchange.BYPASS, Reason: "declared-stream-body"}},
		exchange.Sent{Stamp: stamp(1, time.Millisecond), Origin: "h:443", Row: 12, Attempt: 2},
		exchange.Answered{Stamp: stamp(1, time.Second), Status: 200, Verdict: exchange.Verdict{XCache: exchange.BYPASS, Source: exchange.SourceOrigin, Reason: "declared-stream-body"}},
		exchange.Finished{Stamp: stamp(1, 2*time.Second), Status: 200, BytesOut: 321, Outcome: exchange.OutcomeCompleted},
		exchange.Received{Stamp: stamp(2, 0), Method: "GET", Target: "/x?key=%5Bredacted%5D"},
	} {
		p.board.Observe(f)
	}
}

func TestExchangesAreListedNewestFirstWithNullForWhatIsNotThere(t *testing.T) {
	p := start(t)
	p.happen()
	status, got := p.answer("GET", "/v1/exchanges", "")
	want := `{"exchanges":[` +
		`{"id":"2","method":"GET","path":"/x?key=%5Bredacted%5D","route":null,"phase":"received","status":null,"x_cache":null,"x_cache_source":null,"reason":null,"key":null,"attempt":null,"bytes_out":0,"started_at":"2026-01-02T02:04:05.678901Z","ended_at":null,"outcome":null,"journal_id":null},` +
		`{"id":"1","method":"POST","path":"/v1/chat/completions","route":"openai","phase":"done","status":200,"x_cache":"BYPASS","x_cache_source":"origin","reason":"declared-stream-body","key":"00112233445566ff","attempt":2,"bytes_out":321,"started_at":"2026-01-02T02:04:05.678901Z","ended_at":"2026-01-02T02:04:07.678901Z","outcome":"completed","journal_id":"12"}]}`
	if status != 200 {
		t.Errorf("status %d", status)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, got = p.answer("GET", "/v1/exchanges?limit=1", ""); strings.Count(got, `"id"`) != 1 || !strings.Contains(got, `"id":"2"`) {
		t.Errorf("limit=1 gives %s", got)
	}
}

func TestAnEmptyListIsAListNotNull(t *testing.T) {
	p := start(t)
	for path, want := range map[string]string{"/v1/exchanges": `{"exchanges":[]}`, "/v1/journal": `{"requests":[]}`} {
		if _, got := p.answer("GET", path, ""); got != want {
			t.Errorf("%s gives %s", path, got)
		}
	}
}

func TestOneExchangeTellsMore(t *testing.T) {
	p := start(t)
	p.happen()
	status, got := p.answer("GET", "/v1/exchanges/1", "")
	for _, want := range []string{`"id":"1"`, `"outcome":"completed"`, `"model":"m"`, `"origin":"h:443"`, `"declared_by":"body"`, `"stream":true`, `"cause":null`, `"head_at":null`} {
		if status != 200 || !strings.Contains(got, want) {
			t.Errorf("%d without %s: %s", status, want, got)
		}
	}
}

func TestKillIsPassedOnAndAnsweredWithThePhase(t *testing.T) {
	for _, body := range []string{"", "{}"} {
		p := start(t)
		status, got := p.answer("POST", "/v1/exchanges/7/kill", body)
		if status != 202 || got != `{"id":"7","phase":"streaming"}` || p.killed != 7 {
			t.Errorf("body %q: %d %s, killed %d", body, status, got, p.killed)
		}
	}
}

func TestWhatIsNotThereIs404AndWhatIsNotAllowedNow409(t *testing.T) {
	p := start(t)
	for path, kinds := range map[string]string{"/v1/exchanges/7/kill": "", "/v1/journal/7/retry": ""} {
		for _, tt := range []struct {
			refusal exchange.Refusal
			want    int
			body    string
		}{
			{exchange.Refusal{Kind: exchange.NotFound, Why: "There is none."}, 404, `{"type":"about:blank","title":"Not Found","status":404,"detail":"There is none."}`},
			{exchange.Refusal{Kind: exchange.NotNow, Why: "Already finished."}, 409, `{"type":"about:blank","title":"Conflict","status":409,"detail":"Already finished."}`},
			{exchange.Refusal{Kind: exchange.NeedsConfirm, Why: "It may cost.", Risk: exchange.RiskCharged}, 409, `{"type":"about:blank","title":"Conflict","status":409,"detail":"It may cost.","risk":2}`},
		} {
			p.refuse = &tt.refusal
			status, got := p.answer("POST", path, kinds)
			if status != tt.want || got != tt.body {
				t.Errorf("%s: %d %s, want %s", path, status, got, tt.body)
			}
		}
	}
	p.refuse = nil
	for _, path := range []string{"/v1/exchanges/1", "/v1/exchanges/x", "/v1/exchanges/-1", "/v1/journal/9", "/v1/journal/x", "/v1/journal/0", "/", "/v1", "/v1/exchanges/", "/v1/exchanges/1/2", "/healthz/"} {
		if status, got := p.answer("GET", path, ""); status != 404 || !strings.Contains(got, `"detail":"`) {
			t.Errorf("GET %s: %d %s", path, status, got)
		}
	}
	for _, path := range []string{"/v1/exchanges/x/kill", "/v1/journal/x/retry", "/v1/exchanges//kill"} {
		if status, _ := p.answer("POST", path, ""); status != 404 {
			t.Errorf("POST %s: %d", path, status)
		}
	}
}
