package journal

import (
	"database/sql"
	"errors"
	"fmt"

	"tailrace/proxy/exchange"
)

// readers are sessions that read; whoever reads takes one and gives it back.
// They never wait for the writer, nor it for them.
type readers struct {
	path   string
	db     *sql.DB
	idle   chan *session // nil stands for one that is not open
	closed chan struct{}
}

// atOnce is how many read at the same time; more would only wait for the same
// cores.
const atOnce = 4

func newReaders(path string) (*readers, error) {
	db, err := connect(path, atOnce, reading)
	if err != nil {
		return nil, err
	}
	r := &readers{path: path, db: db, idle: make(chan *session, atOnce), closed: make(chan struct{})}
	for range atOnce {
		r.idle <- nil
	}
	return r, nil
}

// view runs f over one state of the journal: what several statements read fits
// together.
func (r *readers) view(f func(*session) error) error {
	var s *session
	select {
	case s = <-r.idle:
	case <-r.closed:
		return ErrClosed
	}
	s, err := r.read(s, f)
	r.idle <- s
	var refusal *exchange.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return fmt.Errorf("read journal %s: %w", r.path, err)
	}
	return err
}

// read returns the session, or nil when it has failed and is gone.
func (r *readers) read(s *session, f func(*session) error) (*session, error) {
	var err error
	if s == nil {
		if s, err = newSession(r.db); err != nil {
			return nil, err
		}
	}
	if _, err = s.exec("BEGIN"); err == nil {
		if err = f(s); err == nil {
			_, err = s.exec("COMMIT")
		}
	}
	var refusal *exchange.Refusal
	if errors.As(err, &refusal) {
		if _, end := s.exec("COMMIT"); end == nil {
			return s, err
		}
	}
	if err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

// close waits for those who read. Reads after it fail with [ErrClosed].
func (r *readers) close() error {
	close(r.closed)
	var errs []error
	for range atOnce {
		if s := <-r.idle; s != nil {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(append(errs, r.db.Close())...)
}
