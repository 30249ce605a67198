package journal

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// bg is the context of every statement: a cancelled statement inside a
// transaction leaves the connection in a state nobody can tell, so the journal
// never lets a request's context near SQLite.
var bg = context.Background()

// pragma is a setting of a connection and the form in which it reads back. A
// misspelt name in a DSN is ignored without a word, so all of them are read.
type pragma struct{ name, value, reads string }

// The settings of the three kinds of connections. auto_vacuum comes first: it
// has no effect once the first table, or the WAL header, is written.
// temp_store keeps the prompts that a sort spills out of /tmp. The checkpointer
// gives up early: while it waits for readers, the writer waits for it.
var (
	common = []pragma{
		{"auto_vacuum", "incremental", "2"},
		{"journal_mode", "wal", "wal"},
		{"foreign_keys", "1", "1"},
		{"temp_store", "memory", "2"},
	}
	writing       = []pragma{{"busy_timeout", "10000", "10000"}, {"synchronous", "full", "2"}, {"wal_autocheckpoint", "0", "0"}, {"cache_size", "-16384", "-16384"}}
	checkpointing = []pragma{{"busy_timeout", "100", "100"}, {"synchronous", "normal", "1"}, {"wal_autocheckpoint", "0", "0"}}
	reading       = []pragma{{"busy_timeout", "10000", "10000"}, {"query_only", "1", "1"}, {"wal_autocheckpoint", "0", "0"}}
)

// connect opens a pool of at most n connections that all have the settings, and
// reads the settings back on one.
func connect(path string, n int, settings []pragma) (*sql.DB, error) {
	settings = append(append([]pragma(nil), common...), settings...)
	q := url.Values{}
	for _, p := range settings {
		q.Add("_pragma", p.name+"("+p.value+")")
	}
	db, err := sql.Open("sqlite", fileURI(path)+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	if err := readBack(path, db, settings); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func readBack(path string, db *sql.DB, settings []pragma) error {
	for _, p := range settings {
		var got string
		if err := db.QueryRow("PRAGMA " + p.name).Scan(&got); err != nil {
			return fmt.Errorf("open journal %s: read back %s: %w", path, p.name, err)
		}
		if got != p.reads {
			return fmt.Errorf("open journal %s: SQLite says %s = %s where %s was asked for: is the file on a local disk?",
				path, p.name, got, p.reads)
		}
	}
	return nil
}

// fileURI writes a path so that no character of it is taken for a parameter.
func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && filepath.VolumeName(path) != "" {
		p = "/" + p
	}
	return "file:" + strings.ReplaceAll((&url.URL{Path: p}).EscapedPath(), ";", "%3B")
}

// prepare makes the folder and the empty file before SQLite sees them. SQLite
// gives -wal and -shm the mode of the database, and would make that 0644. An
// existing file is not opened: closing it would drop the locks that SQLite holds
// on it in this process.
func prepare(path string) error {
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("open journal %s: it is no regular file: name a file in the state directory", path)
		}
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			if err := os.Chmod(name, 0o600); err != nil && !os.IsNotExist(err) {
				return unwritable(path, err)
			}
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unwritable(path, err)
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return unwritable(path, err)
	}
	return f.Close()
}

// makeDir makes the folder of a journal, for its owner alone. A folder that is
// there already is left as its owner made it.
func makeDir(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(path, err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return unwritable(path, err)
	}
	return nil
}
