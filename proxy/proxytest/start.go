package proxytest

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
)

// Rig is a proxy under test.
type Rig struct {
	*proxy.Proxy
	Ledger *Ledger
	Addr   string // host:port
	URL    string
}

// Route is a route to one origin with short, plain settings; tests change what
// they are about.
func Route(name, pool string) proxy.Route {
	return proxy.Route{
		Name: name, Pool: pool, Match: proxy.Match{PathPrefix: "/"},
		Cache: proxy.CachePolicy{Enabled: true},
		Stream: proxy.StreamPolicy{
			Intent: proxy.IntentAuto, HeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second,
			ClientIdleTimeout: 10 * time.Second, ClientLimit: time.Hour,
		},
		Journal:             proxy.JournalPolicy{Mode: proxy.JournalOff, MaxAttempts: 1},
		MaxFetchConcurrency: 32, FetchWaitTimeout: 100 * time.Millisecond, MaxFetchQueue: 1024,
		FetchTimeout: 10 * time.Second, MaxResponseBytes: 64 << 20, MaxBufferBytes: 64 << 20,
	}
}

// Pool is a pool of one origin.
func Pool(name, addr string) proxy.Pool {
	return proxy.Pool{
		Name: name, Targets: []string{"http://" + addr}, ConnectTimeout: 5 * time.Second,
		ResponseHeaderTimeout: 10 * time.Second, MaxIdle: time.Minute,
	}
}

// Start runs a proxy with one route to the origin at addr; change may change
// the configuration first. At the end of the test it is closed, and goroutines
// and slots must be at their baseline.
func Start(t testing.TB, addr string, change func(*proxy.Config)) *Rig {
	t.Helper()
	before := goleak.IgnoreCurrent()
	l := NewLedger()
	cfg := proxy.Config{
		Routes: []proxy.Route{Route("test", "origin")}, Pools: []proxy.Pool{Pool("origin", addr)},
		Observers: []exchange.Observer{l}, FastPath: true, Fingerprint: []byte("test"),
		MaxRequestBytes: 64 << 20,
	}
	if change != nil {
		change(&cfg)
	}
	p, err := proxy.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		for _, load := range p.Loads() {
			if load.InUse != 0 || load.Waiting != 0 || load.BufferBytes != 0 || load.ActiveStreams != 0 {
				t.Errorf("left over on route %s: %+v", load.Route, load)
			}
		}
		if err := goleak.Find(before, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2")); err != nil {
			t.Error(err)
		}
	})
	return &Rig{Proxy: p, Ledger: l, Addr: ln.Addr().String(), URL: "http://" + ln.Addr().String()}
}
