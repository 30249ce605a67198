package journal

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tailrace/proxy/exchange"
)

// TestATornLogLosesAnEndAndNothingElse cuts, flips and zeroes the write-ahead
// log as a power loss may: what is left is what was written first, without a
// gap, and the rows fit it.
func TestATornLogLosesAnEndAndNothingElse(t *testing.T) {
	path := newPath(t)
	j := open(t, path, Options{})
	resume := stall(j)
	for i := range 24 {
		c := claim(t, j, strconv.Itoa(i%7))
		if i%3 == 0 {
			if err := j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, wal := read(t, path), read(t, path+"-wal")
	resume()
	var want []int64
	for _, e := range list(t, j, exchange.Page{Limit: 1000}) {
		for _, ev := range dossier(t, j, e.ID).Events {
			want = append(want, ev.Seq)
		}
	}
	rnd := rand.New(rand.NewPCG(13, 17))
	whole, lost := 0, 0
	for i := range 45 {
		torn := append([]byte(nil), wal...)
		at := rnd.IntN(len(torn))
		switch i % 3 {
		case 0:
			torn = torn[:at]
		case 1:
			torn[at] ^= 0x40
		case 2:
			clear(torn[at:min(at+4096, len(torn))])
		}
		copied := filepath.Join(t.TempDir(), "journal.db")
		for name, b := range map[string][]byte{copied: file, copied + "-wal": torn} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n := prefix(t, copied); n == len(want) {
			whole++
		} else {
			lost++
		}
		if t.Failed() {
			t.Fatalf("damage %d at %d", i, at)
		}
	}
	if lost < 30 {
		t.Errorf("only %d of 45 damages lost something: they prove little", lost)
	}
}

// stall keeps the log from being moved into the file.
func stall(j *Journal) (resume func()) {
	j.check.stop()
	return func() {
		j.check.quit, j.check.done = make(chan struct{}), make(chan struct{})
		go j.check.run()
	}
}

// prefix opens a copy and counts the events that were there before it was
// opened; they have the numbers from 1 on.
func prefix(t *testing.T, path string) (n int) {
	t.Helper()
	j, err := Open(path, Options{Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	checkFolds(t, j)
	intact(t, j)
	marked := len(j.Recovered())
	err = j.readers.view(func(s *session) error {
		var first, last, count int
		if _, err := s.get("SELECT coalesce(min(seq), 1), coalesce(max(seq), 0), count(*) FROM events", nil, &first, &last, &count); err != nil {
			return err
		}
		if first != 1 || last != count {
			t.Errorf("%d events are numbered %d to %d", count, first, last)
		}
		n = count - marked
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	return n
}
