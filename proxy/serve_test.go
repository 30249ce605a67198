package proxy_test

import (
	"net"
	"testing"

	"tailrace/proxy"
	"tailrace/proxy/proxytest"
)

// fasthttp's Shutdown closes only what it serves already, and a program may be
// told to end before the goroutine that serves has begun.
func TestAProxyThatIsClosedBeforeItServesAcceptsNobody(t *testing.T) {
	p, err := proxy.New(proxy.Config{
		Routes: []proxy.Route{proxytest.Route("r", "o")}, Pools: []proxy.Pool{proxytest.Pool("o", "127.0.0.1:1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Serve(ln); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}
