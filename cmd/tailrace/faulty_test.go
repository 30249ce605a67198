package main

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
	"tailrace/store/journal"
)

// faulty is a real journal of which a test can spoil single steps.
type faulty struct {
	*journal.Journal
	recall func() error
	append func(exchange.Step) error
	accept func() error
}

func (f *faulty) Recall(ask exchange.Ask) (exchange.Recalled, error) {
	if f.recall != nil {
		if err := f.recall(); err != nil {
			return exchange.Recalled{}, err
		}
	}
	return f.Journal.Recall(ask)
}

func (f *faulty) Append(s exchange.Step) (exchange.Claim, error) {
	if f.append != nil {
		if err := f.append(s); err != nil {
			return exchange.Claim{}, err
		}
	}
	return f.Journal.Append(s)
}

func (f *faulty) Accept(c exchange.Claim, r exchange.Result) error {
	if f.accept != nil {
		if err := f.accept(); err != nil {
			return err
		}
	}
	return f.Journal.Accept(c, r)
}

// said keeps the sentences that an operator is told.
type said struct {
	mu  sync.Mutex
	all []string
}

func (s *said) say(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, sentence)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.all, "\n")
}

// spoilt is the engine in front of an origin, on a journal that fails.
func spoilt(t *testing.T, addr string, f *faulty) (*stand, *proxytest.Rig, *said) {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal.db"), journal.Options{Complete: complete})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Journal = j
	told := &said{}
	rig := proxytest.Start(t, addr, func(c *proxy.Config) {
		c.Journal, c.Notice = f, told.say
		c.Routes[0].Journal.Mode = proxy.JournalIdempotent
	})
	return newStand(t, rig.URL, "", ""), rig, told
}

var errDisk = errors.New("disk full")

func TestAJournalThatCannotBeWrittenSendsNothing(t *testing.T) {
	for name, f := range map[string]*faulty{
		"the write-ahead step": {append: func(exchange.Step) error { return errDisk }},
		"the question":         {recall: func() error { return errDisk }},
	} {
		t.Run(name, func(t *testing.T) {
			fake, url := origin(t)
			s, _, _ := spoilt(t, strings.TrimPrefix(url, "http://"), f)
			for _, stream := range []bool{false, true} {
				got := s.send(t.Context(), say("unwritten", stream))
				if got.status != 503 || !got.is("X-Tailrace-Sent", "no") || !inDialect(got.body) || !strings.Contains(got.body, "nothing was sent") {
					t.Errorf("stream=%v: %d %v %s", stream, got.status, got.header, got.body)
				}
			}
			if other := s.do(t.Context(), "GET", s.proxy+"/v1/models", ""); other.status != 200 {
				t.Errorf("what is not journaled passes: %d", other.status)
			}
			if n := fake.Stats().ByPath[completions]; n != 0 {
				t.Errorf("%d sends", n)
			}
		})
	}
}

// The answer is paid: its client gets it, and the operator is told that it is
// not kept.
func TestAnAnswerThatCannotBeAcceptedIsDeliveredAllTheSame(t *testing.T) {
	fake, url := origin(t)
	f := &faulty{accept: func() error { return errDisk }}
	s, _, told := spoilt(t, strings.TrimPrefix(url, "http://"), f)
	for _, stream := range []bool{false, true} {
		body := say("paid", stream)
		direct := s.do(t.Context(), "POST", url+completions, body)
		got := s.send(t.Context(), body)
		if got.status != 200 || got.err != nil {
			t.Errorf("stream=%v: %d %v", stream, got.status, got.err)
		}
		check(t, "the answer", got.body, direct.body)
		if again := s.send(t.Context(), body); !again.is("X-Cache-Source", "origin") || again.body != direct.body {
			t.Errorf("stream=%v: what was not accepted is replayed: %v", stream, again.header)
		}
	}
	if n := fake.Stats().Requests; n != 6 {
		t.Errorf("%d requests", n)
	}
	rows, err := f.List(exchange.Page{})
	if err != nil || len(rows) == 0 {
		t.Fatal(rows, err)
	}
	for _, row := range rows { // it has ended, and no result of it is kept
		if row.State != exchange.Partial || row.Last != exchange.INCOMPLETE {
			t.Errorf("row %d is %s, last event %s", row.ID, row.State, row.Last)
		}
	}
	if !strings.Contains(told.String(), "disk full") {
		t.Errorf("the operator is told %q", told)
	}
}
