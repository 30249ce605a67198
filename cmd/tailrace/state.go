package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// state is the directory that holds what outlives a process: the journal, the
// admin token, and who is running. It has one process at a time.
type state struct {
	dir       string
	lock      *os.File
	temporary bool // removed at the end

	made []string // folders that were not there before, the outermost first
}

// The files of a state directory, all 0600.
const (
	journalFile  = "journal.db"
	tokenFile    = "admin.token"
	instanceFile = "instance.json"
	lockFile     = "instance.lock"
)

func (s *state) path(name string) string { return filepath.Join(s.dir, name) }

// defaultState is where state belongs on this system: XDG Base Directory on
// Unix, and the folders that macOS and Windows name for it.
func defaultState(goos string, env func(string) string, home string) (string, error) {
	join := filepath.Join
	switch dir := env("XDG_STATE_HOME"); {
	case goos == "windows" && env("LocalAppData") != "":
		return join(env("LocalAppData"), "tailrace"), nil
	case goos != "windows" && goos != "darwin" && filepath.IsAbs(dir): // XDG: a relative one is ignored
		return join(dir, "tailrace"), nil
	case home == "":
		return "", errors.New("this user has no home directory to keep state in; name one with --state DIR")
	case goos == "windows":
		return join(home, "AppData", "Local", "tailrace"), nil
	case goos == "darwin":
		return join(home, "Library", "Application Support", "tailrace"), nil
	}
	return join(home, ".local", "state", "tailrace"), nil
}

func defaultStateForHelp() string {
	switch runtime.GOOS {
	case "windows":
		return `%LocalAppData%\tailrace`
	case "darwin":
		return "~/Library/Application Support/tailrace"
	}
	return "$XDG_STATE_HOME/tailrace or ~/.local/state/tailrace"
}

// openState makes the directory, when needed, and takes its lock. A temporary
// one without a name gets a new one.
func openState(dir string, temporary bool) (*state, error) {
	var err error
	switch {
	case temporary && dir == "":
		dir, err = os.MkdirTemp("", "tailrace-")
	case dir == "":
		home, _ := os.UserHomeDir()
		dir, err = defaultState(runtime.GOOS, os.Getenv, home)
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("finding the state directory: %w", err)
	}
	s := &state{dir: dir, temporary: temporary}
	if err := s.makeDir(); err != nil {
		return nil, fmt.Errorf("making the state directory %s: %w; name one that you can write with --state", dir, reason(err))
	}
	if err := s.take(); err != nil {
		return nil, err
	}
	return s, nil
}

// makeDir makes the folder 0700 whatever the umask. One that is there and holds
// other things is not ours to close to others.
func (s *state) makeDir() error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		s.made = missing(s.dir)
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return err
		}
		return os.Chmod(s.dir, 0o700)
	}
	if err != nil {
		return err
	}
	ours := len(entries) == 0
	for _, e := range entries {
		ours = ours || e.Name() == lockFile
	}
	if ours {
		_ = os.Chmod(s.dir, 0o700) // a volume of somebody else's that we may write to is good enough
	}
	return nil
}

// missing lists what MkdirAll would make, the outermost first.
func missing(dir string) (made []string) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return made
		}
		made = append([]string{dir}, made...)
		dir = filepath.Dir(dir)
	}
}

// take locks the directory and writes our process id into the lock file, for
// the message that a second process gives. The lock ends with the process,
// however it dies; the file stays, since removing it would race with the next.
func (s *state) take() error {
	f, err := os.OpenFile(s.path(lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("writing to the state directory %s: %w; name one that you can write with --state", s.dir, reason(err))
	}
	if err := lockExclusively(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errHeld) {
			return fmt.Errorf("locking the state directory %s: %w; put it on a local disk", s.dir, err)
		}
		return fmt.Errorf("another tailrace%s uses the state directory %s; stop it, or give this one another with --state DIR or --ephemeral", holder(f), s.dir)
	}
	pid := strconv.Itoa(os.Getpid()) + "\n"
	if err := errors.Join(f.Chmod(0o600), f.Truncate(0)); err != nil {
		f.Close()
		return err
	}
	if _, err := f.WriteAt([]byte(pid), 0); err != nil {
		f.Close()
		return fmt.Errorf("writing to the state directory %s: %w; free space on its disk", s.dir, reason(err))
	}
	s.lock = f
	return nil
}

func holder(f *os.File) string {
	b := make([]byte, 16)
	n, _ := f.ReadAt(b, 0) // it may not have been written yet, and on Windows cannot be read
	if pid := strings.TrimSpace(string(b[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// token returns the admin token of the directory and makes one when there is
// none, or an empty one.
func (s *state) token() (string, error) {
	path := s.path(tokenFile)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the admin token: %w; make the file readable, or remove it for a new one", err)
	}
	if t := strings.TrimSpace(string(b)); t != "" {
		return t, os.Chmod(path, 0o600)
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	t := hex.EncodeToString(raw)
	return t, s.write(tokenFile, []byte(t+"\n"))
}

// instance says how the running process is reached.
type instance struct {
	PID       int       `json:"pid"`
	Proxy     string    `json:"proxy"`
	Admin     string    `json:"admin"`
	TokenFile string    `json:"token_file"` // "" when the token came from TAILRACE_ADMIN_TOKEN
	Journal   string    `json:"journal"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
}

func (s *state) announce(i instance) error {
	b, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return s.write(instanceFile, append(b, '\n'))
}

// write replaces a file as a whole, so that no reader finds half of it.
func (s *state) write(name string, b []byte) error {
	f, err := os.CreateTemp(s.dir, name+".*") // 0600 by itself
	if err != nil {
		return fmt.Errorf("writing %s: %w; make the state directory writable", s.path(name), reason(err))
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path(name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w; free space on its disk", s.path(name), reason(err))
	}
	return nil
}

// close gives the directory up. What is left in it is for the next process.
func (s *state) close() error {
	err := os.Remove(s.path(instanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	err = errors.Join(err, s.lock.Close())
	if s.temporary {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// withdraw is close for a start that failed before anything was kept: folders
// that it made go too, unless something lies in them. The lock file is removed
// while it is held; a process that opened it in this moment finds no directory
// to write to and says so.
func (s *state) withdraw() error {
	if len(s.made) > 0 {
		_ = os.Remove(s.path(lockFile)) // Windows does not remove what is open
	}
	err := s.close()
	if len(s.made) > 0 {
		_ = os.Remove(s.path(lockFile))
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		_ = os.Remove(s.made[i]) // not when it holds anything
	}
	return err
}

// vacate removes what must not outlive the process while others may still
// write: who is running, and a folder that was to vanish.
func (s *state) vacate() error {
	err := os.Remove(s.path(instanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for range 3 { // a file that comes into being meanwhile is found the next time
		if !s.temporary || os.RemoveAll(s.dir) == nil {
			return err
		}
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// reason is an error without the path that the sentence names already.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}
