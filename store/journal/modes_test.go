//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tailrace/proxy/exchange"
)

func TestFilesAndFolderAreTheirOwnersAloneUnderAnyUmask(t *testing.T) {
	for _, mask := range []int{0o000, 0o022, 0o277} {
		dir := t.TempDir()
		old := syscall.Umask(mask)
		path := filepath.Join(dir, "new", "journal.db")
		j, err := Open(path, Options{})
		if err == nil {
			_, err = j.Append(exchange.Step{Intent: intent("a"), Events: send(1)})
		}
		syscall.Umask(old)
		if err != nil {
			t.Fatalf("umask %04o: %v", mask, err)
		}
		for name, want := range map[string]os.FileMode{"": os.ModeDir | 0o700, "/journal.db": 0o600, "/journal.db-wal": 0o600, "/journal.db-shm": 0o600, "/journal.db.lock": 0o600} {
			info, err := os.Stat(filepath.Join(dir, "new") + name)
			if err != nil {
				t.Errorf("umask %04o: %v", mask, err)
			} else if info.Mode() != want {
				t.Errorf("umask %04o: %q is %v, want %v", mask, name, info.Mode(), want)
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnOpenFileModeOfAnExistingJournalIsNarrowed(t *testing.T) {
	path := newPath(t)
	closed(t, path)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path, Options{})
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}
