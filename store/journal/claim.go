package journal

import (
	"bytes"

	"tailrace/proxy/exchange"
)

// open writes a step that carries an intent: it creates a row or goes on with
// one, and opens an attempt when ATTEMPT is among the events.
func (a *appending) open(s *session) error {
	in := a.step.Intent
	r, err := a.claimRow(s)
	if err != nil {
		return err
	}
	old := r.sha
	n := 0
	for i := range a.step.Events {
		ev := &a.step.Events[i]
		if ev.Name == exchange.ATTEMPT {
			n = r.Attempts + 1
			r.fence++
			a.after(r, &ev.Detail)
		}
		ev.Attempt = n
		r.apply(ev, a.now)
	}
	if err := s.storeIntent(r, in, a.sha[:]); err != nil {
		return err
	}
	if old != nil && !bytes.Equal(old, a.sha[:]) {
		if _, err := s.exec("DELETE FROM bodies WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM requests WHERE body_sha256 = ?1)", old); err != nil {
			return err
		}
	}
	if n > 0 {
		id, err := s.openAttempt(r, n, a.now)
		if err != nil {
			return err
		}
		if a.step.End != nil {
			if err := s.end(id, a.step.End, a.now); err != nil {
				return err
			}
		}
	}
	a.claim = exchange.Claim{Row: r.ID, Attempt: n, Fence: r.fence}
	return s.log(r.ID, a.step.Events)
}

// claimRow loads the row that the step goes on with, or prepares a new one: the
// next generation of its scope and key.
func (a *appending) claimRow(s *session) (*row, error) {
	in := a.step.Intent
	if a.step.Row != 0 {
		r, err := s.load(a.step.Row)
		switch {
		case err != nil:
			return nil, err
		case r.Scope != in.Scope || r.Key != in.Key || !bytes.Equal(r.digest, in.Digest[:]):
			return nil, refuse("row %d is of another request: begin a new row", r.ID)
		case r.Accepted:
			return nil, refused{ErrAccepted}
		}
		return r, nil
	}
	r := &row{digest: in.Digest[:]}
	r.CreatedAt, r.UpdatedAt, r.State = a.now, a.now, exchange.Preparing
	if _, err := s.get("SELECT id, newest_event, after_event FROM identities WHERE request_key = ? AND scope = ?",
		[]any{in.Key, in.Scope}, &r.identity.id, &r.identity.newest, &r.identity.after); err != nil {
		return nil, err
	}
	_, err := s.get("SELECT id, generation FROM requests WHERE identity_id = ? ORDER BY generation DESC LIMIT 1",
		[]any{r.identity.id}, &r.DuplicateOf, &r.Generation)
	r.Generation++
	return r, err
}

// after fills in what ATTEMPT says of the time before it, where the caller left
// it open: the newest documented event of this scope and key, and the newest of
// all when that is one of ours.
func (a *appending) after(r *row, d *exchange.Detail) {
	if d.After == "" {
		d.After = r.identity.after
	}
	if d.Last == "" && r.identity.newest != "" && !r.identity.newest.Documented() {
		d.Last = r.identity.newest
	}
}

// storeIntent writes the request and its projection. A row that goes on keeps
// what was sent last: equal by its key, but perhaps with other white space or
// another agent.
func (s *session) storeIntent(r *row, in *exchange.Intent, sha []byte) error {
	if _, err := s.exec("INSERT INTO bodies (sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING", sha, body(in.Body)); err != nil {
		return err
	}
	if r.ID != 0 {
		if _, err := s.exec(`UPDATE requests SET route = ?, origin = ?, method = ?, target = ?, dialect = ?, api = ?, model = ?,
			stream = ?, header = ?, credential = ?, body_sha256 = ?, body_intact = ?, preview = ? WHERE id = ?`,
			in.Route, in.Origin, in.Method, in.Target, string(in.Dialect), in.API, in.Model,
			in.Stream, encodeHeader(in.Header), in.Credential, sha, in.BodyIntact, in.Preview, r.ID); err != nil {
			return err
		}
		return s.save(r)
	}
	var err error
	if r.identity.id == 0 {
		r.identity.id, err = s.insert("INSERT INTO identities (request_key, scope, newest_event, after_event) VALUES (?, ?, ?, ?)",
			in.Key, in.Scope, string(r.identity.newest), string(r.identity.after))
	} else {
		err = s.saveIdentity(r)
	}
	if err != nil {
		return err
	}
	r.ID, err = s.insert(`INSERT INTO requests (identity_id, generation, duplicate_of, request_key, digest, route, origin, method,
		target, dialect, api, model, stream, header, credential, body_sha256, body_intact, preview, created_at, fence, owed,
		state, last_event, newest_event, after_event, attempts, accepted, risk, prior_risk, tokens, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.identity.id, r.Generation, r.DuplicateOf, in.Key, in.Digest[:], in.Route, in.Origin, in.Method,
		in.Target, string(in.Dialect), in.API, in.Model, in.Stream, encodeHeader(in.Header), in.Credential,
		sha, in.BodyIntact, in.Preview, micros(r.CreatedAt), r.fence,
		string(r.State), string(r.Last), string(r.Newest), string(r.After), r.Attempts, r.Accepted, int(r.Risk), int(r.Prior), r.Tokens, micros(r.UpdatedAt))
	return err
}

// body is never NULL: a request without a body has an empty one.
func body(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
