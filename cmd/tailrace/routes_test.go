package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tailrace/cmd/internal/config"
	"tailrace/proxy"
	"tailrace/proxy/proxytest"
)

// providersOf stands in for every provider: a dialer that leads each address to
// this process, and keeps what was asked of whom.
type providersOf struct {
	tls *tls.Config

	mu   sync.Mutex
	seen []string
}

func (p *providersOf) dial(_ context.Context, _, addr string) (net.Conn, error) {
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		c, scheme := there, "http"
		if !strings.HasPrefix(addr, "127.0.0.1:") {
			c, scheme = tls.Server(there, p.tls), "https"
		}
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		p.mu.Lock()
		p.seen = append(p.seen, req.Method+" "+scheme+"://"+addr+" Host:"+req.Host+" "+req.RequestURI)
		p.mu.Unlock()
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"))
	}()
	return here, nil
}

// take returns what was asked since the last time.
func (p *providersOf) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := strings.Join(p.seen, "\n")
	p.seen = nil
	return s
}

// Nothing here leaves this machine: the dialer is replaced, and a target that
// were dialled all the same would miss the certificate that this test trusts.
func TestEachBuiltInPathReachesItsProvider(t *testing.T) {
	const (
		openai     = "https://api.openai.com:443 Host:api.openai.com "
		anthropic  = "https://api.anthropic.com:443 Host:api.anthropic.com "
		gemini     = "https://generativelanguage.googleapis.com:443 Host:generativelanguage.googleapis.com "
		ollama     = "http://127.0.0.1:11434 Host:127.0.0.1:11434 "
		openrouter = "https://openrouter.ai:443 Host:openrouter.ai "
		own        = "https://llm.example.test:443 Host:llm.example.test "
	)
	cfg, err := config.Builtin(map[string]string{"own": "https://llm.example.test/gateway/v1"}, config.BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	file, leaf := authority(t, "api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com", "openrouter.ai", "llm.example.test")
	for i := range cfg.Pools {
		if strings.HasPrefix(cfg.Pools[i].Targets[0], "https:") {
			cfg.Pools[i].CAFile = file
		}
	}
	world := &providersOf{tls: &tls.Config{Certificates: []tls.Certificate{leaf}}}
	rig := proxytest.Start(t, "127.0.0.1:1", func(c *proxy.Config) {
		c.Routes, c.Pools, c.Dial = cfg.Routes, cfg.Pools, world.dial
	})
	s := newStand(t, rig.URL, "", "")
	for _, c := range []struct{ path, field, want string }{
		{"/v1/chat/completions", "", openai + "/v1/chat/completions"},
		{"/v1/responses?a=b", "", openai + "/v1/responses?a=b"},
		{"/v1/models", "", openai + "/v1/models"},
		{"/v1/v1/chat/completions", "", openai + "/v1/chat/completions"},
		{"/v1/messages", "", anthropic + "/v1/messages"},
		{"/v1/messages/count_tokens", "", anthropic + "/v1/messages/count_tokens"},
		{"/v1/v1/messages", "", anthropic + "/v1/messages"},
		{"/v1/models", "anthropic-version", anthropic + "/v1/models"},
		{"/v1beta/models/m:generateContent", "", gemini + "/v1beta/models/m:generateContent"},
		{"/api/chat", "", ollama + "/api/chat"},
		{"/openai/chat/completions", "", openai + "/v1/chat/completions"},
		{"/openai/v1/chat/completions", "", openai + "/v1/chat/completions"},
		{"/anthropic/v1/messages", "", anthropic + "/v1/messages"},
		{"/anthropic/v1/v1/messages", "", anthropic + "/v1/messages"},
		{"/gemini/v1beta/models", "", gemini + "/v1beta/models"},
		{"/ollama/api/chat", "", ollama + "/api/chat"},
		{"/ollama/v1/chat/completions", "", ollama + "/v1/chat/completions"},
		{"/openrouter/chat/completions", "", openrouter + "/api/v1/chat/completions"},
		{"/openrouter/v1/chat/completions", "", openrouter + "/api/v1/chat/completions"},
		{"/openrouter/api/v1/chat/completions", "", openrouter + "/api/v1/chat/completions"},
		{"/openrouter/v1/messages", "anthropic-version", openrouter + "/api/v1/messages"},
		{"/own/chat/completions", "", own + "/gateway/v1/chat/completions"},
		{"/own/v1/chat/completions", "", own + "/gateway/v1/chat/completions"},
	} {
		var fields []string
		if c.field != "" {
			fields = []string{c.field, "2023-06-01"}
		}
		got := s.do(t.Context(), "POST", s.proxy+c.path, "{}", fields...)
		if got.err != nil || got.status != 200 || got.body != "ok" {
			t.Errorf("%s %s: %d %s %v", c.path, c.field, got.status, got.body, got.err)
		}
		check(t, c.path+" "+c.field, world.take(), "POST "+c.want)
	}
	for _, path := range []string{"/", "/chat/completions", "/v2/chat", "/openaix/v1/models", "/V1/models", "/v1", "/%761/models"} {
		got := s.do(t.Context(), "POST", s.proxy+path, "{}")
		if got.status != 404 || !got.is("X-Cache", "BYPASS") || !got.is("X-Tailrace-Sent", "no") || world.take() != "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		for _, route := range []string{"/v1/", "/v1/messages", "/v1beta/", "/api/", "/openai/", "/anthropic/", "/gemini/", "/ollama/", "/openrouter/", "/own/", "anthropic-version"} {
			if !strings.Contains(got.body, route) {
				t.Errorf("%s: the answer does not name %s: %s", path, route, got.body)
			}
		}
	}
}
