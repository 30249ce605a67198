package journal

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"testing"

	"tailrace/proxy/exchange"
)

func TestOfEightAcceptsThatRaceOneIsStored(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = j.Accept(c, exchange.Result{Status: 200, Body: []byte{byte('0' + i)}})
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("accepts %d and %d both succeeded", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, ErrAccepted):
			t.Errorf("accept %d: %v", i, err)
		}
	}
	d := dossier(t, j, c.Row)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1", "COMPLETE/1"}, names(d.Events))
	if winner < 0 || string(d.Result.Body) != string(rune('0'+winner)) {
		t.Errorf("accept %d succeeded, the result is %q", winner, d.Result.Body)
	}
}

func TestAResultComesBackAsItWasAccepted(t *testing.T) {
	j := open(t, newPath(t), Options{})
	for name, body := range map[string][]byte{"json": []byte(`{"choices":[]}`), "binary": []byte("\x00\xff\x00"), "empty": {}} {
		c := claim(t, j, name)
		want := exchange.Result{
			Status: 201, Header: exchange.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "X", Value: "\xe9\x80"}},
			Body: body, Usage: exchange.Usage{Input: 3, Output: 4, Exact: true}, Accepted: fromMicros(1_772_366_400_123_456),
		}
		if err := j.Accept(c, want); err != nil {
			t.Fatal(err)
		}
		r := recall(t, j, name)
		if r.Result == nil {
			t.Fatalf("%s: no result", name)
		}
		same(t, name, want, *r.Result)
		d := dossier(t, j, c.Row)
		a := d.Attempts[0]
		if !bytes.Equal(a.Raw, body) || a.Outcome != exchange.OutcomeCompleted || a.Status != 201 || a.Bytes != int64(len(body)) || !a.EndedAt.Equal(want.Accepted) {
			t.Errorf("%s: attempt %+v", name, a)
		}
		if d.Entry.State != exchange.Accepted || !d.Entry.Accepted {
			t.Errorf("%s: entry %+v", name, d.Entry)
		}
	}
}

func TestAnAttemptThatHasEndedIsNotAccepted(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	appended(t, j, exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.KILLED}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeKilled}})
	if err := j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")}); err == nil {
		t.Error("a killed attempt was accepted")
	}
	if d := dossier(t, j, c.Row); d.Result != nil || d.Entry.Accepted {
		t.Errorf("dossier %+v", d)
	}
}

func TestAReaderSeesAResultWholeOrNotAtAll(t *testing.T) {
	j := open(t, newPath(t), Options{})
	piece := bytes.Repeat([]byte("0123456789abcdef"), 8<<10)
	const pieces = 8
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var nothing, all int
	wg.Go(func() {
		for last := false; ; {
			r := recall(t, j, "a")
			complete := r.Entry.Newest == exchange.COMPLETE
			switch {
			case r.Result == nil && !r.Entry.Accepted && !complete:
				nothing++
			case r.Result != nil && r.Entry.Accepted && complete && len(r.Result.Body) == pieces*len(piece):
				all++
			default:
				t.Errorf("accepted %v, newest %s, result %v", r.Entry.Accepted, r.Entry.Newest, r.Result != nil)
				return
			}
			if last {
				return
			}
			select {
			case <-stop:
				last = true // once more: everything is accepted by now
			default:
				runtime.Gosched()
			}
		}
	})
	for i := range 12 {
		c := claim(t, j, "a")
		res := exchange.Result{Status: 200}
		if i%2 == 0 {
			res.Body = bytes.Repeat(piece, pieces)
		} else {
			for range pieces {
				j.Record(c, piece)
			}
		}
		if err := j.Accept(c, res); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if nothing == 0 || all == 0 {
		t.Errorf("the reader saw nothing %d times and all of it %d times: it proved little", nothing, all)
	}
}
