package journal

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"tailrace/proxy/exchange"
)

// stored waits until n pieces are on the disk.
func stored(t *testing.T, j *Journal, n uint64) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); j.Stats().Pieces < n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d of %d pieces were stored", j.Stats().Pieces, n)
		}
	}
}

func TestAStreamComesBackByteForByteWhateverItsPieces(t *testing.T) {
	j := open(t, newPath(t), Options{})
	rnd := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 2<<20)
	for i := range body {
		body[i] = byte(rnd.Uint32())
	}
	c := claim(t, j, "a")
	other := claim(t, j, "b")
	buf := make([]byte, 1<<20)
	for rest := body; len(rest) > 0; {
		n := min(len(rest), []int{1, 7, 4096, 1 << 20}[rnd.IntN(4)])
		j.Record(c, buf[:copy(buf, rest[:n])]) // the buffer is used again: pieces are copied
		j.Record(other, []byte("other"))
		rest = rest[n:]
	}
	if err := j.Accept(c, exchange.Result{Status: 200, Stream: true}); err != nil {
		t.Fatal(err)
	}
	d := dossier(t, j, c.Row)
	if !bytes.Equal(d.Result.Body, body) || !bytes.Equal(d.Attempts[0].Raw, body) || d.Attempts[0].Bytes != int64(len(body)) {
		t.Errorf("%d bytes came back of %d, or others", len(d.Result.Body), len(body))
	}
}

func TestWhatACutAttemptReceivedIsKept(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	j.Record(c, []byte("data: half"))
	appended(t, j, exchange.Step{
		Claim: c, Events: []exchange.Event{{Name: exchange.INCOMPLETE, Detail: exchange.Detail{Error: "cut", Tokens: 3, Delivered: true}}},
		End: &exchange.AttemptEnd{Outcome: exchange.OutcomeIncomplete},
	})
	j.Record(c, []byte(" and what came after the end"))
	j.Record(exchange.Claim{Row: 99, Attempt: 1, Fence: 1}, []byte("of no row"))
	retry := appended(t, j, exchange.Step{Intent: intent("a"), Row: c.Row, Events: send(1)})
	if err := j.Accept(retry, exchange.Result{Status: 200, Body: []byte("whole")}); err != nil {
		t.Fatal(err)
	}
	d := dossier(t, j, c.Row)
	same(t, "raw", []string{"data: half", "whole"}, []string{string(d.Attempts[0].Raw), string(d.Attempts[1].Raw)})
}

func TestPiecesGatherForFiftyMillisecondsOrSixteenPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		c := exchange.Claim{Row: 1, Attempt: 1, Fence: 1}
		q.record(c, []byte("a"), torn{})
		time.Sleep(packWait - time.Millisecond)
		q.record(c, []byte("b"), torn{})
		if n, bytes := q.load(); n != 0 || bytes != 2 {
			t.Errorf("%d operations and %d bytes before the time", n, bytes)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		batch := q.take()
		if len(batch) != 1 || string(batch[0].(*pack).body) != "ab" {
			t.Errorf("after the time the writer was given %d operations", len(batch))
		}
		for i := range packPieces {
			if n, _ := q.load(); n != 0 {
				t.Fatalf("an operation after %d pieces", i)
			}
			q.record(c, []byte("c"), torn{})
		}
		if n, _ := q.load(); n != 1 {
			t.Errorf("%d operations after %d pieces", n, packPieces)
		}
		q.take()
		time.Sleep(time.Second)
	})
}

func TestRecordWaitsWhileSixteenMebibytesAreQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		piece := make([]byte, 1<<20)
		for i := range 16 {
			q.record(exchange.Claim{Row: int64(i)}, piece, torn{})
		}
		passed := false
		go func() {
			q.record(exchange.Claim{Row: 99}, []byte("one more"), torn{})
			passed = true
		}()
		synctest.Wait()
		if passed {
			t.Error("a piece beyond the limit did not wait")
		}
		for _, o := range q.take() {
			o.settle(nil)
		}
		synctest.Wait()
		if _, bytes := q.load(); !passed || bytes != 8 {
			t.Errorf("after the writer made room: passed %v, %d bytes", passed, bytes)
		}
		time.Sleep(time.Second)
	})
}

func TestManyStreamsBeyondTheQueueLimitAllArrive(t *testing.T) {
	j := open(t, newPath(t), Options{})
	piece := make([]byte, 100<<10)
	done := make(chan error)
	for i := range 8 {
		c := claim(t, j, strconv.Itoa(i))
		go func() {
			for range 25 {
				j.Record(c, piece)
			}
			done <- j.Accept(c, exchange.Result{Status: 200, Stream: true})
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, e := range list(t, j, exchange.Page{}) {
		if n := len(dossier(t, j, e.ID).Result.Body); n != 25*len(piece) {
			t.Errorf("row %d has %d bytes", e.ID, n)
		}
	}
	if s := j.Stats(); s.QueueBytes != 0 {
		t.Errorf("%d bytes are queued at the end", s.QueueBytes)
	}
}
