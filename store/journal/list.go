package journal

import (
	"tailrace/proxy/exchange"
)

// List returns a page of rows, newest first. The next page is asked for with
// Before set to the ID of the last row. Each filter is read along an index, so
// that a page costs the same at the end of a long journal as at its beginning.
func (j *Journal) List(p exchange.Page) ([]exchange.Entry, error) {
	query, args := listQuery(p)
	var out []exchange.Entry
	err := j.readers.view(func(s *session) error {
		return s.each(func(scan func(...any) error) error {
			var e exchange.Entry
			err := scanEntry(scan, &e)
			out = append(out, e)
			return err
		}, query, args...)
	})
	return out, err
}

func listQuery(p exchange.Page) (query string, args []any) {
	where := "WHERE 1"
	if p.Key != "" {
		where, args = where+" AND r.request_key = ?", append(args, p.Key)
	}
	if p.State != "" {
		column := "r.state"
		if p.Key != "" {
			column = "+r.state" // the sign keeps SQLite on the index of the key, which narrows more
		}
		where, args = where+" AND "+column+" = ?", append(args, string(p.State))
	}
	if p.Before > 0 {
		where, args = where+" AND r.id < ?", append(args, p.Before)
	}
	limit := p.Limit
	if limit <= 0 {
		limit = 100
	}
	return "SELECT " + entryColumns + rowTables + where + " ORDER BY r.id DESC LIMIT ?", append(args, min(limit, 1000))
}
