package journal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tailrace/proxy/exchange"
)

func TestSixtyFourWritersShareOneCommit(t *testing.T) {
	j := open(t, newPath(t), Options{})
	release := hold(j)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if _, err := j.Append(exchange.Step{Intent: intent(strconv.Itoa(i)), Events: send(1)}); err != nil {
				t.Error(err)
			}
		})
	}
	queued(t, j, 64)
	before := j.Stats()
	release()
	wg.Wait()
	after := j.Stats()
	if n := after.Commits - before.Commits; n != 2 { // the one that was held, and one for all
		t.Errorf("%d commits, want 2", n)
	}
	if n := after.Durable - before.Durable; n != 1 {
		t.Errorf("%d fsyncs, want 1", n)
	}
	if n := after.Events - before.Events; n != 128 {
		t.Errorf("%d events, want 128", n)
	}
}

func TestOnlyWhatMustOutliveAPowerLossWaitsForTheDisk(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	for _, test := range []struct {
		name    string
		do      func() error
		durable bool
	}{
		{"HEADERS", appendOf(j, c, exchange.HEADERS), false},
		{"RESUME", appendOf(j, c, exchange.RESUME), false},
		{"CACHE_HIT", appendOf(j, c, exchange.CACHEHIT), false},
		{"SENT", appendOf(j, c, exchange.SENT), true},
		{"TIMEOUT", appendOf(j, c, exchange.TIMEOUT), true},
		{"accept", func() error { return j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")}) }, true},
	} {
		before := j.Stats()
		if err := test.do(); err != nil {
			t.Fatal(err)
		}
		after := j.Stats()
		if after.Commits-before.Commits != 1 || (after.Durable-before.Durable == 1) != test.durable {
			t.Errorf("%s: %d commits, %d of them fsynced", test.name, after.Commits-before.Commits, after.Durable-before.Durable)
		}
		var mode int
		look := &probe{tell: newTell(j), f: func(s *session) error {
			_, err := s.get("PRAGMA synchronous", nil, &mode)
			return err
		}, full: test.durable}
		if err := look.wait(look, exchange.Claim{}); err != nil {
			t.Fatal(err)
		}
		if (mode == 2) != test.durable {
			t.Errorf("%s: SQLite wrote with synchronous = %d", test.name, mode)
		}
	}
}

func appendOf(j *Journal, c exchange.Claim, name exchange.EventName) func() error {
	return func() error {
		_, err := j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: name}}})
		return err
	}
}

// probe runs a function in the writer's transaction.
type probe struct {
	tell
	f    func(*session) error
	full bool
}

func (p *probe) size() int              { return 0 }
func (p *probe) durable() bool          { return p.full }
func (p *probe) write(s *session) error { return p.f(s) }

func TestARefusedStepDoesNotTakeTheOthersOfItsBatchAlong(t *testing.T) {
	j := open(t, newPath(t), Options{})
	old := claim(t, j, "a")
	appended(t, j, exchange.Step{Intent: intent("a"), Row: old.Row, Events: send(2)})
	release := hold(j)
	errs := make([]error, 3)
	var wg sync.WaitGroup
	for i, s := range []exchange.Step{
		{Intent: intent("b"), Events: send(1)},
		{Claim: old, Events: []exchange.Event{{Name: exchange.TIMEOUT}}},
		{Intent: intent("c"), Events: send(1)},
	} {
		wg.Go(func() { _, errs[i] = j.Append(s) })
		queued(t, j, i+1)
	}
	before := j.Stats().Commits
	release()
	wg.Wait()
	if errs[0] != nil || !errors.Is(errs[1], exchange.ErrFenced) || errs[2] != nil {
		t.Errorf("errors are %v", errs)
	}
	if n := j.Stats().Commits - before; n != 2 {
		t.Errorf("%d commits, want the held one and one for all three", n)
	}
	if !recall(t, j, "b").Found || !recall(t, j, "c").Found {
		t.Error("a good step of the batch is missing")
	}
}

// TestAFullDiskInTheMiddleOfABatch lets SQLite run out of pages: after such an
// error the statements that follow in the same transaction were once committed
// one by one.
func TestAFullDiskInTheMiddleOfABatchLeavesNothingOfIt(t *testing.T) {
	j := open(t, newPath(t), Options{})
	live := claim(t, j, "live")
	before := fmt.Sprint(list(t, j, exchange.Page{}))
	release := hold(j)
	full := &probe{tell: newTell(j), f: func(s *session) error {
		var pages int
		if _, err := s.get("PRAGMA page_count", nil, &pages); err != nil {
			return err
		}
		_, err := s.get(fmt.Sprintf("PRAGMA max_page_count = %d", pages+8), nil, &pages)
		return err
	}}
	large := intent("large")
	large.Body = make([]byte, 1<<20)
	steps := []exchange.Step{
		{Intent: intent("first"), Events: send(1)},
		{Intent: large, Events: send(1)},
		{Intent: intent("after"), Events: send(1)},
		{Claim: live, Events: []exchange.Event{{Name: exchange.TIMEOUT}}},
	}
	errs := make([]error, len(steps)+1)
	var wg sync.WaitGroup
	wg.Go(func() { errs[len(steps)] = full.wait(full, exchange.Claim{}) })
	queued(t, j, 1)
	for i, s := range steps {
		wg.Go(func() { _, errs[i] = j.Append(s) })
		queued(t, j, i+2)
	}
	release()
	wg.Wait()
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("waiter %d was told %v", i, err)
		}
	}
	same(t, "rows", before, fmt.Sprint(list(t, j, exchange.Page{})))
	same(t, "events", []string{"ATTEMPT/1", "SENT/1"}, names(dossier(t, j, live.Row).Events))
	if j.Stats().Errors != 1 {
		t.Errorf("%d errors are counted", j.Stats().Errors)
	}

	// There is room again: the same steps go through.
	for _, s := range steps {
		appended(t, j, s)
	}
	checkFolds(t, j)
	intact(t, j)
}

func TestAStreamThatLostAPieceIsNotAccepted(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	j.Record(c, []byte("one "))
	if err := appendOf(j, c, exchange.HEADERS)(); err != nil {
		t.Fatal(err)
	}
	release := hold(j)
	broken := &probe{tell: newTell(j), f: func(*session) error { return errors.New("disk I/O error") }}
	go func() { _ = broken.wait(broken, exchange.Claim{}) }()
	queued(t, j, 1)
	j.Record(c, []byte("two "))
	j.queue.wake()
	queued(t, j, 2)
	release()
	if err := appendOf(j, c, exchange.HEADERS)(); err != nil {
		t.Fatal(err)
	}
	j.Record(c, []byte("three"))
	if err := j.Accept(c, exchange.Result{Status: 200, Stream: true}); err == nil {
		t.Error("an answer with a hole was accepted")
	}
	d := dossier(t, j, c.Row)
	if string(d.Attempts[0].Raw) != "one " || d.Result != nil {
		t.Errorf("kept %q, want what came before the hole", d.Attempts[0].Raw)
	}
}
