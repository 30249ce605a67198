package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tailrace/cmd/internal/config"
)

func TestAnEphemeralDemoLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	p := startDemo(t, "", func(m *Main) { m.Ephemeral = true })
	if !strings.HasPrefix(p.State, tmp) || len(p.journal.Recovered()) != 1 {
		t.Errorf("the state is in %s, recovered are %v", p.State, p.journal.Recovered())
	}
	p.stop()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 || strings.Contains(p.errs.String(), "its journal is kept") {
		t.Errorf("left are %v, %v; it says %s", left, err, p.errs)
	}
}

func TestTheDemoTakesOtherPortsWhereTheUsualOnesAreInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().String()
	for _, c := range []struct {
		given bool
		want  string
	}{{false, "127.0.0.1:0"}, {true, taken}} { // one that was asked for is not changed in silence
		d := &demo{Main: &Main{Config: &config.Config{Listen: config.Listen{HTTP: taken, Admin: "127.0.0.1:0"}}}, given: func(string) bool { return c.given }}
		err := d.findPorts()
		if got := d.Config.Listen.HTTP; got != c.want || (err != nil) != c.given {
			t.Errorf("given %v: it listens on %s, want %s; %v", c.given, got, c.want, err)
		}
	}
}

func TestFreshRemovesTheJournalAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"journal.db", "journal.db-wal", "journal.db-shm", "journal.db.lock", "admin.token", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := &demo{Main: &Main{State: dir}}
	if err := d.findState(true); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"admin.token", "instance.lock", "journal.db.lock", "mine.txt"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
