package journal

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"tailrace/proxy/exchange"
)

// BenchmarkSent is what a journaled call waits for before its first byte: the
// request, claim, ATTEMPT and SENT, on the disk. commits/op is the share of an
// fsync that each one pays.
func BenchmarkSent(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(strconv.Itoa(writers)+" writers", func(b *testing.B) {
			j, err := Open(b.TempDir()+"/journal.db", Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			var next atomic.Int64
			before := j.Stats()
			b.ResetTimer()
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if _, err := j.Append(exchange.Step{Intent: intent(strconv.FormatInt(i, 10)), Events: send(1)}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			after := j.Stats()
			b.ReportMetric(float64(after.Durable-before.Durable)/float64(b.N), "fsyncs/op")
			b.ReportMetric(float64(after.Events-before.Events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkCall is all that one stored answer costs: claim, HEADERS, 20 pieces,
// accept.
func BenchmarkCall(b *testing.B) {
	j, err := Open(b.TempDir()+"/journal.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	piece := make([]byte, 200)
	before := j.Stats()
	for i := 0; b.Loop(); i++ {
		c, err := j.Append(exchange.Step{Intent: intent(strconv.Itoa(i)), Events: send(1)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.HEADERS, Detail: exchange.Detail{Status: 200, Stream: true}}}}); err != nil {
			b.Fatal(err)
		}
		for range 20 {
			j.Record(c, piece)
		}
		if err := j.Accept(c, exchange.Result{Status: 200, Stream: true}); err != nil {
			b.Fatal(err)
		}
	}
	after := j.Stats()
	b.ReportMetric(float64(after.Durable-before.Durable)/float64(b.N), "fsyncs/op")
}

// BenchmarkRecall is the question before a send.
func BenchmarkRecall(b *testing.B) {
	j, err := Open(b.TempDir()+"/journal.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	in := intent("a")
	c, err := j.Append(exchange.Step{Intent: in, Events: send(1)})
	if err == nil {
		err = j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")})
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := j.Recall(exchange.Ask{Scope: in.Scope, Key: in.Key, Digest: in.Digest, Body: true}); err != nil || r.Result == nil {
			b.Fatal(r, err)
		}
	}
}
