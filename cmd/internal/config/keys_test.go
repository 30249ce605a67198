package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
)

// keyTests has every key that a file may have, set to something that is not its
// default, and looks for it where the rest of the program will.
var keyTests = []struct {
	key  string // its path
	text string // lines of the innermost mapping
	get  func(*Config) any
	want any
}{
	{"listen.http", "127.0.0.1:1", func(c *Config) any { return c.Listen.HTTP }, "127.0.0.1:1"},
	{"listen.admin", "'[::1]:2'", func(c *Config) any { return c.Listen.Admin }, "[::1]:2"},
	{"listen.max_connections", "5", func(c *Config) any { return c.Listen.MaxConnections }, 5},
	{"listen.allow_origins", "[http://localhost:3000]", func(c *Config) any { return c.Listen.AllowOrigins }, []string{"http://localhost:3000"}},
	{"journal.replay_for", "1h", func(c *Config) any { return c.Routes[0].Journal.ReplayFor }, time.Hour},
	{"journal.replay_for", "0", func(c *Config) any { return c.Routes[0].Journal.ReplayFor }, time.Duration(0)},
	{"drain_timeout", "3s", func(c *Config) any { return c.DrainTimeout }, 3 * time.Second},
	{"drain_timeout", "0", func(c *Config) any { return c.DrainTimeout }, time.Duration(0)},
	{"max_request_bytes", "1MiB", func(c *Config) any { return c.MaxRequestBytes }, 1 << 20},
	{"experimental.h1_fast_path", "false", func(c *Config) any { return c.FastPath }, false},

	{"upstream_pools[].targets", `["https://h", "http://h:81", "[::1]:82"]`, func(c *Config) any { return c.Pools[0].Targets }, []string{"https://h:443", "http://h:81", "http://[::1]:82"}},
	{"upstream_pools[].targets", `[h:81, https://h]`, func(c *Config) any { return c.Pools[0].Targets }, []string{"http://h:81", "https://h:443"}},
	{"upstream_pools[].connect.timeout", "1s", func(c *Config) any { return c.Pools[0].ConnectTimeout }, time.Second},
	{"upstream_pools[].connect.keep_alive", "2s", func(c *Config) any { return c.Pools[0].KeepAlive }, 2 * time.Second},
	{"upstream_pools[].connect.max_connections", "3", func(c *Config) any { return c.Pools[0].MaxConnections }, 3},
	{"upstream_pools[].connect.max_connections", "0", func(c *Config) any { return c.Pools[0].MaxConnections }, 0},
	{"upstream_pools[].connect.max_idle_conn_duration", "4s", func(c *Config) any { return c.Pools[0].MaxIdle }, 4 * time.Second},
	{"upstream_pools[].connect.response_header_timeout", "5s", func(c *Config) any { return c.Pools[0].ResponseHeaderTimeout }, 5 * time.Second},
	{"upstream_pools[].connect.tls.ca_file", "ca.pem", func(c *Config) any { return filepath.Base(c.Pools[0].CAFile) }, "ca.pem"},

	{"routes[].name", "chat", func(c *Config) any { return c.Routes[0].Name }, "chat"},
	{"routes[].match.host", "llm.local", func(c *Config) any { return c.Routes[0].Match.Host }, "llm.local"},
	{"routes[].match.path_prefix", "/a/", func(c *Config) any { return c.Routes[0].Match.PathPrefix }, "/a/"},
	{"routes[].match.methods", "[POST, PUT]", func(c *Config) any { return c.Routes[0].Match.Methods }, []string{"POST", "PUT"}},
	{"routes[].auth", "env:TOKEN", func(c *Config) any { return c.Routes[0].Auth }, "sk-test"},
	{"routes[].request.header_set", "{X-B: '1', x-a: two}", func(c *Config) any { return c.Routes[0].HeaderSet }, []exchange.Field{{Name: "X-B", Value: "1"}, {Name: "x-a", Value: "two"}}},
	{"routes[].request.header_remove", "[X-C]", func(c *Config) any { return c.Routes[0].HeaderRemove }, []string{"X-C"}},
	{"routes[].request.strip_prefix", "/app/", func(c *Config) any { return c.Routes[0].StripPrefix }, "/app"},
	{"routes[].cache.enabled", "false", func(c *Config) any { return c.Routes[0].Cache.Enabled }, false},
	{"routes[].cache.ttl_default", "60s", func(c *Config) any { return c.Routes[0].Cache.TTLDefault }, time.Minute},
	{"routes[].cache.max_fetch_concurrency", "4", func(c *Config) any { return c.Routes[0].MaxFetchConcurrency }, 4},
	{"routes[].cache.max_fetch_concurrency", "0", func(c *Config) any { return c.Routes[0].MaxFetchConcurrency }, 32},
	{"routes[].cache.fetch_wait_timeout", "1s", func(c *Config) any { return c.Routes[0].FetchWaitTimeout }, time.Second},
	{"routes[].cache.fetch_wait_timeout", "0", func(c *Config) any { return c.Routes[0].FetchWaitTimeout }, 100 * time.Millisecond},
	{"routes[].cache.max_fetch_queue", "9", func(c *Config) any { return c.Routes[0].MaxFetchQueue }, 9},
	{"routes[].cache.fetch_timeout", "6s", func(c *Config) any { return c.Routes[0].FetchTimeout }, 6 * time.Second},
	{"routes[].cache.max_response_bytes", "2KiB", func(c *Config) any { return c.Routes[0].MaxResponseBytes }, int64(2048)},
	{"routes[].cache.max_streaming_buffer_bytes", "1GiB", func(c *Config) any { return c.Routes[0].MaxBufferBytes }, int64(1 << 30)},
	{"routes[].stream.intent", "strict", func(c *Config) any { return c.Routes[0].Stream.Intent }, proxy.IntentStrict},
	{"routes[].stream.header_timeout", "1s", func(c *Config) any { return c.Routes[0].Stream.HeaderTimeout }, time.Second},
	{"routes[].stream.idle_timeout", "2s", func(c *Config) any { return c.Routes[0].Stream.IdleTimeout }, 2 * time.Second},
	{"routes[].stream.client_idle_timeout", "3s", func(c *Config) any { return c.Routes[0].Stream.ClientIdleTimeout }, 3 * time.Second},
	{"routes[].stream.client_limit", "4s", func(c *Config) any { return c.Routes[0].Stream.ClientLimit }, 4 * time.Second},
	{"routes[].journal.mode", "idempotent", func(c *Config) any { return c.Routes[0].Journal.Mode }, proxy.JournalIdempotent},
	{"routes[].journal.mode", "off", func(c *Config) any { return c.Routes[0].Journal.Mode }, proxy.JournalOff},
	{"routes[].journal.mode", "false", func(c *Config) any { return c.Routes[0].Journal.Mode }, proxy.JournalOff},
	{"routes[].journal.replay", "explicit", func(c *Config) any { return c.Routes[0].Journal.Explicit }, true},
	{"routes[].journal.billing", "free", func(c *Config) any { return [2]any{c.Routes[0].Journal.Free, c.Routes[0].Journal.MaxAttempts} }, [2]any{true, 3}},
	{"routes[].journal.billing", "paid", func(c *Config) any { return [2]any{c.Routes[0].Journal.Free, c.Routes[0].Journal.MaxAttempts} }, [2]any{false, 1}},
	{"routes[].journal.max_attempts", "10", func(c *Config) any { return c.Routes[0].Journal.MaxAttempts }, 10},
}

