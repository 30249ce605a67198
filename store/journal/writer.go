package journal

import (
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
)

// writer commits what waits in the queue, all of it together: while one
// transaction is on its way to the disk the next one gathers, so that 64 callers
// share an fsync without waiting for a clock.
type writer struct {
	path      string
	db        *sql.DB
	session   *session // nil after a failure, until the next batch
	queue     *queue
	counters  *counters
	committed func()        // rows have changed or pieces have come
	version   atomic.Uint64 // counts the commits that change a row
	done      chan struct{}
}

func (w *writer) run() {
	defer close(w.done)
	for {
		batch := w.queue.take()
		if len(batch) == 0 {
			return
		}
		w.commit(batch)
	}
}

// commit writes a batch in one transaction. An operation that is refused is
// left out. The first other error ends the batch: all of it is rolled back and
// everybody is told, since nobody can say what SQLite has kept.
func (w *writer) commit(batch []op) {
	results := make([]error, len(batch))
	durable, rows, err := w.transact(batch, results)
	if err != nil {
		w.counters.errors.Add(1)
		err = fmt.Errorf("write journal %s: %w: nothing of it is stored; see that the disk has room and is writable", w.path, err)
		if w.session != nil {
			w.session.abandon()
			w.session = nil
		}
	} else {
		w.counters.commits.Add(1)
		w.counters.events.Add(w.session.events)
		w.counters.pieces.Add(w.session.pieces)
		if durable {
			w.counters.durable.Add(1)
		}
		if rows {
			w.version.Add(1)
		}
		w.committed()
	}
	for i, o := range batch {
		if err != nil {
			results[i] = err
		}
		o.settle(results[i])
	}
}

func (w *writer) transact(batch []op, results []error) (durable, rows bool, err error) {
	if w.session == nil {
		if w.session, err = newSession(w.db); err != nil {
			return false, false, err
		}
	}
	for _, o := range batch {
		durable = durable || o.durable()
		if _, piece := o.(*pack); !piece {
			rows = true
		}
	}
	if err := w.session.begin(durable); err != nil {
		return durable, rows, err
	}
	for i, o := range batch {
		err := o.write(w.session)
		var r refused
		if errors.As(err, &r) {
			results[i] = r.error
		} else if err != nil {
			return durable, rows, err
		}
	}
	return durable, rows, w.session.commit()
}
