package journal

import (
	"database/sql"
	_ "embed"
	"fmt"
)

// applicationID marks the file as ours ("JRNL"), so that another program's
// database is never written to.
const applicationID = 0x4A524E4C

//go:embed schema.sql
var schema1 string

// migrations bring a file from version i to i+1.
var migrations = []string{schema1}

// inspect reads the version of a file on a connection that changes nothing, not
// even the file's journal mode, and refuses what is not ours to write to. The
// version of an empty file is 0.
func inspect(path string) (version int, err error) {
	db, err := sql.Open("sqlite", fileURI(path)+"?_pragma=busy_timeout(10000)&_pragma=query_only(1)")
	if err != nil {
		return 0, fmt.Errorf("open journal %s: %w", path, err)
	}
	defer db.Close()
	var id, tables int
	err = db.QueryRow(`SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).
		Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, fmt.Errorf("open journal %s: %w: move the file away if it is no journal", path, err)
	case id != applicationID && (id != 0 || tables > 0):
		return 0, fmt.Errorf("open journal %s: it is the database of another program: choose another state directory", path)
	case version > len(migrations):
		return 0, fmt.Errorf("open journal %s: a newer tailrace wrote it (version %d, this one knows %d): update tailrace, or choose another state directory",
			path, version, len(migrations))
	}
	return version, nil
}

// migrate makes the tables of an empty file and brings an older one up to date,
// each version in a transaction of its own.
func migrate(path string, db *sql.DB, version int) error {
	for v := version; v < len(migrations); v++ {
		script := fmt.Sprintf("BEGIN IMMEDIATE;\n%s\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\nCOMMIT;",
			migrations[v], applicationID, v+1)
		if _, err := db.Exec(script); err != nil {
			return fmt.Errorf("open journal %s: make the tables of version %d: %w", path, v+1, err)
		}
	}
	return nil
}
