package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tailrace/proxy/exchange"
)

// reply writes a value as JSON. All values are structs of this package, which
// always marshal.
func reply(w http.ResponseWriter, status int, v any) {
	send(w, "application/json", status, v)
}

func send(w http.ResponseWriter, kind string, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // a client that has left needs no answer
}

// problem is RFC 9457 with one member of our own.
type problem struct {
	Type   string         `json:"type"`
	Title  string         `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail"`
	Risk   *exchange.Risk `json:"risk,omitempty"` // of a retry that wants to be confirmed
}

// say answers with a problem in one sentence.
func say(w http.ResponseWriter, status int, sentence string) {
	send(w, "application/problem+json", status, problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: sentence,
	})
}

// refuse answers with the reason why something was not done.
func refuse(w http.ResponseWriter, err error) {
	no := (*exchange.Refusal)(nil)
	if !errors.As(err, &no) {
		say(w, http.StatusInternalServerError, err.Error())
		return
	}
	p := problem{Type: "about:blank", Status: http.StatusConflict, Detail: no.Why}
	switch no.Kind {
	case exchange.NotFound:
		p.Status = http.StatusNotFound
	case exchange.NeedsConfirm:
		p.Risk = &no.Risk
	}
	p.Title = http.StatusText(p.Status)
	send(w, "application/problem+json", p.Status, p)
}

// A value that does not exist yet is null: never a zero time, a status 0 or an
// empty word that a reader would have to know the meaning of.

// instant is a time in RFC 3339 with microseconds, in UTC.
type instant time.Time

// MarshalJSON gives null for the zero time.
func (t instant) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000000Z07:00"`)), nil
}

// some returns nil for a zero value.
func some[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// clip bounds what a client sent before it is repeated to it.
func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}
