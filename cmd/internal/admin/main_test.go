package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "correct-horse"

// at is when everything in these tests happened.
var at = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", 3600))

// program is the admin face with rooms that say what they are told to.
type program struct {
	http.Handler
	*testing.T
	board *live.Board

	killed  exchange.ID
	retried []any
	purged  string
	asked   exchange.Page
	refuse  error
	entries []exchange.Entry
	dossier exchange.Dossier
}

func (p *program) Kill(id exchange.ID) (exchange.Phase, error) {
	p.killed = id
	return exchange.PhaseStreaming, p.refuse
}

func (p *program) Retry(row int64, how exchange.Retry) (exchange.Started, error) {
	p.retried = []any{row, how}
	return exchange.Started{ID: 70, Row: row, Attempt: 2}, p.refuse
}

func (p *program) Purge(pattern string) (int, error) {
	p.purged = pattern
	return 3, p.refuse
}

func (p *program) List(page exchange.Page) ([]exchange.Entry, error) {
	p.asked = page
	return p.entries, p.refuse
}

func (p *program) Dossier(row int64) (exchange.Dossier, error) {
	if row != p.dossier.Entry.ID {
		return exchange.Dossier{}, &exchange.Refusal{Kind: exchange.NotFound, Why: "There is no such row."}
	}
	return p.dossier, p.refuse
}

func start(t *testing.T) *program {
	p := &program{T: t, board: live.NewBoard(0)}
	p.board.WatchLoads(func() []exchange.Load {
		return []exchange.Load{{Route: "chat", Slots: 4, InUse: 3, Waiting: 2, Shed: 20, BufferBytes: 5, BufferLimit: 64, Fallback: 1, ActiveStreams: 9}}
	})
	p.Handler = New(Options{
		Control: p, Present: p.board, Past: p, Port: 8246, Token: secret,
		AllowOrigins: []string{"http://app.local:3000"}, AllowHosts: []string{"box.local"},
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "metric 1\n") }),
	})
	return p
}

// request is one that passes the gate and has the token.
func request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:8246"
	r.Header.Set("Authorization", "Bearer "+secret)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (p *program) do(r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

// answer sends a good request and returns the status and the JSON.
func (p *program) answer(method, target, body string) (int, string) {
	p.Helper()
	res := p.do(request(method, target, body))
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	if !json.Valid(b) {
		p.Errorf("%s %s is not answered with JSON: %s", method, target, b)
	}
	return res.StatusCode, strings.TrimSpace(string(b))
}
