package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestAJournalThatWillNotStaySaysSoAtEachStart(t *testing.T) {
	old := fleeting
	defer func() { fleeting = old }()
	fleeting = func(string) string { return "tmpfs, which is memory" }
	dir := t.TempDir()
	for range 2 {
		r := begin(t, "http://127.0.0.1:1", dir)
		r.end()
		if said := r.errs.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "the journal in "+dir+" will vanish with this machine") {
			t.Errorf("it says %q", said)
		}
	}
	r := begin(t, "http://127.0.0.1:1", "", func(m *Main) { m.Ephemeral = true }) // as was asked for
	r.end()
	if said := r.errs.String(); said != "" {
		t.Errorf("an ephemeral one says %q", said)
	}
}

func TestAJournalOnADiskSaysOnceWhereItIs(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []int{1, 0} {
		r := begin(t, "http://127.0.0.1:1", dir)
		r.end()
		if got := strings.Count(r.errs.String(), "prompts and answers are kept in "+dir); got != want {
			t.Errorf("said %d times, want %d: %s", got, want, r.errs)
		}
	}
}

func TestMemoryIsKnownByItsFileSystem(t *testing.T) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || runtime.GOOS != "linux" || !strings.Contains(string(mounts), " /dev/shm tmpfs ") {
		t.Skip("there is no /dev/shm of the usual kind")
	}
	if got := fileSystemThatEnds("/dev/shm"); !strings.Contains(got, "tmpfs") {
		t.Errorf("/dev/shm is %q", got)
	}
	if got := fileSystemThatEnds("/proc"); got != "" {
		t.Errorf("/proc is %q", got)
	}
}
