package main

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// When the demo dies in the middle of making its interrupted request, its
// child must not hold the journal for ever.
func TestTheVictimDoesNotOutliveWhoeverStartedIt(t *testing.T) {
	_, url := origin(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := reexec(ctx, "demo-victim", strings.TrimPrefix(url, "http://"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "tailrace ready") {
		t.Fatalf("%q, %v", line, err)
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestADemoWithoutAChildSaysSoAndGoesOn(t *testing.T) {
	old := reexec
	defer func() { reexec = old }()
	reexec = func(ctx context.Context, _ ...string) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, filepath.Join(t.TempDir(), "nothing")), nil
	}
	p := startDemo(t, t.TempDir())
	if said := p.notices.all(); !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "no request could be interrupted") }) {
		t.Errorf("the notices are %q", said)
	}
	p.stop()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}