// document writes a file that has one key more than it needs.
func document(key, value string) string {
	pool := map[string]string{"name": "p", "targets": `["https://h"]`}
	route := map[string]string{"pool": "p"}
	top := ""
	nest := func(parts []string) (first, inner string) {
		inner = value
		for _, p := range slices.Backward(parts[1:]) {
			inner = "{" + p + ": " + inner + "}"
		}
		return parts[0], inner
	}
	rest, inPool := strings.CutPrefix(key, "upstream_pools[].")
	restRoute, inRoute := strings.CutPrefix(key, "routes[].")
	switch {
	case inPool:
		k, v := nest(strings.Split(rest, "."))
		pool[k] = v
	case inRoute:
		k, v := nest(strings.Split(restRoute, "."))
		route[k] = v
	default:
		k, v := nest(strings.Split(key, "."))
		top = k + ": " + v + "\n"
	}
	item := func(m map[string]string) string {
		s := ""
		for k, v := range m {
			s += fmt.Sprintf("    %s: %s\n", k, v)
		}
		return "  -\n" + s
	}
	return top + "upstream_pools:\n" + item(pool) + "routes:\n" + item(route)
}

func TestEachKeyActs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), []byte(certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range keyTests {
		text := document(tt.key, tt.text)
		c, err := Parse(filepath.Join(dir, "test.yaml"), []byte(text), Options{Env: environment})
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.key, err, text)
			continue
		}
		if d := cmp.Diff(tt.want, tt.get(c)); d != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.key, tt.text, d)
		}
	}
}

// A relative path begins where the file lies, whatever the working directory.
func TestTheCAFileIsLookedForBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), []byte(certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Parse(filepath.Join(dir, "test.yaml"), []byte(document("upstream_pools[].connect.tls.ca_file", "ca.pem")), Options{Env: environment})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "ca.pem"); c.Pools[0].CAFile != want {
		t.Errorf("CAFile is %q, want %q", c.Pools[0].CAFile, want)
	}
}

func TestTheBillingFlagActsOnRoutesThatNameNone(t *testing.T) {
	text := `{upstream_pools: [{name: p, targets: ["h:1"]}], routes: [
		{name: a, pool: p}, {name: b, pool: p, journal: {billing: paid}}, {name: c, pool: p, journal: {mode: idempotent}}]}`
	c, err := Parse("test.yaml", []byte(text), Options{Env: environment, Free: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{3, 1, 3} {
		if got := c.Routes[i].Journal; got.MaxAttempts != want || got.Free != (want == 3) {
			t.Errorf("route %d: %+v", i, got)
		}
	}
}
