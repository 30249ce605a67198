package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errHeld = errors.New("another process holds the lock")

// lockExclusively locks a byte far behind the end, so that the process id at
// the beginning can still be read.
func lockExclusively(f *os.File) error {
	at := windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
