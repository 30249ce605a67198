package flight

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"tailrace/proxy/exchange"
)

func data(n int) []byte {
	p := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(p)
	return p
}

func TestEveryReaderGetsTheSameBytesFromTheStart(t *testing.T) {
	want := data(3 << 20)
	b := NewBody()
	var wg sync.WaitGroup
	read := func() {
		r, err := b.NewReader()
		if err != nil {
			t.Error(err)
			return
		}
		wg.Go(func() {
			defer r.Close()
			got, err := io.ReadAll(r)
			if err != nil || sha256.Sum256(got) != sha256.Sum256(want) {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
		})
	}
	read()
	for i := 0; i < len(want); {
		n := min(1+i%9973, len(want)-i)
		b.Write(want[i : i+n])
		i += n
		if i > len(want)/2 && i-n <= len(want)/2 {
			read() // rides from the middle on
		}
	}
	b.End(nil)
	read() // after the end
	wg.Wait()
	if whole, ok := b.Whole(); !ok || !bytes.Equal(whole, want) {
		t.Fatal("the whole differs from what was written")
	}
}

func TestOneReaderIsBackpressureAndSeveralDoNotHoldEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBody()
		slow, _ := b.NewReader()
		fast, _ := b.NewReader()
		written := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 64 {
				b.Write(make([]byte, 32<<10))
				written++
			}
			b.End(nil)
		}()
		synctest.Wait()
		if want := Window/(32<<10) + 1; written != want {
			t.Fatalf("%d pieces before the writer waited, want %d", written, want)
		}
		if n, _ := io.Copy(io.Discard, fast); n != 2<<20 {
			t.Fatalf("the fast reader got %d bytes", n)
		}
		<-done
		if n, _ := io.Copy(io.Discard, slow); n != 2<<20 {
			t.Fatalf("the slow reader got %d bytes", n)
		}
	})
}

func TestReleasedBodyKeepsOnlyAWindow(t *testing.T) {
	b := NewBody()
	r, _ := b.NewReader()
	b.Release()
	buf := make([]byte, 1<<20)
	for range 1000 {
		b.Write(make([]byte, 64<<10))
		if _, err := io.ReadFull(r, buf[:64<<10]); err != nil {
			t.Fatal(err)
		}
	}
	if kept := b.end - b.base; kept > Window {
		t.Fatalf("%d bytes are kept, more than a window", kept)
	}
	if _, err := b.NewReader(); !errors.Is(err, ErrTooLate) {
		t.Fatalf("got %v, want ErrTooLate", err)
	}
}

func TestBrokenBodyIsNeverWhole(t *testing.T) {
	b := NewBody()
	r, _ := b.NewReader()
	b.Write([]byte("half"))
	why := errors.New("broke off")
	b.End(why)
	got, err := io.ReadAll(r)
	if string(got) != "half" || !errors.Is(err, why) {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, ok := b.Whole(); ok {
		t.Fatal("a broken body says that it is whole")
	}
}

func TestFailedReaderEndsAndOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBody()
		a, _ := b.NewReader()
		c, _ := b.NewReader()
		why := errors.New("killed")
		ended := make(chan error, 1)
		go func() {
			_, err := a.Read(make([]byte, 8))
			ended <- err
		}()
		synctest.Wait()
		a.Fail(why)
		if err := <-ended; !errors.Is(err, why) {
			t.Fatalf("got %v", err)
		}
		a.Close()
		b.Write([]byte("on"))
		b.End(nil)
		if got, err := io.ReadAll(c); string(got) != "on" || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}

func TestTheLastToLeaveCutsTheFetch(t *testing.T) {
	var g Group[string]
	f, first := g.Join("k", 1)
	if !first {
		t.Fatal("nobody was first")
	}
	r, again := g.Join("k", 2)
	if again || r != f || r.Leader != exchange.ID(1) {
		t.Fatal("the second did not ride on the first")
	}
	why := errors.New("client gone")
	if f.Leave(why) || f.Ctx.Err() != nil {
		t.Fatal("the leader's leaving cut the rider's fetch")
	}
	if !r.Leave(why) || !errors.Is(context.Cause(f.Ctx), why) {
		t.Fatal("the last to leave did not cut the fetch")
	}
	if g.Len() != 0 {
		t.Fatal("a flight that was cut can still be joined")
	}
	if _, first := g.Join("k", 3); !first {
		t.Fatal("a flight that was cut was joined")
	}
}

func TestRidersOfWhatNobodyMayShareGoAlone(t *testing.T) {
	var g Group[string]
	f, _ := g.Join("k", 1)
	r, _ := g.Join("k", 2)
	f.Alone(exchange.Head{Status: 200}, NewBody())
	if _, _, err := r.Head(t.Context(), true); !errors.Is(err, ErrAlone) {
		t.Fatalf("rider got %v, want ErrAlone", err)
	}
	if h, _, err := f.Head(t.Context(), false); err != nil || h.Status != 200 {
		t.Fatalf("leader got %v, %v", h, err)
	}
	if _, first := g.Join("k", 3); !first {
		t.Fatal("a flight that is not shared was joined")
	}
}
