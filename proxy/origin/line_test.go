package origin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Pins that the pool and its line are ours: one who left the line is not sent.
func TestAWaiterThatLeavesIsNeverSent(t *testing.T) {
	release := make(chan struct{})
	o := startRaw(t, func(c *rawConn) {
		for {
			if _, _, ok := c.next(); !ok {
				return
			}
			<-release
			c.say(ok2)
		}
	})
	p := startPool(t, Config{Targets: []string{o.url}, MaxConnections: 1})
	first := make(chan answer, 1)
	go func() { first <- fetch(p, request("GET", "/", "")) }()
	eventually(t, "the first is sent", func() bool { return o.requests.Load() == 1 })

	gone := errors.New("the client left")
	ctx, leave := context.WithCancelCause(context.Background())
	left := make(chan error, 1)
	go func() {
		c, err := p.Get(ctx, time.Minute)
		if err == nil {
			c.Close()
		}
		left <- err
	}()
	eventually(t, "the second stands in line", func() bool { return lineOf(p) == 1 })
	leave(gone)
	if err := <-left; err != gone {
		t.Errorf("got %v", err)
	}
	if lineOf(p) != 0 {
		t.Error("it still stands in line")
	}
	close(release)
	if a := <-first; a.err != nil {
		t.Error(a.err)
	}
	if open, idle := p.Stats(); open != 1 || idle != 1 || o.requests.Load() != 1 {
		t.Errorf("open %d, idle %d, %d requests", open, idle, o.requests.Load())
	}
}

func lineOf(p *Pool) int {
	t := p.targets[0]
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.line)
}

// Pins the line: first come, first served, for at most wait.
func TestThePlacesOfAFullTargetGoToTheFirstInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{MaxConnections: 1}, func(c *rawConn) { c.ended() })
		held, err := p.Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Get(context.Background(), 0); !errors.Is(err, ErrConnections) {
			t.Errorf("without a wait: %v", err)
		}
		start := time.Now()
		if _, err := p.Get(context.Background(), 100*time.Millisecond); !errors.Is(err, ErrConnections) || time.Since(start) != 100*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		served := make(chan int, 10)
		for i := range 10 {
			go func() {
				c, err := p.Get(context.Background(), time.Minute)
				if err != nil {
					t.Errorf("waiter %d: %v", i, err)
					return
				}
				served <- i
				time.Sleep(time.Second)
				if i%2 == 0 {
					c.Close() // never written on: handed on as it is
					return
				}
				_, _, _ = c.Send(request("GET", "/", ""), Limits{Header: time.Millisecond})
				c.Close() // closed: its place is handed on
			}()
			synctest.Wait()
		}
		held.Close()
		for want := range 10 {
			if got := <-served; got != want {
				t.Errorf("%d was served as number %d", got, want)
			}
		}
		time.Sleep(time.Minute)
		if open, idle := p.Stats(); open != idle || open > 1 {
			t.Errorf("open %d, idle %d", open, idle)
		}
	})
}

func TestClosingAPoolTurnsAwayThoseInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{MaxConnections: 1}, func(c *rawConn) { c.ended() })
		c, err := p.Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		turned := make(chan error)
		go func() {
			_, err := p.Get(context.Background(), time.Hour)
			turned <- err
		}()
		synctest.Wait()
		p.Close()
		if e := failure(t, <-turned); e.Phase != PhaseConnect || e.Wrote {
			t.Errorf("got %+v", *e)
		}
		if _, err := p.Get(context.Background(), 0); err == nil {
			t.Error("a closed pool gave a connection")
		}
		c.Close()
		if open, idle := p.Stats(); open != 0 || idle != 0 {
			t.Errorf("open %d, idle %d: what is given back to a closed pool is closed", open, idle)
		}
	})
}
