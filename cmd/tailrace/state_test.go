package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestStateBelongsWhereTheSystemSays(t *testing.T) {
	join := filepath.Join
	for _, tt := range []struct {
		goos, home string
		env        map[string]string
		want       string
	}{
		{"linux", "/home/a", nil, "/home/a/.local/state/tailrace"},
		{"linux", "/home/a", map[string]string{"XDG_STATE_HOME": "/x"}, "/x/tailrace"},
		{"linux", "/home/a", map[string]string{"XDG_STATE_HOME": "relative"}, "/home/a/.local/state/tailrace"},
		{"linux", "", map[string]string{"XDG_STATE_HOME": "/x"}, "/x/tailrace"},
		{"linux", "", nil, ""},
		{"darwin", "/Users/a", map[string]string{"XDG_STATE_HOME": "/x"}, "/Users/a/Library/Application Support/tailrace"},
		{"windows", "/u", map[string]string{"LocalAppData": "/l"}, "/l/tailrace"},
		{"windows", "/u", nil, "/u/AppData/Local/tailrace"},
	} {
		got, err := defaultState(tt.goos, func(name string) string { return tt.env[name] }, tt.home)
		want := tt.want
		if want != "" {
			want = join(strings.Split(want, "/")...)
			want = string(filepath.Separator) + want
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s %v: %q %v, want %q", tt.goos, tt.env, got, err, want)
		}
	}
}

func open(t *testing.T, dir string) *state {
	t.Helper()
	s, err := openState(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOneProcessHasAStateDirectoryAndTheNextOneGetsIt(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := openState(dir, false); err == nil || !strings.Contains(err.Error(), "another tailrace") {
		t.Errorf("a second one got it: %v", err)
	}
	if err := s.announce(instance{PID: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.path(instanceFile)); !os.IsNotExist(err) {
		t.Errorf("it still says who is running: %v", err)
	}
	if err := open(t, dir).close(); err != nil {
		t.Error(err)
	}
}

func TestTheTokenStaysUntilItIsRemoved(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.close()
	first, err := s.token()
	if err != nil || len(first) != 64 {
		t.Fatalf("%q %v", first, err)
	}
	if again, err := s.token(); err != nil || again != first {
		t.Errorf("%q, then %q (%v)", first, again, err)
	}
	if err := os.WriteFile(s.path(tokenFile), []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if anew, err := s.token(); err != nil || anew == first || len(anew) != 64 {
		t.Errorf("an empty file gives %q (%v)", anew, err)
	}
	if err := os.WriteFile(s.path(tokenFile), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if mine, err := s.token(); err != nil || mine != "mine" {
		t.Errorf("a token of the user's gives %q (%v)", mine, err)
	}
	if info, err := os.Stat(s.path(tokenFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v %v", info.Mode(), err)
	}
}

// A folder that holds other things is not closed to others.
func TestOnlyAFolderOfOursIsClosedToOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are a matter of Unix")
	}
	dir := t.TempDir()
	for name, want := range map[string]os.FileMode{"empty": 0o700, "ours": 0o700, "others": 0o755} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		inside := map[string]string{"ours": lockFile, "others": "photo.jpg"}[name]
		if inside != "" {
			if err := os.WriteFile(filepath.Join(path, inside), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, path)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}
