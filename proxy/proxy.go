// Package proxy is the engine of tailrace: the path of one exchange from the
// client to the origin and back, and the only one who states facts about it.
//
// Read answer.go first: it is the client's side of the path. attempt.go is the
// journaled way (at most once), fetch.go the origin's side. front.go and conn.go
// stand between them and fasthttp; trip.go is the thread that runs through.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"tailrace/proxy/cache"
	"tailrace/proxy/exchange"
	"tailrace/proxy/flight"
	"tailrace/proxy/origin"
)

// cacheBytes bounds the cache in memory.
const cacheBytes = 256 << 20

// closeFor is how long Close lets clients read the end of what it has cut.
const closeFor = 200 * time.Millisecond

// Proxy serves clients from origins. New makes one, Serve runs it, Close ends
// it. Its methods are safe for concurrent use.
type Proxy struct {
	cfg       Config
	routes    []*route
	pools     map[string]*origin.Pool
	cache     *cache.Cache
	journal   Journal
	observers []exchange.Observer
	gate      gate
	server    *fasthttp.Server

	misses  flight.Group[cache.Key] // cacheable fetches, by the cache's key
	calls   flight.Group[string]    // journaled calls, by scope and key
	keys    keyring
	rows    rows
	under   under
	retries retries
	memory  memory

	mu        sync.Mutex
	idle      sync.Cond // trips became empty
	trips     map[exchange.ID]*trip
	conns     map[*conn]struct{}
	lastID    exchange.ID
	closing   bool
	listeners []net.Listener // of Serve
	work      sync.WaitGroup // fetches that run on without a client's goroutine
}

// New makes a proxy. It opens nothing and dials nobody; the error names the
// pool or route that cannot work.
func New(cfg Config) (*Proxy, error) {
	p := &Proxy{
		cfg: cfg, journal: cfg.Journal, observers: cfg.Observers,
		pools: map[string]*origin.Pool{}, cache: cache.New(cacheBytes),
		trips: map[exchange.ID]*trip{}, conns: map[*conn]struct{}{},
		gate: gate{hosts: cfg.AllowHosts, origins: cfg.AllowOrigins},
	}
	p.idle.L = &p.mu
	for _, pc := range cfg.Pools {
		pool, err := origin.New(origin.Config{
			Name: pc.Name, Targets: pc.Targets, ConnectTimeout: pc.ConnectTimeout, KeepAlive: pc.KeepAlive,
			MaxIdle: pc.MaxIdle, MaxConnections: pc.MaxConnections, CAFile: pc.CAFile,
			Dial: cfg.Dial, Forbidden: cfg.Forbidden,
		})
		if err != nil {
			p.closePools()
			return nil, fmt.Errorf("pool %q: %w", pc.Name, err)
		}
		p.pools[pc.Name] = pool
	}
	for _, rc := range cfg.Routes {
		r, err := p.newRoute(rc)
		if err != nil {
			p.closePools()
			return nil, err
		}
		p.routes = append(p.routes, r)
	}
	p.server = p.newServer()
	return p, nil
}

// Serve answers clients on ln until Close, and then returns nil. After Close it
// closes ln and returns nil.
func (p *Proxy) Serve(ln net.Listener) error {
	p.mu.Lock()
	p.listeners = append(p.listeners, ln)
	closing := p.closing
	p.mu.Unlock()
	if closing {
		return ln.Close()
	}
	return p.server.Serve(p.listen(ln))
}

// Close stops accepting, waits up to Config.DrainTimeout for what is under way,
// cuts the rest (its clients see a broken transfer, never a clean end) and
// returns when nothing runs any more.
func (p *Proxy) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.DrainTimeout)
	defer cancel()
	p.mu.Lock()
	p.closing = true
	for _, ln := range p.listeners { // fasthttp's Shutdown knows only those it serves already
		_ = ln.Close()
	}
	p.mu.Unlock()
	stopped := make(chan error, 1)
	go func() { stopped <- p.server.Shutdown() }()
	p.drain(ctx)
	for _, t := range p.live() {
		t.end(exchange.OutcomeFailed, errClosing)
	}
	last, enough := context.WithTimeout(context.Background(), closeFor)
	p.drain(last) // clients read the error that ends their answer
	enough()
	p.closeConns()
	p.work.Wait()
	err := <-stopped
	for _, t := range p.live() { // their connections are closed: nobody else ends them
		t.finish(errClosing)
	}
	p.closePools()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// drain waits until nothing is under way, or the end of ctx.
func (p *Proxy) drain(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.trips) > 0 && ctx.Err() == nil {
		p.idle.Wait()
	}
}

func (p *Proxy) live() []*trip {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*trip, 0, len(p.trips))
	for _, t := range p.trips {
		all = append(all, t)
	}
	return all
}

func (p *Proxy) closePools() {
	for _, pool := range p.pools {
		pool.Close()
	}
}

// Loads reads the fetch slots and lines of all routes.
func (p *Proxy) Loads() []exchange.Load {
	out := make([]exchange.Load, 0, len(p.routes))
	for _, r := range p.routes {
		q := r.queue.State()
		out = append(out, exchange.Load{
			Route: r.Name, Slots: q.Slots, InUse: q.InUse, Waiting: q.Waiting, Shed: q.Shed,
			BufferBytes: r.buffered.Load(), BufferLimit: r.MaxBufferBytes, Fallback: r.fallback.Load(),
			ActiveStreams: int(r.streams.Load()),
		})
	}
	return out
}
