package admin

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"tailrace/proxy/exchange"
)

type eventJSON struct {
	Seq     int64              `json:"seq"`
	Event   exchange.EventName `json:"event"`
	Attempt *int               `json:"attempt"`
	TS      instant            `json:"ts"`
	Detail  json.RawMessage    `json:"detail"`
}

type attemptJSON struct {
	N         int               `json:"n"`
	StartedAt instant           `json:"started_at"`
	EndedAt   instant           `json:"ended_at"`
	Outcome   *exchange.Outcome `json:"outcome"`
	Status    *int              `json:"status"`
	Bytes     int64             `json:"bytes"`
	Raw       *string           `json:"raw"`
	RawBase64 *string           `json:"raw_base64,omitempty"`
	Error     *string           `json:"error"`
}

type requestJSON struct {
	Method     string      `json:"method"`
	Target     string      `json:"target"`
	Headers    []fieldJSON `json:"headers"`
	Body       *string     `json:"body"`
	BodyBase64 *string     `json:"body_base64,omitempty"`
}

type resultJSON struct {
	Status     int         `json:"status"`
	Headers    []fieldJSON `json:"headers"`
	Body       *string     `json:"body"`
	BodyBase64 *string     `json:"body_base64,omitempty"`
	AcceptedAt instant     `json:"accepted_at"`
}

type fieldJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type oneRowJSON struct {
	rowJSON
	Events      []eventJSON   `json:"events"` // oldest first
	AttemptList []attemptJSON `json:"attempt_list"`
	Request     requestJSON   `json:"request"`
	Result      *resultJSON   `json:"result"`
}

// GET /v1/journal/{id}
func (f *face) row(w http.ResponseWriter, _ *http.Request, id string) {
	n, ok := rowID(w, id)
	if !ok {
		return
	}
	d, err := f.Past.Dossier(n)
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, dossierOf(&d))
}

func dossierOf(d *exchange.Dossier) oneRowJSON {
	one := oneRowJSON{
		rowJSON: rowOf(&d.Entry),
		Events:  make([]eventJSON, len(d.Events)), AttemptList: make([]attemptJSON, len(d.Attempts)),
		Request: requestJSON{Method: d.Intent.Method, Target: d.Intent.Target, Headers: fields(d.Intent.Header)},
	}
	one.Request.Body, one.Request.BodyBase64 = text(d.Intent.Body)
	for i := range d.Events {
		e := &d.Events[i]
		one.Events[i] = eventJSON{Seq: e.Seq, Event: e.Name, Attempt: some(e.Attempt), TS: instant(e.At), Detail: detail(e)}
	}
	for i := range d.Attempts {
		a := &d.Attempts[i]
		one.AttemptList[i] = attemptJSON{
			N: a.N, StartedAt: instant(a.StartedAt), EndedAt: instant(a.EndedAt), Outcome: some(a.Outcome),
			Status: some(a.Status), Bytes: a.Bytes, Error: some(a.Error),
		}
		one.AttemptList[i].Raw, one.AttemptList[i].RawBase64 = text(a.Raw)
	}
	if r := d.Result; r != nil {
		one.Result = &resultJSON{Status: r.Status, Headers: fields(r.Header), AcceptedAt: instant(r.Accepted)}
		one.Result.Body, one.Result.BodyBase64 = text(r.Body)
	}
	return one
}

// text gives bytes as a string, or in base64 when a string could not hold them
// without changing them (a compressed body).
func text(b []byte) (plain, coded *string) {
	switch {
	case b == nil:
		return nil, nil
	case utf8.Valid(b):
		s := string(b)
		return &s, nil
	}
	s := base64.StdEncoding.EncodeToString(b)
	return nil, &s
}

func fields(h exchange.Header) []fieldJSON {
	out := make([]fieldJSON, len(h))
	for i, f := range h {
		out[i] = fieldJSON(f)
	}
	return out
}
