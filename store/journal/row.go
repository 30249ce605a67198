package journal

import (
	"time"

	"tailrace/proxy/exchange"
)

// entryColumns are the columns of an exchange.Entry, in the order of
// entryFields, out of requests r and identities i.
const entryColumns = `r.id, r.request_key, i.scope, r.generation, r.duplicate_of, r.route, r.method, r.target,
	r.dialect, r.api, r.model, r.stream, r.preview, r.state, r.last_event, r.newest_event, r.after_event,
	r.attempts, r.accepted, r.owed, r.risk, r.prior_risk, r.tokens, r.created_at, r.updated_at`

const rowTables = ` FROM requests r JOIN identities i ON i.id = r.identity_id `

// entryTimes are the columns that need a second look after Scan.
type entryTimes struct{ created, updated int64 }

func entryFields(e *exchange.Entry, t *entryTimes) []any {
	return []any{
		&e.ID, &e.Key, &e.Scope, &e.Generation, &e.DuplicateOf, &e.Route, &e.Method, &e.Target,
		&e.Dialect, &e.API, &e.Model, &e.Stream, &e.Preview, &e.State, &e.Last, &e.Newest, &e.After,
		&e.Attempts, &e.Accepted, &e.Owed, &e.Risk, &e.Prior, &e.Tokens, &t.created, &t.updated,
	}
}

func (t entryTimes) fill(e *exchange.Entry) {
	e.CreatedAt, e.UpdatedAt = fromMicros(t.created), fromMicros(t.updated)
}

// row is a row of the journal in the writer's hands.
type row struct {
	exchange.Entry
	identity identity
	digest   []byte
	sha      []byte // of the request's body
	fence    int64
}

// identity is a scope and key, with its newest events over all generations.
type identity struct {
	id     int64 // 0: not seen yet
	newest exchange.EventName
	after  exchange.EventName
}

func (s *session) load(id int64) (*row, error) {
	r, t := &row{}, entryTimes{}
	dest := append(entryFields(&r.Entry, &t),
		&r.identity.id, &r.identity.newest, &r.identity.after, &r.digest, &r.sha, &r.fence)
	found, err := s.get("SELECT "+entryColumns+", i.id, i.newest_event, i.after_event, r.digest, r.body_sha256, r.fence"+
		rowTables+"WHERE r.id = ?", []any{id}, dest...)
	if err == nil && !found {
		return nil, refused{noRow(id)}
	}
	t.fill(&r.Entry)
	return r, err
}

// apply folds an event into the row and its identity, and gives it the form in
// which it will be read back: the fold of what is stored is what is stored.
func (r *row) apply(ev *exchange.Event, now time.Time) {
	if ev.At.IsZero() {
		ev.At = now
	}
	ev.At = fromMicros(micros(ev.At))
	ev.Row = r.ID
	if ev.Name == exchange.ATTEMPT {
		ev.Detail = exchange.Detail{N: ev.Detail.N, After: ev.Detail.After, Last: ev.Detail.Last}
	}
	r.Apply(*ev)
	r.identity.newest = ev.Name
	if ev.Name.Documented() {
		r.identity.after = ev.Name
	}
}

// save writes the projection and what the row has of its own.
func (s *session) save(r *row) error {
	if err := s.saveIdentity(r); err != nil {
		return err
	}
	_, err := s.exec(`UPDATE requests SET fence = ?, owed = ?, state = ?, last_event = ?, newest_event = ?, after_event = ?,
		attempts = ?, accepted = ?, risk = ?, prior_risk = ?, tokens = ?, updated_at = ? WHERE id = ?`,
		r.fence, r.Owed, string(r.State), string(r.Last), string(r.Newest), string(r.After),
		r.Attempts, r.Accepted, int(r.Risk), int(r.Prior), r.Tokens, micros(r.UpdatedAt), r.ID)
	return err
}

func (s *session) saveIdentity(r *row) error {
	_, err := s.exec("UPDATE identities SET newest_event = ?, after_event = ? WHERE id = ?",
		string(r.identity.newest), string(r.identity.after), r.identity.id)
	return err
}

// log appends events of a row, in order.
func (s *session) log(row int64, events []exchange.Event) error {
	for i := range events {
		ev := &events[i]
		var detail any
		if d := ev.JSON(); d != "" {
			detail = d
		}
		seq, err := s.insert("INSERT INTO events (request_id, attempt, event, ts, detail) VALUES (?, ?, ?, ?, ?)",
			row, ev.Attempt, string(ev.Name), micros(ev.At), detail)
		if err != nil {
			return err
		}
		ev.Seq = seq
		s.events++
	}
	return nil
}
