package admin

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
)

// rowJSON is a row of the journal in the list.
type rowJSON struct {
	ID        string              `json:"id"`
	Key       string              `json:"key"`
	Scope     string              `json:"scope"`
	State     exchange.RowState   `json:"state"`
	LastEvent *exchange.EventName `json:"last_event"`
	Attempts  int                 `json:"attempts"`
	Accepted  bool                `json:"accepted"`
	Risk      exchange.Risk       `json:"risk"`
	Model     *string             `json:"model"`
	Stream    bool                `json:"stream"`
	CreatedAt instant             `json:"created_at"`
	UpdatedAt instant             `json:"updated_at"`
}

func rowOf(e *exchange.Entry) rowJSON {
	return rowJSON{
		ID: strconv.FormatInt(e.ID, 10), Key: e.Key, Scope: e.Scope, State: e.State, LastEvent: some(e.Last),
		Attempts: e.Attempts, Accepted: e.Accepted, Risk: e.Risk, Model: some(e.Model), Stream: e.Stream,
		CreatedAt: instant(e.CreatedAt), UpdatedAt: instant(e.UpdatedAt),
	}
}

var states = []exchange.RowState{
	exchange.Preparing, exchange.InFlight, exchange.Streaming, exchange.Accepted, exchange.RetryWait,
	exchange.NotSent, exchange.Rejected, exchange.Uncertain, exchange.Partial, exchange.Interrupted,
	exchange.Killed, exchange.DeadLetter, exchange.Discarded,
}

// GET /v1/journal?state=&key=&before=&limit=, newest first.
func (f *face) journal(w http.ResponseWriter, r *http.Request, _ string) {
	q, ok := queryOf(w, r, "state", "key", "before", "limit")
	if !ok {
		return
	}
	p := exchange.Page{State: exchange.RowState(q.Get("state")), Key: q.Get("key")}
	if p.State != "" && !slices.Contains(states, p.State) {
		names := make([]string, len(states))
		for i, s := range states {
			names[i] = string(s)
		}
		say(w, http.StatusBadRequest, "state="+clip(string(p.State))+" is not known; use one of "+strings.Join(names, ", "))
		return
	}
	if p.Before, ok = number(w, q, "before", math.MaxInt64); !ok {
		return
	}
	limit, ok := number(w, q, "limit", 1000)
	if !ok {
		return
	}
	p.Limit = int(limit)
	entries, err := f.Past.List(p)
	if err != nil {
		refuse(w, err)
		return
	}
	list := make([]rowJSON, len(entries))
	for i := range entries {
		list[i] = rowOf(&entries[i])
	}
	reply(w, http.StatusOK, struct {
		Requests []rowJSON `json:"requests"`
	}{list})
}

// POST /v1/journal/{id}/retry
func (f *face) retry(w http.ResponseWriter, r *http.Request, id string) {
	var how struct {
		Confirm bool `json:"confirm"`
		New     bool `json:"new"`
	}
	if !body(w, r, &how) {
		return
	}
	n, ok := rowID(w, id)
	if !ok {
		return
	}
	// Whoever asks for a new run of an answered request has said that it may cost.
	started, err := f.Control.Retry(n, exchange.Retry{Confirm: how.Confirm || how.New, New: how.New})
	if err != nil {
		refuse(w, f.asNew(n, err))
		return
	}
	reply(w, http.StatusAccepted, struct {
		ID       string `json:"id"` // of the row, which with "new" is another one
		Attempt  int    `json:"attempt"`
		Exchange string `json:"exchange_id"` // what to kill
	}{strconv.FormatInt(started.Row, 10), started.Attempt, started.ID.String()})
}

// asNew adds to the refusal of an answered row what this port takes for "run it
// as new".
func (f *face) asNew(row int64, err error) error {
	no := (*exchange.Refusal)(nil)
	if !errors.As(err, &no) || no.Kind != exchange.NotNow {
		return err
	}
	if d, unknown := f.Past.Dossier(row); unknown != nil || !d.Entry.Accepted {
		return err
	}
	said := *no
	said.Why += ` (send {"new":true})`
	return &said
}

func rowID(w http.ResponseWriter, id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 {
		say(w, http.StatusNotFound, "there is no row "+clip(id)+" in the journal; look at /v1/journal")
		return 0, false
	}
	return n, true
}

// detail passes the members of an event on as they are written.
func detail(e *exchange.Event) json.RawMessage {
	if s := e.JSON(); s != "" {
		return json.RawMessage(s)
	}
	return json.RawMessage("null")
}
