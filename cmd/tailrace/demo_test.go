package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tailrace/cmd/internal/config"
	"tailrace/proxy/exchange"
)

func init() { // this program is the test: as its own child it needs to be told what to be
	reexec = func(ctx context.Context, args ...string) (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c := exec.CommandContext(ctx, self)
		c.Env = append(os.Environ(), "TAILRACE_TEST_ARGS="+strings.Join(args, "\n"))
		return c, nil
	}
}

// demoRun is a demo in this process, and how to end it.
type demoRun struct {
	*running
	demo  *demo
	stop  context.CancelFunc
	ended chan error
}

func startDemo(t *testing.T, dir string, change ...func(*Main)) *demoRun {
	t.Helper()
	c, err := config.Builtin(nil, config.BillingFree)
	if err != nil {
		t.Fatal(err)
	}
	c.Listen.HTTP, c.Listen.Admin = "127.0.0.1:0", "127.0.0.1:0"
	r := &running{T: t, out: &output{}, errs: &output{}, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	r.Main = &Main{Config: c, State: dir, Headless: true, Stdout: r.out, Stderr: r.errs, Version: "test"}
	for _, f := range change {
		f(r.Main)
	}
	p := &demoRun{running: r, demo: &demo{Main: r.Main, given: func(string) bool { return true }}, ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go func() { p.ended <- p.demo.run(ctx, false) }()
	until(t, "the demo to begin", func() bool { return strings.Contains(r.out.String(), "tailrace ready") })
	return p
}

// seen notes everything of the list that is there at this moment.
func (p *demoRun) seen(what map[string]bool) {
	var present struct {
		Exchanges []struct {
			Phase, Outcome, Reason string
			Status                 *int
			XCache                 string `json:"x_cache"`
			Source                 string `json:"x_cache_source"`
		}
	}
	p.api("GET", "/v1/exchanges", "", &present)
	for _, e := range present.Exchanges {
		what[e.XCache] = true
		what["queued"] = what["queued"] || e.Phase == "queued"
		what["live stream"] = what["live stream"] || e.Phase == "streaming"
		what["shed"] = what["shed"] || e.Outcome == "shed" && e.Status != nil && *e.Status == 503
		what["HIT from memory"] = what["HIT from memory"] || e.XCache == "HIT" && e.Source == "hot"
		what["HIT from the journal"] = what["HIT from the journal"] || e.XCache == "HIT" && e.Source == "journal"
	}
	rows, err := p.journal.List(exchange.Page{})
	if err != nil {
		p.Fatal(err)
	}
	for _, e := range rows {
		what[string(e.Newest)] = true
		what["broken stream"] = what["broken stream"] || e.Stream && e.State == exchange.Partial && e.Newest == exchange.INCOMPLETE
	}
}

func TestTheDemoShowsEverythingWithinTenSeconds(t *testing.T) {
	p := startDemo(t, t.TempDir())
	what := map[string]bool{}
	until(t, "all that a demo has to show", func() bool { // ten seconds
		p.seen(what)
		for _, w := range []string{
			"HIT", "MISS", "BYPASS", "queued", "shed", "live stream", "broken stream",
			"CACHE_HIT", "DEAD_LETTER", "INTERRUPTED", "HIT from memory", "HIT from the journal",
		} {
			if !what[w] {
				return false
			}
		}
		return true
	})
	rows, err := p.journal.List(exchange.Page{State: exchange.Interrupted})
	if err != nil || len(rows) != 1 || rows[0].Last != exchange.INTERRUPTED || rows[0].Attempts != 1 {
		t.Fatalf("interrupted are %+v, %v", rows, err)
	}

	// r completes it, and its application gets the answer without a send.
	var started struct{ ID string }
	if code := p.api("POST", "/v1/journal/"+itoa(rows[0].ID)+"/retry", `{"confirm":true}`, &started); code != 202 {
		t.Fatalf("the retry is answered %d", code)
	}
	var d exchange.Dossier
	until(t, "the application to ask again", func() bool {
		d, err = p.journal.Dossier(rows[0].ID)
		return err == nil && d.Entry.Newest == exchange.CACHEHIT
	})
	sends := 0
	for _, e := range d.Events {
		if e.Name == exchange.SENT {
			sends++
		}
	}
	if sends != 2 || !d.Entry.Accepted {
		t.Errorf("%d sends, %+v", sends, d.Entry)
	}
	until(t, "the notice", func() bool { return strings.Contains(p.errs.String(), "HIT from the journal, nothing was sent") })

	p.stop()
	if err := <-p.ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	if !strings.Contains(p.errs.String(), "its journal is kept in "+p.State) {
		t.Errorf("at the end it says %s", p.errs)
	}
	if open := p.demo.origin.Stats().Open; open != 0 {
		t.Errorf("%d requests are open at the provider", open)
	}
}

// The call that was given up is one that an operator can complete.
func TestACallThatWasGivenUpIsCompletedByARetry(t *testing.T) {
	p := startDemo(t, t.TempDir())
	var rows []exchange.Entry
	until(t, "a dead letter", func() bool {
		rows, _ = p.journal.List(exchange.Page{State: exchange.DeadLetter})
		return len(rows) == 1
	})
	var started struct{ ID string }
	p.api("POST", "/v1/journal/"+itoa(rows[0].ID)+"/retry", `{"confirm":true}`, &started)
	until(t, "the retry to be accepted", func() bool {
		d, err := p.journal.Dossier(rows[0].ID)
		return err == nil && d.Entry.Accepted
	})
	p.stop()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

// The pause of an application ends with the demo, or q would wait for it.
func TestAPauseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if pause(ctx, time.Hour) {
		t.Error("it goes on after the end")
	}
	if !pause(t.Context(), 0) {
		t.Error("it does not go on")
	}
}

func TestTheDemoRefusesAFileOfRoutes(t *testing.T) {
	errs := &output{}
	if code := run([]string{"demo", "-c", "any.yaml"}, strings.NewReader(""), &output{}, errs); code != 2 || !strings.Contains(errs.String(), "brings its own routes") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
