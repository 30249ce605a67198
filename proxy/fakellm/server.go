// Package fakellm is a scripted LLM origin: it speaks the dialects of OpenAI,
// Anthropic, Gemini and Ollama, says pleasant things about rivers, and fails in
// every way that real providers do, on request. It serves the demo, the mock
// command, tests and benchmarks; no key, no network, no model.
//
// Start gives an Origin on a free port of this machine. A request takes its
// behaviour from its header X-Fakellm, for example
//
//	X-Fakellm: ttft=200ms,pace=20ms,tokens=40,cut=5
//
// member by member over Config.Default; Members lists all of them. The same
// request body always gets the same bytes, so a direct answer and one that came
// through a proxy can be compared. Besides the dialects there are
//
//	/_fakellm/stats      what the origin has seen, as JSON
//	/_fakellm/cacheable  a plain thing for any method, see cacheable.go
//	/_fakellm/events     an event stream nobody asked for
//	/_fakellm/echo       the request as it arrived, as JSON
//
// Not supported: TLS, HTTP/2, WebSocket, tools, authentication.
package fakellm

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Config says how an Origin behaves. The zero value answers at once.
type Config struct {
	// Default is the behaviour of every request; the header X-Fakellm of a
	// request replaces single members.
	Default Fault
	// Now is the clock of the Date header; nil means time.Now.
	Now func() time.Time
}

// Origin is a fake LLM provider. Its methods may be called from any goroutine.
type Origin struct {
	config Config
	server *fasthttp.Server
	ledger ledger
	sends  sends
	quit   chan struct{} // closed by Close: ends every wait

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	running   sync.WaitGroup // accept loops and connections
}

// New returns an Origin that serves nothing yet.
func New(config Config) *Origin {
	if config.Now == nil {
		config.Now = time.Now
	}
	o := &Origin{
		config:    config,
		quit:      make(chan struct{}),
		listeners: make(map[net.Listener]struct{}),
		conns:     make(map[*conn]struct{}),
	}
	o.server = &fasthttp.Server{
		Handler:            o.handle,
		MaxRequestBodySize: maxBody,
		// Header blocks of 60 KiB and more must pass. The buffer goes back to
		// the pool when the request is read: a thousand idle streams would
		// otherwise hold 256 MiB.
		ReadBufferSize:               256 << 10,
		ReduceMemoryUsage:            true,
		NoDefaultServerHeader:        true,
		NoDefaultDate:                true, // ours comes from Config.Now, and theirs costs a goroutine for ever
		NoDefaultContentType:         true,
		DisablePreParseMultipartForm: true,
		Logger:                       mute{},
	}
	return o
}

const maxBody = 256 << 20

// mute keeps fasthttp from writing to a terminal that shows a dashboard.
type mute struct{}

func (mute) Printf(string, ...any) {}

// Start serves a new Origin on a free port of 127.0.0.1 and returns its
// address, host:port. Call Close when done.
func Start(config Config) (o *Origin, addr string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	o = New(config)
	if !o.listen(ln) {
		return nil, "", net.ErrClosed
	}
	go func() { _ = o.accept(ln) }()
	return o, ln.Addr().String(), nil
}

// Serve accepts connections until Close, which makes it return nil, or until
// the listener fails. It closes ln. An Origin may serve several listeners.
func (o *Origin) Serve(ln net.Listener) error {
	if !o.listen(ln) {
		return nil
	}
	return o.accept(ln)
}

// Close stops listening, cuts every connection and returns when all handlers
// have ended. It may be called more than once.
func (o *Origin) Close() error {
	o.mu.Lock()
	var errs []error
	if !o.closed {
		o.closed = true
		close(o.quit)
		for ln := range o.listeners {
			errs = append(errs, ln.Close())
		}
		for c := range o.conns {
			c.abandon(false)
		}
	}
	o.mu.Unlock()
	o.running.Wait()
	return errors.Join(errs...)
}

// Stats returns what was seen so far, the same as GET /_fakellm/stats.
func (o *Origin) Stats() Stats { return o.ledger.stats() }

// listen registers an accept loop; false means that the Origin is closed.
func (o *Origin) listen(ln net.Listener) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		_ = ln.Close()
		return false
	}
	o.listeners[ln] = struct{}{}
	o.running.Add(1)
	return true
}

// accept runs each connection in a goroutine of its own. fasthttp's own loop
// keeps a cleaner goroutine for 10 s after it ended.
func (o *Origin) accept(ln net.Listener) error {
	defer o.running.Done()
	for {
		nc, err := ln.Accept()
		if err != nil {
			o.mu.Lock()
			closed := o.closed
			o.mu.Unlock()
			if closed {
				return nil
			}
			var passing interface{ Temporary() bool }
			if errors.As(err, &passing) && passing.Temporary() { // out of descriptors, for one
				time.Sleep(10 * time.Millisecond)
				continue
			}
			_ = ln.Close()
			return err
		}
		c := newConn(nc)
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			_ = nc.Close()
			continue // the next Accept fails
		}
		o.conns[c] = struct{}{}
		o.running.Add(1)
		o.mu.Unlock()
		go o.serve(c)
	}
}

func (o *Origin) serve(c *conn) {
	defer o.running.Done()
	defer func() {
		_ = recover() // a defect here must not end the program around it
		_ = c.Conn.Close()
		c.unwatch()
		if c.rec != nil {
			c.rec.finish(false) // only after a panic: all else has finished it
		}
		o.mu.Lock()
		delete(o.conns, c)
		o.mu.Unlock()
	}()
	_ = o.server.ServeConn(c)
}
