package admin

import (
	"math"
	"net/http"
	"strconv"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// exchangeJSON is an exchange in the list.
type exchangeJSON struct {
	ID        string            `json:"id"`
	Method    string            `json:"method"`
	Path      string            `json:"path"` // with its query, secrets redacted
	Route     *string           `json:"route"`
	Phase     exchange.Phase    `json:"phase"`
	Status    *int              `json:"status"`
	XCache    *exchange.XCache  `json:"x_cache"`
	Source    *exchange.Source  `json:"x_cache_source"`
	Reason    *string           `json:"reason"`
	Key       *string           `json:"key"`
	Attempt   *int              `json:"attempt"`
	BytesOut  int64             `json:"bytes_out"`
	StartedAt instant           `json:"started_at"`
	EndedAt   instant           `json:"ended_at"`
	Outcome   *exchange.Outcome `json:"outcome"`
	JournalID *string           `json:"journal_id"`
}

func exchangeOf(s *exchange.State) exchangeJSON {
	e := exchangeJSON{
		ID: s.ID.String(), Method: s.Method, Path: s.Target, Route: some(s.Route), Phase: s.Phase,
		Status: some(s.Status), XCache: some(s.Verdict.XCache), Source: some(s.Verdict.Source),
		Reason: some(s.Verdict.Reason), Key: some(s.Key), Attempt: some(s.Attempt), BytesOut: s.BytesOut,
		StartedAt: instant(s.Started), EndedAt: instant(s.Ended), Outcome: some(s.Outcome),
	}
	if s.Row != 0 {
		e.JournalID = some(strconv.FormatInt(s.Row, 10))
	}
	return e
}

// oneExchangeJSON adds what only the look at one exchange tells.
type oneExchangeJSON struct {
	exchangeJSON
	Client     *string              `json:"client"`
	Origin     *string              `json:"origin"`
	Model      *string              `json:"model"`
	Stream     bool                 `json:"stream"`
	Declared   *exchange.DeclaredBy `json:"declared_by"`
	Undeclared bool                 `json:"undeclared"`
	Place      *int                 `json:"queue_place"`
	BytesIn    int64                `json:"bytes_in"`
	Events     int                  `json:"events"`
	Tokens     int                  `json:"output_tokens"`
	Exact      bool                 `json:"tokens_exact"`
	SentAt     instant              `json:"sent_at"`
	HeadAt     instant              `json:"head_at"`
	FirstToken instant              `json:"first_token_at"`
	Cause      *string              `json:"cause"`
	Text       *string              `json:"text"`
}

// GET /v1/exchanges?limit=, newest first.
func (f *face) exchanges(w http.ResponseWriter, r *http.Request, _ string) {
	q, ok := queryOf(w, r, "limit")
	if !ok {
		return
	}
	limit, ok := number(w, q, "limit", math.MaxInt32)
	if !ok {
		return
	}
	if limit == 0 {
		limit = math.MaxInt32 // the board itself is bounded
	}
	rows := f.Present.Snapshot(live.Query{Limit: int(limit)}).Rows
	list := make([]exchangeJSON, len(rows))
	for i := range rows {
		list[i] = exchangeOf(&rows[i])
	}
	reply(w, http.StatusOK, struct {
		Exchanges []exchangeJSON `json:"exchanges"`
	}{list})
}

// GET /v1/exchanges/{id}
func (f *face) exchange(w http.ResponseWriter, _ *http.Request, id string) {
	n, err := exchange.ParseID(id)
	s, ok := exchange.State{}, false
	if err == nil {
		s, ok = f.Present.State(n)
	}
	if !ok {
		noExchange(w, id)
		return
	}
	reply(w, http.StatusOK, oneExchangeJSON{
		exchangeJSON: exchangeOf(&s), Client: some(s.Client), Origin: some(s.Origin), Model: some(s.Call.Model),
		Stream: s.Stream || s.Call.Stream(), Declared: some(s.Call.Declared), Undeclared: s.Undeclared,
		Place: some(s.Place), BytesIn: s.Bytes, Events: s.Events, Tokens: s.Usage.Output, Exact: s.Usage.Exact,
		SentAt: instant(s.SentAt), HeadAt: instant(s.HeadAt), FirstToken: instant(s.FirstToken),
		Cause: some(s.Cause), Text: some(s.Text),
	})
}

// POST /v1/exchanges/{id}/kill
func (f *face) kill(w http.ResponseWriter, r *http.Request, id string) {
	if !body(w, r, &struct{}{}) {
		return
	}
	n, err := exchange.ParseID(id)
	if err != nil {
		noExchange(w, id)
		return
	}
	phase, err := f.Control.Kill(n)
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusAccepted, struct {
		ID    string         `json:"id"`
		Phase exchange.Phase `json:"phase"`
	}{n.String(), phase})
}

func noExchange(w http.ResponseWriter, id string) {
	say(w, http.StatusNotFound, "there is no exchange "+clip(id)+", or it has left the list; look at /v1/exchanges or /v1/journal")
}
