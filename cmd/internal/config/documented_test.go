package config

import (
	"testing"
	"time"

	"tailrace/proxy"
)

func TestTheDocumentedExamplesLoadAndEachKeyActs(t *testing.T) {
	c, err := Load("testdata/documented.yaml", Options{Env: environment})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pools) != 2 || c.Pools[0].Name != "llm" || c.Pools[0].Targets[0] != "http://127.0.0.1:9101" ||
		c.Pools[1].Name != "app" || c.Pools[1].Targets[0] != "http://127.0.0.1:9102" {
		t.Errorf("pools: %+v", c.Pools)
	}
	if len(c.Routes) != 2 {
		t.Fatalf("routes: %+v", c.Routes)
	}
	chat, rest := c.Routes[0], c.Routes[1]
	if chat.Match.PathPrefix != "/chat/" || chat.Pool != "llm" || chat.Cache.TTLDefault != time.Minute {
		t.Errorf("first route: %+v", chat)
	}
	if rest.Match.PathPrefix != "/" || rest.Pool != "app" || rest.MaxFetchConcurrency != 32 || rest.FetchWaitTimeout != 100*time.Millisecond {
		t.Errorf("second route: %+v", rest)
	}
}

func TestAFileThatNamesLittleHasTheDocumentedDefaults(t *testing.T) {
	c := load(t, `{upstream_pools: [{name: p, targets: ["h:1"]}], routes: [{pool: p}]}`)
	if c.Listen.HTTP != "127.0.0.1:8245" || c.Listen.Admin != "127.0.0.1:8246" || c.Listen.MaxConnections != 0 || len(c.Listen.AllowOrigins) != 0 {
		t.Errorf("listen: %+v", c.Listen)
	}
	if c.DrainTimeout != 10*time.Second || c.MaxRequestBytes != 64<<20 || !c.FastPath {
		t.Errorf("top level: %+v", c)
	}
	p := c.Pools[0]
	if p.ConnectTimeout != 10*time.Second || p.KeepAlive != 30*time.Second || p.MaxConnections != 64 ||
		p.MaxIdle != 90*time.Second || p.ResponseHeaderTimeout != 30*time.Second || p.CAFile != "" {
		t.Errorf("pool: %+v", p)
	}
	r := c.Routes[0]
	if !r.Cache.Enabled || r.Cache.TTLDefault != 0 || r.MaxFetchConcurrency != 32 || r.FetchWaitTimeout != 100*time.Millisecond ||
		r.MaxFetchQueue != 1024 || r.FetchTimeout != time.Minute || r.MaxResponseBytes != 64<<20 || r.MaxBufferBytes < 64<<20 {
		t.Errorf("cache: %+v", r)
	}
	if want := (proxy.StreamPolicy{
		Intent: proxy.IntentAuto, HeaderTimeout: 10 * time.Minute, IdleTimeout: 10 * time.Minute,
		ClientIdleTimeout: 5 * time.Minute, ClientLimit: time.Hour,
	}); r.Stream != want {
		t.Errorf("stream: %+v", r.Stream)
	}
	if want := (proxy.JournalPolicy{Mode: proxy.JournalOff, MaxAttempts: 1, ReplayFor: 24 * time.Hour}); r.Journal != want {
		t.Errorf("journal: %+v", r.Journal)
	}
	if r.Auth != "" || r.StripPrefix != "" || r.AddPrefix != "" || len(r.HeaderSet)+len(r.HeaderRemove) != 0 {
		t.Errorf("request: %+v", r)
	}
}

func TestARouteIsLabelledByWhatItMatches(t *testing.T) {
	for m, want := range map[string]string{
		"{}": "/", "{path_prefix: /chat/}": "/chat/", "{host: h, path_prefix: /chat/}": "h:/chat/", "{host: h}": "h:",
	} {
		c := load(t, `{upstream_pools: [{name: p, targets: ["h:1"]}], routes: [{pool: p, match: `+m+`}]}`)
		if got := c.Routes[0].Name; got != want {
			t.Errorf("match %s is labelled %q, want %q", m, got, want)
		}
	}
}
