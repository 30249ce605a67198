package journal

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tailrace/proxy/exchange"
)

// Options are what a journal is told at its opening. The zero value works; it
// salvages no streams.
type Options struct {
	// Now is the clock of events that bring no time; nil is time.Now.
	Now func() time.Time
	// Complete tells a complete stored stream from a cut one, with what it
	// cost so far. It is asked about streams that a dead process left open.
	Complete func(exchange.Intent, exchange.Head, []byte) (exchange.Usage, bool)
	// Version is the program's, kept with each life of it.
	Version string
}

// Journal is an open journal. All methods are safe for concurrent use.
type Journal struct {
	path      string
	now       func() time.Time
	lock      *os.File
	readers   *readers
	write     *sql.DB
	writer    *writer
	queue     *queue
	check     *checkpointer
	counters  *counters
	torn      torn
	instance  int64
	key       []byte
	recovered []exchange.Entry
}

// Open opens the journal at path, the name of a .db file, and makes it, 0600,
// with its folder, 0700, when it is not there. It takes the lock beside the
// file, checks a file that was not closed in order, and settles what a dead
// process left open; see [Journal.Recovered].
//
// The error is one sentence for the person at the terminal. It is [ErrBusy]
// when another process has the journal; others are a folder that cannot be
// written, a damaged file, another program's, and one of a newer version.
func Open(path string, o Options) (*Journal, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := makeDir(path); err != nil {
		return nil, err
	}
	lock, err := lock(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{path: path, now: o.Now, lock: lock, queue: newQueue(), counters: &counters{}, torn: torn{}}
	if err := j.open(o); err != nil {
		return nil, errors.Join(err, j.release())
	}
	go j.writer.run()
	go j.check.run()
	return j, nil
}

// open does everything up to the start of the goroutines.
func (j *Journal) open(o Options) error {
	if err := prepare(j.path); err != nil {
		return err
	}
	version, err := inspect(j.path)
	if err != nil {
		return err
	}
	if j.write, err = connect(j.path, 1, writing); err != nil {
		return err
	}
	if err := migrate(j.path, j.write, version); err != nil {
		return err
	}
	if j.readers, err = newReaders(j.path); err != nil {
		return err
	}
	if j.check, err = newCheckpointer(j.path); err != nil {
		return err
	}
	j.writer = &writer{
		path: j.path, db: j.write, queue: j.queue, counters: j.counters,
		committed: j.check.note, done: make(chan struct{}),
	}
	return j.begin(o)
}

// begin looks after what the life before left, and starts ours.
func (j *Journal) begin(o Options) error {
	var unclean bool
	if err := j.write.QueryRow("SELECT EXISTS (SELECT 1 FROM instances WHERE stopped_at IS NULL)").Scan(&unclean); err != nil {
		return fmt.Errorf("open journal %s: %w", j.path, err)
	}
	if unclean {
		if err := quickCheck(j.path, j.write); err != nil {
			return err
		}
	}
	r := &recovery{complete: o.Complete, now: o.Now()}
	if r.complete == nil {
		r.complete = func(exchange.Intent, exchange.Head, []byte) (exchange.Usage, bool) { return exchange.Usage{}, false }
	}
	start := &starting{version: o.Version, now: r.now, key: make([]byte, 32)}
	if _, err := rand.Read(start.key); err != nil {
		return fmt.Errorf("open journal %s: %w", j.path, err)
	}
	ops := []op{r, start}
	if _, _, err := j.writer.transact(ops, make([]error, len(ops))); err != nil {
		return fmt.Errorf("open journal %s: settle what the last run left: %w", j.path, err)
	}
	j.recovered, j.instance, j.key = r.entries, start.id, start.key
	return nil
}

// Version grows with every commit that changes what List shows.
func (j *Journal) Version() uint64 { return j.writer.version.Load() }

// FingerprintKey returns the 32 random bytes that fingerprints of credentials
// are keyed with. They are made once and stay with the file.
func (j *Journal) FingerprintKey() []byte { return append([]byte(nil), j.key...) }

// Recovered returns the rows that this opening marked INTERRUPTED, or accepted
// from what was stored.
func (j *Journal) Recovered() []exchange.Entry {
	return append([]exchange.Entry(nil), j.recovered...)
}
