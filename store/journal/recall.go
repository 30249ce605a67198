package journal

import (
	"tailrace/proxy/exchange"
)

// Recall answers what the journal knows of a row, or of the newest row of a
// scope and key. A row whose digest is another is not found: its 16 hex digits
// are equal, its request is not. It sees every commit that has returned, and a
// result whole or not at all.
func (j *Journal) Recall(ask exchange.Ask) (out exchange.Recalled, err error) {
	err = j.readers.view(func(s *session) error {
		id, err := newest(s, ask, &out)
		if err != nil || id == 0 {
			return err
		}
		out.Found = true
		if out.Entry, err = readEntry(s, id); err != nil {
			return err
		}
		out.LastAt, out.Attempt = out.Entry.UpdatedAt, out.Entry.Attempts
		if out.Intent, err = readIntent(s, id, ask.Body); err != nil {
			return err
		}
		out.Result, err = readResult(s, id, ask.Body)
		return err
	})
	if err != nil {
		return exchange.Recalled{}, err
	}
	return out, nil
}

// newest finds the row that is asked for, 0 when there is none, and fills in
// the newest events of its scope and key, whatever their generation.
func newest(s *session, ask exchange.Ask, out *exchange.Recalled) (id int64, err error) {
	if ask.Row != 0 {
		err = s.each(func(scan func(...any) error) error {
			return scan(&id, &out.Newest, &out.After)
		}, "SELECT r.id, i.newest_event, i.after_event"+rowTables+"WHERE r.id = ?", ask.Row)
		return id, err
	}
	var identity int64
	err = s.each(func(scan func(...any) error) error { return scan(&identity, &out.Newest, &out.After) },
		"SELECT id, newest_event, after_event FROM identities WHERE request_key = ? AND scope = ?", ask.Key, ask.Scope)
	if err != nil || identity == 0 {
		return 0, err
	}
	err = s.each(func(scan func(...any) error) error { return scan(&id) },
		"SELECT id FROM requests WHERE identity_id = ? AND digest = ? ORDER BY generation DESC LIMIT 1", identity, ask.Digest[:])
	return id, err
}

// readEntry reads one row of the list.
func readEntry(s *session, id int64) (e exchange.Entry, err error) {
	found := false
	err = s.each(func(scan func(...any) error) error {
		found = true
		return scanEntry(scan, &e)
	}, "SELECT "+entryColumns+rowTables+"WHERE r.id = ?", id)
	if err == nil && !found {
		err = noRow(id)
	}
	return e, err
}

func scanEntry(scan func(...any) error, e *exchange.Entry) error {
	var t entryTimes
	if err := scan(entryFields(e, &t)...); err != nil {
		return err
	}
	t.fill(e)
	return nil
}
