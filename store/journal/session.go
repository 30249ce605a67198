package journal

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// session is a connection with its prepared statements, used by one goroutine at
// a time: the writer's, or whoever reads.
type session struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	full  bool // synchronous is FULL, as connect leaves it

	events, pieces uint64 // written in this transaction
}

func newSession(db *sql.DB) (*session, error) {
	conn, err := db.Conn(bg)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, stmts: map[string]*sql.Stmt{}, full: true}, nil
}

// begin starts a transaction whose commit is fsynced when durable is set;
// otherwise the next durable commit, or the next checkpoint, makes it so.
func (s *session) begin(durable bool) error {
	if s.full != durable {
		mode := "NORMAL"
		if durable {
			mode = "FULL"
		}
		if _, err := s.conn.ExecContext(bg, "PRAGMA synchronous = "+mode); err != nil {
			return err
		}
		s.full = durable
	}
	s.events, s.pieces = 0, 0
	_, err := s.exec("BEGIN IMMEDIATE")
	return err
}

func (s *session) commit() error {
	_, err := s.exec("COMMIT")
	return err
}

// abandon closes the connection for good. After a failed statement SQLite may
// have ended the transaction by itself, and what follows would be committed one
// by one; a connection that has failed is therefore not used again.
func (s *session) abandon() {
	_, _ = s.conn.ExecContext(bg, "ROLLBACK") // closing rolls back too
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
}

func (s *session) close() error {
	var errs []error
	for _, st := range s.stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}

func (s *session) prepare(query string) (*sql.Stmt, error) {
	if st := s.stmts[query]; st != nil {
		return st, nil
	}
	st, err := s.conn.PrepareContext(bg, query)
	if err != nil {
		return nil, err
	}
	s.stmts[query] = st
	return st, nil
}

func (s *session) exec(query string, args ...any) (sql.Result, error) {
	st, err := s.prepare(query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(bg, args...)
}

// insert returns the id of the new row.
func (s *session) insert(query string, args ...any) (int64, error) {
	res, err := s.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// get reads one row; found is false when there is none.
func (s *session) get(query string, args []any, dest ...any) (found bool, err error) {
	st, err := s.prepare(query)
	if err != nil {
		return false, err
	}
	switch err := st.QueryRowContext(bg, args...).Scan(dest...); {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

// each calls f for every row of an answer, which f scans and copies out. Rows
// left open would keep the log from being begun anew.
func (s *session) each(f func(scan func(...any) error) error, query string, args ...any) error {
	st, err := s.prepare(query)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(bg, args...)
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

// refused is an error of an operation that has written nothing: the others of
// its batch go on. Any other error ends the batch.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return refused{fmt.Errorf(format, args...)} }
