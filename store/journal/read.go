package journal

import (
	"database/sql"
	"fmt"

	"tailrace/proxy/exchange"
)

func noRow(id int64) error {
	return &exchange.Refusal{Kind: exchange.NotFound, Why: fmt.Sprintf("There is no row %d in the journal.", id)}
}

// readIntent reads the request of a row, with its body when asked.
func readIntent(s *session, row int64, body bool) (in exchange.Intent, err error) {
	var header string
	var digest []byte
	err = s.each(func(scan func(...any) error) error {
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
func readResult(s *session, row int64, body bool) (res *exchange.Result, err error) {
	var header, usage string
	var attempt, accepted int64
	var recorded bool
	err = s.each(func(scan func(...any) error) error {
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
		if res.Body, err = readChunks(s, attempt); err != nil {
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
func readChunks(s *session, attempt int64) (body []byte, err error) {
	var chunk sql.RawBytes
	err = s.each(func(scan func(...any) error) error {
		if err := scan(&chunk); err != nil {
			return err
		}
		body = append(body, chunk...)
		return nil
	}, "SELECT body FROM chunks WHERE attempt_id = ? ORDER BY id", attempt)
	return body, err
}
