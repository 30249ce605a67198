package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
)

func TestMain(m *testing.M) {
	if run := children[os.Getenv("JOURNAL_TEST_CHILD")]; run != nil {
		run(os.Getenv("JOURNAL_TEST_PATH"))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are the bodies of processes that a test starts in order to kill them.
var children = map[string]func(path string){}

// clock advances by a millisecond with every look at it.
func clock() func() time.Time {
	ch := make(chan time.Time, 1)
	ch <- time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		t := <-ch
		ch <- t.Add(time.Millisecond)
		return t
	}
}

func open(t *testing.T, path string, o Options) *Journal {
	t.Helper()
	if o.Now == nil {
		o.Now = clock()
	}
	j, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state", "journal.db") }

func intent(key string) *exchange.Intent {
	in := &exchange.Intent{
		Scope: "POST http://origin/v1/chat/completions alice", Key: (key + "0000000000000000")[:16],
		Route: "openai", Origin: "http://origin", Method: "POST", Target: "/v1/chat/completions",
		Dialect: exchange.DialectOpenAI, API: "chat", Model: "m-1",
		Header:     exchange.Header{{Name: "Content-Type", Value: "application/json"}},
		Credential: "fp", Body: []byte(`{"model":"m-1","messages":[{"role":"user","content":"` + key + `"}]}`), BodyIntact: true, Preview: "say " + key,
	}
	copy(in.Digest[:], key)
	return in
}

func send(n int) []exchange.Event {
	return []exchange.Event{{Name: exchange.ATTEMPT, Detail: exchange.Detail{N: n}}, {Name: exchange.SENT}}
}

func appended(t *testing.T, j *Journal, s exchange.Step) exchange.Claim {
	t.Helper()
	c, err := j.Append(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// claim begins a new row of that key and sends it.
func claim(t *testing.T, j *Journal, key string) exchange.Claim {
	t.Helper()
	return appended(t, j, exchange.Step{Intent: intent(key), Events: send(1)})
}

func dossier(t *testing.T, j *Journal, row int64) exchange.Dossier {
	t.Helper()
	d, err := j.Dossier(row)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func recall(t *testing.T, j *Journal, key string) exchange.Recalled {
	t.Helper()
	in := intent(key)
	r, err := j.Recall(exchange.Ask{Scope: in.Scope, Key: in.Key, Digest: in.Digest, Body: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func list(t *testing.T, j *Journal, p exchange.Page) []exchange.Entry {
	t.Helper()
	entries, err := j.List(p)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// names are the events of a row in words, with their attempts.
func names(events []exchange.Event) (out []string) {
	for _, ev := range events {
		out = append(out, fmt.Sprintf("%s/%d", ev.Name, ev.Attempt))
	}
	return out
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// crash leaves the file as a killed process does: what was committed is there,
// and nothing says that it was closed.
func crash(t *testing.T, j *Journal) {
	t.Helper()
	last := &gate{tell: newTell(j), leave: make(chan struct{})}
	close(last.leave)
	if !j.queue.close(last) {
		t.Fatal("closed already")
	}
	<-j.writer.done
	j.check.stop()
	if err := j.release(); err != nil {
		t.Fatal(err)
	}
}

// gate holds the writer inside a transaction until it is opened.
type gate struct {
	tell
	entered func()
	leave   chan struct{}
}

func (g *gate) size() int     { return 0 }
func (g *gate) durable() bool { return false }
func (g *gate) write(*session) error {
	if g.entered != nil {
		g.entered()
	}
	<-g.leave
	return nil
}

// hold stops the writer in a transaction of its own; what is queued meanwhile
// makes the next one.
func hold(j *Journal) (open func()) {
	entered := make(chan struct{})
	g := &gate{tell: newTell(j), entered: func() { close(entered) }, leave: make(chan struct{})}
	j.queue.put(g, exchange.Claim{})
	<-entered
	return func() { close(g.leave); <-g.done }
}

// queued waits until n operations stand in the queue.
func queued(t *testing.T, j *Journal, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); j.Stats().Waiting < n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d of %d operations were queued", j.Stats().Waiting, n)
		}
	}
}

// checkFolds shows that every row is the fold of its events.
func checkFolds(t *testing.T, j *Journal) {
	t.Helper()
	checkFoldsAfter(t, j, 0)
}

// checkFoldsAfter looks at the rows behind one.
func checkFoldsAfter(t *testing.T, j *Journal, row int64) {
	t.Helper()
	for page := list(t, j, exchange.Page{Limit: 1000}); len(page) > 0; page = list(t, j, exchange.Page{Limit: 1000, Before: page[len(page)-1].ID}) {
		for _, e := range page {
			if e.ID <= row {
				return
			}
			d := dossier(t, j, e.ID)
			fold := exchange.Entry{
				ID: e.ID, Key: e.Key, Scope: e.Scope, Generation: e.Generation, DuplicateOf: e.DuplicateOf, Route: e.Route,
				Method: e.Method, Target: e.Target, Dialect: e.Dialect, API: e.API, Model: e.Model, Stream: e.Stream, Preview: e.Preview,
				State: exchange.Preparing, CreatedAt: e.CreatedAt, UpdatedAt: e.CreatedAt,
				Owed: e.Owed, // no event says so: the one that takes it does, in the same commit
			}
			for _, ev := range d.Events {
				fold.Apply(ev)
			}
			same(t, fmt.Sprintf("row %d is not the fold of its events", e.ID), fold, e)
			if e.Accepted != (d.Result != nil) {
				t.Errorf("row %d: accepted is %v, with a result is %v", e.ID, e.Accepted, d.Result != nil)
			}
		}
	}
}

func intact(t *testing.T, j *Journal) {
	t.Helper()
	var found string
	err := j.readers.view(func(s *session) error {
		_, err := s.get("PRAGMA integrity_check", nil, &found)
		return err
	})
	if err != nil || found != "ok" {
		t.Errorf("the file is %q, %v", found, err)
	}
}
