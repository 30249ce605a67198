package journal

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestASecondJournalOfTheSameFileIsRefusedAndNamesTheFirst(t *testing.T) {
	path := newPath(t)
	open(t, path, Options{})
	_, err := Open(path, Options{})
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("second open: %v", err)
	}
}

func TestAJournalOfANewerVersionIsRefusedAndLeftAlone(t *testing.T) {
	path := newPath(t)
	closed(t, path)
	change(t, path, "PRAGMA user_version = 99")
	before := read(t, path)
	_, err := Open(path, Options{})
	if err == nil || !strings.Contains(err.Error(), "newer tailrace") {
		t.Errorf("open: %v", err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file was changed")
	}
}

func TestAnotherProgramsDatabaseIsRefusedAndLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	change(t, path, "CREATE TABLE theirs (x)")
	before := read(t, path)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("open: %v", err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file was changed")
	}
}

func TestAFileThatIsNoDatabaseIsRefusedAndLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	text := bytes.Repeat([]byte("not a database\n"), 100)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil {
		t.Error("a text file was opened as a journal")
	}
	if !bytes.Equal(text, read(t, path)) {
		t.Error("the file was changed")
	}
}

func TestADamagedFileIsFoundAfterAnUncleanStop(t *testing.T) {
	path := newPath(t)
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		claim(t, j, "a")
	}
	crash(t, j)
	change(t, path, `PRAGMA writable_schema = 1;
		UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'events') WHERE name = 'chunks'`)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("open: %v", err)
	}
	if _, err := Open(path, Options{}); errors.Is(err, ErrBusy) {
		t.Error("a failed open kept the lock")
	}
}

func TestAFolderThatCannotBeMadeIsOneSentence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(filepath.Join(file, "state", "journal.db"), Options{})
	if err == nil || !strings.Contains(err.Error(), "choose a state directory") || strings.Contains(err.Error(), "\n") {
		t.Errorf("open: %v", err)
	}
}

func TestOddNamesAreOrdinaryFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b#c%41;é&x=1.db")
	claim(t, open(t, path, Options{}), "a")
	found, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(found) != 1 || found[0] != path {
		t.Errorf("files are %v, %v", found, err)
	}
}

func TestTheFingerprintKeyStaysWithTheFile(t *testing.T) {
	path := newPath(t)
	j := open(t, path, Options{})
	key := j.FingerprintKey()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, Options{}).FingerprintKey()
	if len(key) != 32 || !bytes.Equal(key, again) || bytes.Equal(key, make([]byte, 32)) {
		t.Errorf("the key was %x, then %x", key, again)
	}
	if other := open(t, newPath(t), Options{}).FingerprintKey(); bytes.Equal(key, other) {
		t.Error("two files have the same key")
	}
}

func TestASettingThatSQLiteIgnoresFailsTheOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := connect(path, 1, []pragma{{"foreign_key", "1", "1"}}) // the s is missing
	if err == nil {
		db.Close()
		t.Error("a misspelt setting went unnoticed")
	}
}

func TestAClosedFileHasSpaceToGiveBackAndNoLog(t *testing.T) {
	path := newPath(t)
	closed(t, path)
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("the log has %d bytes after a close", info.Size())
	}
	db, err := sql.Open("sqlite", fileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var vacuum, unclean int
	if err := db.QueryRow("SELECT auto_vacuum, (SELECT count(*) FROM instances WHERE stopped_at IS NULL) FROM pragma_auto_vacuum").Scan(&vacuum, &unclean); err != nil {
		t.Fatal(err)
	}
	if vacuum != 2 || unclean != 0 {
		t.Errorf("auto_vacuum is %d, lives without an end %d", vacuum, unclean)
	}
}

func TestTheLogMovesIntoTheFileWhileTheJournalIsOpen(t *testing.T) {
	path := newPath(t)
	j := open(t, path, Options{})
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	large := intent("large")
	large.Body = make([]byte, walLimit+1<<20)
	appended(t, j, exchange.Step{Intent: large, Events: send(1)})
	j.check.checkpoint()
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if after.Size()-before.Size() < walLimit {
		t.Errorf("the file grew by %d bytes", after.Size()-before.Size())
	}
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() > walLimit {
		t.Errorf("the log has %v bytes, %v", wal.Size(), err)
	}
}

// closed makes a journal and closes it in order.
func closed(t *testing.T, path string) {
	t.Helper()
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	claim(t, j, "a")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func change(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", fileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
