package origin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The clocks run in a bubble over net.Pipe, which has no system buffer: a write
// waits until it is read.

// piped returns a pool whose connections are pipes to script. At the end of the
// test it is closed, and the scripts must find out.
func piped(t *testing.T, cfg Config, script func(c *rawConn)) *Pool {
	o := &rawOrigin{}
	var scripts sync.WaitGroup
	cfg.Targets = []string{"http://origin.test"}
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		o.accepted.Add(1)
		scripts.Go(func() {
			defer far.Close()
			script(&rawConn{Conn: far, o: o, br: bufio.NewReader(far)})
		})
		return near, nil
	}
	t.Cleanup(scripts.Wait)
	return startPool(t, cfg)
}

// timed runs a fetch under l and returns what was read and after how long it
// ended.
func timed(p *Pool, method, body string, l Limits) (string, time.Duration, error) {
	c, err := p.Get(context.Background(), 0)
	if err != nil {
		return "", 0, err
	}
	defer c.Close()
	start := time.Now()
	_, r, err := c.Send(request(method, "/", body), l)
	if err != nil {
		return "", time.Since(start), err
	}
	b, err := io.ReadAll(r)
	return string(b), time.Since(start), err
}

// Pins the two phases of deadlines: one for the head, and a budget that every
// read of the body arms anew.
func TestALiveStreamIsNeverCutAndASilentOneAtItsBudget(t *testing.T) {
	for _, framing := range []string{"chunked", "until close", "length"} {
		synctest.Test(t, func(t *testing.T) {
			p := piped(t, Config{}, func(c *rawConn) {
				c.next()
				write := func(s string) { c.say(s) }
				switch framing {
				case "chunked":
					c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
					write = func(s string) { c.say(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }
				case "length":
					c.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
				default:
					c.say("HTTP/1.1 200 OK\r\n\r\n")
				}
				for range 10 {
					time.Sleep(9 * time.Minute)
					write("tick ")
				}
				time.Sleep(11 * time.Minute)
				write("late")
			})
			got, after, err := timed(p, "GET", "", Limits{Header: time.Second, Idle: 10 * time.Minute})
			if want := 100 * time.Minute; after != want || got != strings.Repeat("tick ", 10) {
				t.Errorf("%s: ended after %v (want %v) with %q", framing, after, want, got)
			}
			e := failure(t, err)
			if !errors.Is(e, ErrIdle) || e.Phase != PhaseBody || !e.Wrote || !e.Got {
				t.Errorf("%s: %+v", framing, *e)
			}
		})
	}
}

// Pins that Idle is about bytes, not events: a drip inside one chunk keeps the
// stream alive.
func TestADripInsideOneChunkKeepsAStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{}, func(c *rawConn) {
			c.next()
			c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n")
			for _, b := range "12345678" {
				time.Sleep(9 * time.Second)
				c.say(string(b))
			}
			time.Sleep(9 * time.Second)
			c.say("\r\n0\r\n\r\n")
		})
		got, _, err := timed(p, "GET", "", Limits{Idle: 10 * time.Second})
		if got != "12345678" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestTotalCutsAStreamThatDripsAtExactlyItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{}, func(c *rawConn) {
			c.next()
			time.Sleep(300 * time.Millisecond)
			c.say("HTTP/1.1 200 OK\r\n\r\n")
			for {
				time.Sleep(time.Second)
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
			}
		})
		got, after, err := timed(p, "GET", "", Limits{Header: 30 * time.Second, Total: time.Minute, Idle: 10 * time.Minute})
		if e := failure(t, err); !errors.Is(e, ErrFetchTimeout) || e.Phase != PhaseBody || after != time.Minute || len(got) != 59 {
			t.Errorf("after %v with %d bytes: %v", after, len(got), err)
		}
	})
}

