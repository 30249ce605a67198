package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tailrace/proxy/exchange"
)

// querier is what reads: a reader's transaction, or the writer's connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls f for every row of an answer, which f scans and copies out. Rows
// left open would keep the log from being begun anew.
func each(q querier, f func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := q.QueryContext(bg, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// view runs f over one state of the journal: what several statements read fits
// together.
func (j *Journal) view(f func(*sql.Tx) error) error {
	tx, err := j.read.BeginTx(bg, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read journal %s: %w", j.path, err)
	}
	defer tx.Rollback()
	err = f(tx)
	var r *exchange.Refusal
	if err != nil && !errors.As(err, &r) {
		return fmt.Errorf("read journal %s: %w", j.path, err)
	}
	return err
}

func noRow(id int64) error {
	return &exchange.Refusal{Kind: exchange.NotFound, Why: fmt.Sprintf("There is no row %d in the journal.", id)}
}

// readIntent reads the request of a row, with its body when asked.
func readIntent(q querier, row int64, body bool) (in exchange.Intent, err error) {
	var header string
	var digest []byte
	err = each(q, func(scan func(...any) error) error {
		return scan(&in.Scope, &in.Key, &digest, &in.Route, &in.Origin, &in.Method, &in.Target, &in.Dialect, &in.API,
			&in.Model, &in.Stream, &header, &in.Credential, &in.BodyIntact, &in.Preview, &in.Body)
	}, `SELECT i.scope, r.request_key, r.digest, r.route, r.origin, r.method, r.target, r.dialect, r.api,
		r.model, r.stream, r.header, r.credential, r.body_intact, r.preview,
		iif(?2, (SELECT body FROM bodies WHERE sha256 = r.body_sha256), NULL)`+rowTables+"WHERE r.id = ?1", row, body)
	if err != nil {
		return in, err
	}
	copy(in.Digest[:], digest)
	in.Header, err = decodeHeader(header)
	return in, err
}

// readResult reads the accepted result of a row, nil when it has none.
func readResult(q querier, row int64, body bool) (res *exchange.Result, err error) {
	var header, usage string
	var attempt, accepted int64
	var recorded bool
	err = each(q, func(scan func(...any) error) error {
		res = &exchange.Result{}
		return scan(&attempt, &res.Status, &header, &res.Stream, &res.Body, &recorded, &usage, &accepted, &res.Owed)
	}, `SELECT a.id, s.status, s.header, s.stream, iif(?2, s.body, NULL), s.body IS NULL, s.usage, s.accepted_at, r.owed
		FROM results s JOIN requests r ON r.id = s.request_id JOIN attempts a ON a.request_id = s.request_id AND a.n = s.attempt
		WHERE s.request_id = ?1`, row, body)
	if err != nil || res == nil {
		return nil, err
	}
	res.Accepted = fromMicros(accepted)
	if res.Header, err = decodeHeader(header); err != nil {
		return nil, err
	}
	if res.Usage, err = decodeUsage(usage); err != nil {
		return nil, err
	}
	if body && recorded {
		if res.Body, err = readChunks(q, attempt); err != nil {
			return nil, err
		}
	}
	if body && res.Body == nil {
		res.Body = []byte{} // an empty answer is an answer
	}
	return res, nil
}

// readChunks puts the recorded pieces of an attempt together, nil when there
// are none.
func readChunks(q querier, attempt int64) (body []byte, err error) {
	var chunk sql.RawBytes
	err = each(q, func(scan func(...any) error) error {
		if err := scan(&chunk); err != nil {
			return err
		}
		body = append(body, chunk...)
		return nil
	}, "SELECT body FROM chunks WHERE attempt_id = ? ORDER BY id", attempt)
	return body, err
}
