package journal

import (
	"database/sql"
	"fmt"
	"os"
	"time"
)

const (
	// checkpointWait is how long after a commit the log is moved into the file.
	checkpointWait = 500 * time.Millisecond
	// walLimit is the size above which the log is begun anew. A passive
	// checkpoint alone never does that under steady writes.
	walLimit = 32 << 20
)

// checkpointer moves the write-ahead log into the database file on a connection
// of its own. An automatic checkpoint would do it inside a commit: its fsyncs
// were the p99 of all writes. It sleeps while nothing is written.
type checkpointer struct {
	wal   string
	db    *sql.DB
	dirty chan struct{}
	quit  chan struct{}
	done  chan struct{}
}

func newCheckpointer(path string) (*checkpointer, error) {
	db, err := connect(path, 1, checkpointing)
	if err != nil {
		return nil, err
	}
	return &checkpointer{
		wal: path + "-wal", db: db,
		dirty: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

// note says that something was committed.
func (c *checkpointer) note() {
	select {
	case c.dirty <- struct{}{}:
	default:
	}
}

func (c *checkpointer) run() {
	defer close(c.done)
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		select {
		case <-c.dirty:
		case <-c.quit:
			return
		}
		timer.Reset(checkpointWait)
		select {
		case <-timer.C:
			c.checkpoint()
		case <-c.quit:
			return
		}
	}
}

// checkpoint is tried again after the next commit when it fails; what is
// committed stays in the log until then.
func (c *checkpointer) checkpoint() {
	mode := "PASSIVE"
	if info, err := os.Stat(c.wal); err == nil && info.Size() > walLimit {
		mode = "TRUNCATE"
	}
	var busy, log, moved int
	_ = c.db.QueryRow("PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log, &moved)
}

func (c *checkpointer) stop() {
	close(c.quit)
	<-c.done
}

// quickCheck looks the file over after a stop that was not in order.
func quickCheck(path string, db *sql.DB) error {
	var found string
	err := db.QueryRow("PRAGMA quick_check(1)").Scan(&found)
	if err == nil && found == "ok" {
		return nil
	}
	if err != nil {
		found = err.Error()
	}
	return fmt.Errorf("open journal %s: the file is damaged (%s): move it and the files beside it away, and a new one is begun", path, found)
}
