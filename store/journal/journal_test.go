package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func claim(t *testing.T, j *Journal, key string) exchange.Claim {
	t.Helper()
	return must(j.Append(exchange.Step{Intent: intent(key), Events: send(1)}))(t)
}

func TestSmoke(t *testing.T) {
	path := newPath(t)
	j := open(t, path, Options{})
	c := claim(t, j, "a")
	j.Record(c, []byte("hello "))
	j.Record(c, []byte("world"))
	if err := j.Accept(c, exchange.Result{Status: 200, Stream: true}); err != nil {
		t.Fatal(err)
	}
	d := must(j.Dossier(c.Row))(t)
	fmt.Printf("%+v\n", d)
	fmt.Printf("%s\n", d.Result.Body)
	r := must(j.Recall(exchange.Ask{Scope: intent("a").Scope, Key: intent("a").Key, Digest: intent("a").Digest, Body: true}))(t)
	fmt.Printf("%+v\n", r)
	fmt.Printf("%+v\n", must(j.List(exchange.Page{}))(t))
	fmt.Printf("%+v\n", j.Stats())
}
