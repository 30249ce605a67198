package origin

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

// atOnce is how soon a kill must be felt, by who waits and by the origin.
const atOnce = 200 * time.Millisecond

var errKilled = errors.New("killed by an operator")

// Pins context.AfterFunc(ctx, cut): one kill in each phase of a fetch. It is
// felt within 200 ms on both sides, the error is the cause, Wrote tells whether
// it may have cost something, and nothing is left behind.
func TestAFetchIsCutInEveryPhase(t *testing.T) {
	ca := newCA(t)
	type scene struct {
		cfg    Config
		script func(c *rawConn, reached func()) // of the origin; it returns when it sees the end
		body   string
		silent bool // no origin sees this phase
		wrote  bool
	}
	for name, s := range map[string]scene{
		"in line for a connection": {cfg: Config{MaxConnections: 1}, silent: true},
		"dialling":                 {silent: true},
		"shaking hands": {cfg: Config{CAFile: ca.file}, script: func(c *rawConn, reached func()) {
			_, _ = c.br.ReadByte()
			reached()
			c.ended()
		}},
		"writing a large body": {wrote: true, body: strings.Repeat("b", 64<<20), script: func(c *rawConn, reached func()) {
			_, _ = c.br.ReadByte()
			reached()
			n, err := io.Copy(io.Discard, c.br)
			if n >= 64<<20 {
				t.Error("the whole body was read: the kill came too late to show anything")
			}
			if err == nil { // what is on its way would have to be read first
				t.Error("the origin saw an end, not a reset")
			}
		}},
		"waiting for the head": {wrote: true, script: func(c *rawConn, reached func()) {
			c.next()
			reached()
			c.ended()
		}},
		"inside the head": {wrote: true, script: func(c *rawConn, reached func()) {
			c.next()
			c.say("HTTP/1.1 200 OK\r\nX-Half")
			reached()
			c.ended()
		}},
		"inside the body": {wrote: true, script: func(c *rawConn, reached func()) {
			c.next()
			c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
			reached()
			c.ended()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			reached, ended := make(chan struct{}, 1), make(chan time.Time, 1)
			signal := func() { reached <- struct{}{} }
			o := startRaw(t, func(c *rawConn) {
				if s.script == nil {
					c.ended()
					return
				}
				s.script(c, signal)
				ended <- time.Now()
			})
			s.cfg.Targets = []string{o.url}
			if s.cfg.CAFile != "" {
				s.cfg.Targets[0] = strings.Replace(o.url, "http:", "https:", 1)
			}
			if name == "dialling" {
				s.cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
					signal()
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}
			p := startPool(t, s.cfg)
			back := baseline(t)
			var holder *Conn
			if s.cfg.MaxConnections == 1 {
				var err error
				if holder, err = p.Get(context.Background(), 0); err != nil {
					t.Fatal(err)
				}
				go func() {
					for lineOf(p) == 0 {
						time.Sleep(time.Millisecond)
					}
					signal()
				}()
			}

			ctx, kill := context.WithCancelCause(context.Background())
			type end struct {
				err   error
				wrote bool
				at    time.Time
			}
			done := make(chan end, 1)
			go func() {
				wrote, err := readAll(ctx, p, request("POST", "/", s.body))
				done <- end{err, wrote, time.Now()}
			}()
			<-reached
			killed := time.Now()
			kill(errKilled)
			e := <-done
			if e.err != errKilled {
				t.Errorf("got %v, want the cause", e.err)
			}
			if e.wrote != s.wrote {
				t.Errorf("wrote = %v", e.wrote)
			}
			if d := e.at.Sub(killed); d > atOnce {
				t.Errorf("the fetch ended after %v", d)
			}
			if !s.silent {
				if d := (<-ended).Sub(killed); d > atOnce {
					t.Errorf("the origin saw the end after %v", d)
				}
			}
			if holder != nil {
				holder.Close()
			}
			p.Close()
			if open, idle := p.Stats(); open != 0 || idle != 0 {
				t.Errorf("open %d, idle %d", open, idle)
			}
			back()
		})
	}
}

