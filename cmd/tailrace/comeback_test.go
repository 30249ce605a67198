package main

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

// carries reports whether a step carries an event.
func carries(s exchange.Step, name exchange.EventName) bool {
	return slices.ContainsFunc(s.Events, func(e exchange.Event) bool { return e.Name == name })
}

// The 499 goes out at once; if the request is back before the kill is on the
// disk, it waits for that instead of being sent.
func TestAKilledRequestIsRefusedAlsoWhileTheKillIsBeingWritten(t *testing.T) {
	for _, stream := range []bool{false, true} {
		o, _ := silent(t)
		writes, late := make(chan struct{}), make(chan struct{})
		s, rig, _ := spoilt(t, o.Addr, &faulty{append: func(st exchange.Step) error {
			if carries(st, exchange.KILLED) {
				close(writes)
				<-late
			}
			return nil
		}})
		first := s.eventually(t.Context(), say("late", stream))
		sent := proxytest.Of[exchange.Sent](t, rig.Ledger)
		until(t, "the send", func() bool { return o.Requests.Load() == 1 })
		if _, err := rig.Kill(sent.ID); err != nil {
			t.Fatal(err)
		}
		<-writes
		if got := <-first; got.status != 499 {
			t.Errorf("stream=%v: %d %s", stream, got.status, got.body)
		}
		again := s.eventually(t.Context(), say("late", stream))
		rig.Ledger.Wait(t, func(f exchange.Fact) bool { r, ok := f.(exchange.Received); return ok && r.ID > sent.ID })
		close(late)
		if got := <-again; got.status != 499 || o.Requests.Load() != 1 {
			t.Errorf("stream=%v: again %d %s after %d sends", stream, got.status, got.body, o.Requests.Load())
		}
	}
}

// A client that leaves and comes back at once goes on with its row: it is not
// a second client of the same request.
func TestAClientThatComesBackAtOnceGoesOnWithItsRow(t *testing.T) {
	o, _ := silent(t)
	writes, late := make(chan struct{}, 1), make(chan struct{})
	var once sync.Once
	_, rig, _ := spoilt(t, o.Addr, &faulty{append: func(st exchange.Step) error {
		if carries(st, exchange.CLIENTGONE) {
			once.Do(func() { writes <- struct{}{}; <-late })
		}
		return nil
	}})
	c := dialRaw(t, rig.Addr, say("back", true))
	sent := proxytest.Of[exchange.Sent](t, rig.Ledger)
	_ = c.Close()
	<-writes
	c = dialRaw(t, rig.Addr, say("back", true))
	rig.Ledger.Wait(t, func(f exchange.Fact) bool { r, ok := f.(exchange.Received); return ok && r.ID > sent.ID })
	close(late)
	second, _ := rig.Ledger.Wait(t, func(f exchange.Fact) bool { r, ok := f.(exchange.Sent); return ok && r.ID > sent.ID }).(exchange.Sent)
	if second.Row != sent.Row || second.Attempt != 2 {
		t.Errorf("the second send is attempt %d of row %d, want 2 of %d", second.Attempt, second.Row, sent.Row)
	}
	_ = c.Close()
}

// dialRaw sends a chat completion on a connection of its own and does not wait.
func dialRaw(t *testing.T, addr, body string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", completions, addr, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
