package journal

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrBusy is in the error of [Open] when another process has the journal.
var ErrBusy = errors.New("the journal is in use")

// errLocked is what lockFile returns when somebody else holds the lock.
var errLocked = errors.New("locked")

// lock takes the lock file beside a journal and writes our process id into it.
// The operating system gives the lock up when the process dies, however it
// dies; the file itself stays, since removing it would race with the next one
// who opens it.
func lock(path string) (*os.File, error) {
	name := path + ".lock"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(path, err)
	}
	if err := lockFile(f); err != nil {
		defer f.Close()
		if errors.Is(err, errLocked) {
			return nil, fmt.Errorf("open journal %s: %w by %s: stop that one, or give this one another state directory",
				path, ErrBusy, holder(f))
		}
		return nil, fmt.Errorf("open journal %s: lock %s: %w: put the state directory on a local disk", path, name, err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Truncate(0)); err != nil {
		f.Close()
		return nil, unwritable(path, err)
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		f.Close()
		return nil, unwritable(path, err)
	}
	return f, nil
}

// holder names the process that has the lock. It may not have written its id yet.
func holder(f *os.File) string {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	if pid := strings.TrimSpace(string(b[:n])); pid != "" {
		return "process " + pid
	}
	return "another process"
}

func unwritable(path string, err error) error {
	return fmt.Errorf("open journal %s: %w: choose a state directory that this user can write", path, err)
}
