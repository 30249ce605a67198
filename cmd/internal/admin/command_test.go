package admin

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestABodyThatIsNoCommandIsRefused(t *testing.T) {
	p := start(t)
	for _, tt := range []struct {
		kind, body string
		want       int
	}{
		{"application/json", "{", 400},
		{"application/json", "[]", 400},
		{"application/json", `{"confirm":"yes"}`, 400},
		{"application/json", `{"sure":true}`, 400},
		{"application/json", `{} {}`, 400},
		{"application/json; charset=utf-8", `{}`, 202},
		{"application/json", strings.Repeat(" ", 65<<10), 413},
		{"text/plain", `{}`, 415},
		{"Text/Plain ;charset=\"", `{}`, 415},
		{"application/x-www-form-urlencoded", "confirm=true", 415},
		{"application/x-www-form-urlencoded", `{"confirm":true}`, 415},
		{"multipart/form-data; boundary=x", `{"confirm":true}`, 415},
		{"", `{"confirm":true}`, 202},
		{"application/octet-stream", `{}`, 202},
		{"", "confirm=true", 400},
	} {
		r := request("POST", "/v1/journal/12/retry", tt.body)
		r.Header.Set("Content-Type", tt.kind)
		if tt.kind == "" {
			r.Header.Del("Content-Type")
		}
		p.retried = nil
		if got := p.do(r).StatusCode; got != tt.want || (p.retried != nil) != (tt.want == 202) {
			t.Errorf("%s %.20q: %d, want %d; retried %v", tt.kind, tt.body, got, tt.want, p.retried)
		}
	}
}

func TestAnotherMethodIs405AndNamesTheRightOne(t *testing.T) {
	p := start(t)
	for path, allow := range map[string]string{
		"/v1/exchanges": "GET, HEAD", "/v1/journal/1": "GET, HEAD", "/healthz": "GET, HEAD", "/v1/purge": "POST",
		"/v1/exchanges/1/kill": "POST", "/v1/journal/1/retry": "POST",
	} {
		res := p.do(request("DELETE", path, ""))
		if res.StatusCode != 405 || res.Header.Get("Allow") != allow || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d, Allow %q", path, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	if status, _ := p.answer("GET", "/v1/exchanges/1/kill", ""); status != 405 || p.killed != 0 {
		t.Errorf("a GET that kills: %d, killed %d", status, p.killed)
	}
	if res := p.do(request("HEAD", "/v1/queue", "")); res.StatusCode != 200 {
		t.Errorf("HEAD is answered %d", res.StatusCode)
	}
}

func TestPurgeSaysHowManyEntriesAreGone(t *testing.T) {
	p := start(t)
	if status, got := p.answer("POST", "/v1/purge", `{"pattern":"/images/*"}`); status != 200 || got != `{"purged":3}` || p.purged != "/images/*" {
		t.Errorf("%d %s, purged %q", status, got, p.purged)
	}
	p.purged = ""
	for _, body := range []string{"", "{}"} {
		if status, _ := p.answer("POST", "/v1/purge", body); status != 400 || p.purged != "" {
			t.Errorf("without a pattern: %d, purged %q", status, p.purged)
		}
	}
}

func TestTheQueueIsReadAtOneMoment(t *testing.T) {
	status, got := start(t).answer("GET", "/v1/queue", "")
	want := `{"routes":[{"route":"chat","slots":4,"in_use":3,"waiting":2,"shed_total":20,"buffer_bytes":5,"buffer_limit":64,"fallback_total":1}]}`
	if status != 200 || got != want {
		t.Errorf("%d %s", status, got)
	}
}

func TestHealthAndMetricsAnswer(t *testing.T) {
	p := start(t)
	if status, got := p.answer("GET", "/healthz", ""); status != 200 || got != `{"status":"ok"}` {
		t.Errorf("%d %s", status, got)
	}
	b, err := io.ReadAll(p.do(request("GET", "/metrics", "")).Body)
	if err != nil || string(b) != "metric 1\n" {
		t.Errorf("%s %v", b, err)
	}
}

func TestAPanicIsContained(t *testing.T) {
	p := start(t)
	p.Handler.(*face).Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })
	if status, got := p.answer("GET", "/metrics", ""); status != 500 || strings.Contains(got, "goroutine") {
		t.Errorf("%d %s", status, got)
	}
}

// What a client sends is repeated to it only in part.
func TestALongPathIsNotRepeatedInFull(t *testing.T) {
	_, got := start(t).answer("GET", "/"+strings.Repeat("x", 5000), "")
	if len(got) > 1000 {
		t.Errorf("answer of %d bytes", len(got))
	}
}

// The sentence for people says "run it as new"; a program needs to know how.
func TestTheRefusalOfAnAnsweredRowNamesTheWayToRunItAsNew(t *testing.T) {
	for accepted, named := range map[bool]bool{true: true, false: false} {
		p := start(t)
		no := &exchange.Refusal{Kind: exchange.NotNow, Why: "not now"}
		p.dossier.Entry = exchange.Entry{ID: 12, Accepted: accepted}
		p.Handler = New(Options{Control: refusing{no}, Present: p.board, Past: p, Port: 8246, Token: secret})
		if status, got := p.answer("POST", "/v1/journal/12/retry", ""); status != 409 || strings.Contains(got, `{\"new\":true}`) != named {
			t.Errorf("accepted %v: %d %s", accepted, status, got)
		}
		if no.Why != "not now" {
			t.Errorf("the refusal itself became %q", no.Why)
		}
	}
}

// refusing carries out nothing.
type refusing struct{ why error }

func (r refusing) Kill(exchange.ID) (exchange.Phase, error) { return "", r.why }
func (r refusing) Purge(string) (int, error)                { return 0, r.why }
func (r refusing) Retry(int64, exchange.Retry) (exchange.Started, error) {
	return exchange.Started{}, r.why
}
