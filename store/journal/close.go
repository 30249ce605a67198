package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Close writes what is queued, marks the stop as one in order, moves the log
// into the database file and gives the lock up. Calls after it fail with
// [ErrClosed]; a second Close does nothing.
func (j *Journal) Close() error {
	stop := &stopping{instance: j.instance, now: j.now(), tell: newTell(j)}
	if !j.queue.close(stop) {
		return nil
	}
	err := <-stop.done
	<-j.writer.done
	j.check.stop()
	return errors.Join(err, j.release())
}

// release closes whatever is open, the lock last.
func (j *Journal) release() error {
	var errs []error
	if j.writer != nil && j.writer.session != nil {
		errs = append(errs, j.writer.session.close())
	}
	if j.check != nil {
		errs = append(errs, j.check.db.Close())
	}
	if j.readers != nil {
		errs = append(errs, j.readers.close())
	}
	if j.write != nil { // the last connection moves the log into the file
		errs = append(errs, j.write.Close())
	}
	errs = append(errs, j.lock.Close())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close journal %s: %w", j.path, err)
	}
	return nil
}

// starting begins our life in the file, with the key made at the first one.
type starting struct {
	version string
	now     time.Time
	key     []byte
	id      int64
}

func (o *starting) size() int     { return 0 }
func (o *starting) durable() bool { return true }
func (o *starting) settle(error)  {}

func (o *starting) write(s *session) error {
	if _, err := s.exec("UPDATE instances SET stopped_at = 0 WHERE stopped_at IS NULL"); err != nil {
		return err
	}
	if _, err := s.exec("INSERT INTO secrets (name, value) VALUES ('fingerprint', ?) ON CONFLICT DO NOTHING", o.key); err != nil {
		return err
	}
	if _, err := s.get("SELECT value FROM secrets WHERE name = 'fingerprint'", nil, &o.key); err != nil {
		return err
	}
	var err error
	o.id, err = s.insert("INSERT INTO instances (pid, version, started_at) VALUES (?, ?, ?)", os.Getpid(), o.version, micros(o.now))
	return err
}

// stopping marks the end of our life as one in order.
type stopping struct {
	tell
	instance int64
	now      time.Time
}

func (o *stopping) size() int     { return 0 }
func (o *stopping) durable() bool { return true }

func (o *stopping) write(s *session) error {
	_, err := s.exec("UPDATE instances SET stopped_at = ? WHERE id = ?", micros(o.now), o.instance)
	return err
}