// readAll is a fetch under ctx that waits for a connection.
func readAll(ctx context.Context, p *Pool, req *exchange.Request) (wrote bool, err error) {
	c, err := p.Get(ctx, time.Minute)
	if err != nil {
		return false, err
	}
	defer c.Close()
	_, body, err := c.Send(req, patient)
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	return c.Wrote(), err
}

// Pins that the cut needs nobody who reads: a client that does not take what
// has come must not keep a killed fetch alive.
func TestAKillBetweenReadsIsSeenByTheOrigin(t *testing.T) {
	ended := make(chan time.Time, 1)
	o := startRaw(t, func(c *rawConn) {
		c.next()
		c.say("HTTP/1.1 200 OK\r\n\r\nfirst")
		c.ended()
		ended <- time.Now()
	})
	p := poolOf(t, o)
	ctx, kill := context.WithCancelCause(context.Background())
	c, err := p.Get(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, body, err := c.Send(request("GET", "/", ""), patient)
	if err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	kill(errKilled)
	if d := (<-ended).Sub(killed); d > atOnce {
		t.Errorf("the origin saw the end after %v", d)
	}
	if _, err := io.ReadAll(body); err != errKilled {
		t.Errorf("the next read: %v", err)
	}
}

// Pins that a connection whose context has ended is not pooled, although its
// answer was whole.
func TestAConnectionThatWasCutIsNeverPooled(t *testing.T) {
	o := startRaw(t, answerAll(ok2))
	p := poolOf(t, o)
	ctx, kill := context.WithCancelCause(context.Background())
	c, err := p.Get(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := c.Send(request("GET", "/", ""), patient)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(body); string(b) != "ok" || err != nil {
		t.Fatalf("got %q, %v", b, err)
	}
	kill(errKilled)
	c.Close()
	c.Close() // counts once
	if open, idle := p.Stats(); open != 0 || idle != 0 {
		t.Errorf("open %d, idle %d", open, idle)
	}
}

// Pins that a context that has ended before Get, or between Get and Send, opens
// and writes nothing.
func TestAContextThatHasEndedSendsNothing(t *testing.T) {
	o := startRaw(t, answerAll(ok2))
	p := poolOf(t, o)
	ctx, kill := context.WithCancelCause(context.Background())
	c, err := p.Get(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	kill(errKilled)
	if _, _, err := c.Send(request("POST", "/", "x"), patient); err != errKilled || c.Wrote() {
		t.Errorf("Send: %v, wrote %v", err, c.Wrote())
	}
	c.Close()
	if _, err := p.Get(ctx, 0); err != errKilled {
		t.Errorf("Get: %v", err)
	}
	if n := o.requests.Load(); n != 0 {
		t.Errorf("the origin saw %d requests", n)
	}
}

// Pins that slots of the pool, descriptors and goroutines come back whatever
// becomes of a fetch: 200 of them cut after a random time.
func TestTwoHundredFetchesCutAtRandomLeaveNothing(t *testing.T) {
	o := startRaw(t, func(c *rawConn) {
		for {
			if _, _, ok := c.next(); !ok {
				return
			}
			c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 50 {
				if _, err := io.WriteString(c, "5\r\nevent\r\n"); err != nil {
					return
				}
			}
			c.say("0\r\n\r\n")
		}
	})
	p := startPool(t, Config{Targets: []string{o.url}, MaxConnections: 8})
	back := baseline(t)
	done := make(chan error)
	for i := range 200 {
		go func() {
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Duration(i%40)*250*time.Microsecond, errKilled)
			defer cancel()
			_, err := readAll(ctx, p, request("POST", "/", "x"))
			done <- err
		}()
	}
	for range 200 {
		if err := <-done; err != nil && err != errKilled {
			t.Errorf("got %v", err)
		}
	}
	if lineOf(p) != 0 {
		t.Error("somebody still stands in line")
	}
	if open, idle := p.Stats(); open != idle || open > 8 {
		t.Errorf("open %d, idle %d", open, idle)
	}
	p.Close()
	back()
}