func TestTheHeadIsWaitedForAsLongAsItsLimit(t *testing.T) {
	hang := func(c *rawConn) {
		c.next()
		c.ended()
	}
	drip := func(c *rawConn) { // a byte now and then does not make a head
		c.next()
		c.say("HTTP/1.1 200 OK\r\nX: ")
		for {
			time.Sleep(time.Second)
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}
	deaf := func(c *rawConn) { // never reads: the write stalls
		time.Sleep(time.Hour)
	}
	for _, s := range []struct {
		name   string
		script func(*rawConn)
		body   string
		limits Limits
		after  time.Duration
		err    error
		phase  Phase
	}{
		{"hang", hang, "", Limits{Header: 30 * time.Second, Total: time.Minute, Idle: time.Second}, 30 * time.Second, ErrHeaderTimeout, PhaseHead},
		{"hang, large body", hang, strings.Repeat("b", 1<<20), Limits{Header: 30 * time.Second}, 30 * time.Second, ErrHeaderTimeout, PhaseHead},
		{"hang, total first", hang, "", Limits{Header: time.Minute, Total: time.Second}, time.Second, ErrFetchTimeout, PhaseHead},
		{"hang, total alone", hang, "", Limits{Total: time.Second}, time.Second, ErrFetchTimeout, PhaseHead},
		{"drip", drip, "", Limits{Header: 30*time.Second + 1, Idle: 5 * time.Second}, 30*time.Second + 1, ErrHeaderTimeout, PhaseHead},
		{"deaf", deaf, "", Limits{Header: 30 * time.Second}, 30 * time.Second, ErrHeaderTimeout, PhaseWrite},
		{"deaf, large body", deaf, strings.Repeat("b", 1<<20), Limits{Header: 30 * time.Second}, 30 * time.Second, ErrHeaderTimeout, PhaseWrite},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := piped(t, Config{}, s.script)
			_, after, err := timed(p, "POST", s.body, s.limits)
			if e := failure(t, err); !errors.Is(e, s.err) || e.Phase != s.phase || e.Wrote != (s.phase == PhaseHead) {
				t.Errorf("%s: %+v", s.name, *e)
			}
			if after != s.after {
				t.Errorf("%s: after %v, want %v", s.name, after, s.after)
			}
			if open, _ := p.Stats(); open != 0 {
				t.Errorf("%s: %d connections are open", s.name, open)
			}
		})
	}
}

// Pins where the clocks begin, and that those of one request do not reach into
// the next.
func TestTheClocksBeginWithTheFirstByteWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := piped(t, Config{}, func(c *rawConn) {
			for {
				if _, _, ok := c.next(); !ok {
					return
				}
				time.Sleep(900 * time.Millisecond)
				c.say(ok2)
			}
		})
		l := Limits{Header: time.Second, Total: time.Second, Idle: time.Second}
		for i := range 3 {
			c, err := p.Get(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // the journal commits
			_, body, err := c.Send(request("POST", "/", "x"), l)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(body); string(b) != "ok" || err != nil || c.Reused() != (i > 0) {
				t.Errorf("got %q, %v, reused %v", b, err, c.Reused())
			}
			c.Close()
			time.Sleep(time.Hour) // idle
		}
	})
}

func TestADialAndItsHandshakeEndAtTheConnectTimeout(t *testing.T) {
	ca := newCA(t)
	synctest.Test(t, func(t *testing.T) {
		for phase, cfg := range map[Phase]Config{
			PhaseConnect: {Targets: []string{"http://origin.test"}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}},
			PhaseTLS: {Targets: []string{"https://origin.test"}, CAFile: ca.file, Dial: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, far) }()
				return near, nil
			}},
		} {
			cfg.ConnectTimeout = 10 * time.Second
			p := startPool(t, cfg)
			start := time.Now()
			_, err := p.Get(context.Background(), 0)
			e := failure(t, err)
			if e.Phase != phase || e.Wrote || time.Since(start) != 10*time.Second || !strings.Contains(e.Error(), "connect.timeout") {
				t.Errorf("%s after %v: %v", phase, time.Since(start), e)
			}
			if open, _ := p.Stats(); open != 0 {
				t.Error("its place was kept")
			}
		}
	})
}
