package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
)

// resolve does what the proxy does with a request: the first route that matches
// rewrites the target.
func resolveTarget(c *Config, path, header string) (url string, r proxy.Route) {
	for _, r := range c.Routes {
		if !strings.HasPrefix(path, r.Match.PathPrefix) || r.Match.Header != "" && r.Match.Header != header {
			continue
		}
		for _, p := range c.Pools {
			if p.Name == r.Pool {
				rest := strings.TrimPrefix(path, r.StripPrefix)
				return p.Targets[0] + r.AddPrefix + rest, r
			}
		}
	}
	return "", proxy.Route{}
}

const (
	openAI     = "https://api.openai.com:443"
	anthropic  = "https://api.anthropic.com:443"
	gemini     = "https://generativelanguage.googleapis.com:443"
	ollama     = "http://127.0.0.1:11434"
	openRouter = "https://openrouter.ai:443"
)

func TestThePathTellsTheProvider(t *testing.T) {
	c, err := Builtin(map[string]string{"groq": "https://api.groq.com/openai/v1", "vllm": "127.0.0.1:8000"}, BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, header, want string }{
		{"/v1/messages", "", anthropic + "/v1/messages"},
		{"/v1/messages/count_tokens", "anthropic-version", anthropic + "/v1/messages/count_tokens"},
		{"/v1/models", "anthropic-version", anthropic + "/v1/models"},
		{"/v1/chat/completions", "", openAI + "/v1/chat/completions"},
		{"/v1/responses", "", openAI + "/v1/responses"},
		{"/v1/models?limit=2", "", openAI + "/v1/models?limit=2"},
		{"/v1beta/models/gemini-pro:streamGenerateContent?alt=sse", "", gemini + "/v1beta/models/gemini-pro:streamGenerateContent?alt=sse"},
		{"/v1beta/openai/chat/completions", "", gemini + "/v1beta/openai/chat/completions"},
		{"/api/chat", "", ollama + "/api/chat"},
		{"/api/tags", "", ollama + "/api/tags"},

		{"/v1/v1/chat/completions", "", openAI + "/v1/chat/completions"},
		{"/v1/v1/messages", "", anthropic + "/v1/messages"},
		{"/v1/v1/models", "anthropic-version", anthropic + "/v1/models"},

		{"/openai/v1/chat/completions", "", openAI + "/v1/chat/completions"},
		{"/openai/chat/completions", "", openAI + "/v1/chat/completions"},
		{"/openai/v1/v1/chat/completions", "", openAI + "/v1/chat/completions"},
		{"/anthropic/v1/messages", "anthropic-version", anthropic + "/v1/messages"},
		{"/anthropic/v1/v1/messages", "anthropic-version", anthropic + "/v1/messages"},
		{"/gemini/v1beta/models/x:generateContent", "", gemini + "/v1beta/models/x:generateContent"},
		{"/ollama/api/generate", "", ollama + "/api/generate"},
		{"/ollama/v1/chat/completions", "", ollama + "/v1/chat/completions"},
		{"/openrouter/chat/completions", "", openRouter + "/api/v1/chat/completions"},
		{"/openrouter/v1/chat/completions", "", openRouter + "/api/v1/chat/completions"},
		{"/openrouter/v1/v1/chat/completions", "", openRouter + "/api/v1/chat/completions"},
		{"/openrouter/api/v1/chat/completions", "", openRouter + "/api/v1/chat/completions"},
		{"/openrouter/v1/messages", "anthropic-version", openRouter + "/api/v1/messages"},

		{"/groq/chat/completions", "", "https://api.groq.com:443/openai/v1/chat/completions"},
		{"/groq/v1/chat/completions", "", "https://api.groq.com:443/openai/v1/chat/completions"},
		{"/vllm/v1/chat/completions", "", "http://127.0.0.1:8000/v1/chat/completions"},

		{"/", "", ""},
		{"/v2/chat", "", ""},
		{"/openai", "", ""},
		{"/openaix/v1/models", "", ""},
		{"/metrics", "", ""},
	} {
		if got, r := resolveTarget(c, tt.path, tt.header); got != tt.want {
			t.Errorf("%s (%s) goes to %q by %q, want %q", tt.path, tt.header, got, r.Name, tt.want)
		}
	}
}

func TestOneUpstreamGetsEveryPath(t *testing.T) {
	for url, paths := range map[string]map[string]string{
		"http://h:1": {
			"/": "http://h:1/", "/any?x=1": "http://h:1/any?x=1", "/v1/messages": "http://h:1/v1/messages",
			"/v1/v1/models": "http://h:1/v1/models", "/openai/v1/x": "http://h:1/openai/v1/x",
		},
		"https://openrouter.ai/api/v1/": {
			"/chat/completions": openRouter + "/api/v1/chat/completions", "/v1/chat/completions": openRouter + "/api/v1/chat/completions",
			"/api/v1/models": openRouter + "/api/v1/models",
		},
		"https://h/base": {"/x": "https://h:443/base/x", "/base/x": "https://h:443/base/x"},
	} {
		c, err := Single(url, BillingOwn)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range paths {
			if got, _ := resolveTarget(c, path, ""); got != want {
				t.Errorf("%s: %s goes to %q, want %q", url, path, got, want)
			}
		}
	}
}

// Built-in routes wait as long as the SDKs do, and are journaled.
func TestRoutesWithoutAFileHaveTheSettingsOfLLMCalls(t *testing.T) {
	builtin, err := Builtin(map[string]string{"x": "http://h"}, BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	single, err := Single("http://h", BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Config{builtin, single} {
		for _, p := range c.Pools {
			if p.ResponseHeaderTimeout != 10*time.Minute || p.MaxConnections != 4096 {
				t.Errorf("pool %+v", p)
			}
		}
		for _, r := range c.Routes {
			free := r.Pool == "ollama"
			attempts := 1
			if free {
				attempts = 3
			}
			want := proxy.JournalPolicy{Mode: proxy.JournalIdempotent, Free: free, MaxAttempts: attempts, ReplayFor: 24 * time.Hour}
			if r.FetchTimeout != 10*time.Minute || r.MaxFetchConcurrency != 256 || r.Journal != want {
				t.Errorf("route %+v", r)
			}
		}
	}
}

func TestTheBillingFlagReplacesEachProvidersOwn(t *testing.T) {
	for billing, free := range map[Billing]bool{BillingFree: true, BillingPaid: false} {
		c, err := Builtin(map[string]string{"x": "http://h"}, billing)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.Routes {
			if r.Journal.Free != free {
				t.Errorf("--billing %s: route %s has free=%v", billing, r.Name, r.Journal.Free)
			}
		}
	}
}

// The journal finds a row's route by its name, and the way that a target is
// rewritten belongs to the route: two of one name would send a retry elsewhere.
func TestEachRouteHasANameOfItsOwn(t *testing.T) {
	c, err := Builtin(map[string]string{"groq": "https://api.groq.com/openai/v1"}, BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range c.Routes {
		if seen[r.Name] || Aside(&r) == (r.Name == r.Pool) {
			t.Errorf("route %q of %q", r.Name, r.Pool)
		}
		seen[r.Name] = true
	}
	for _, name := range []string{"anthropic", "openai", "gemini", "ollama", "openrouter", "groq"} {
		if !seen[name] {
			t.Errorf("no route is called %q alone", name)
		}
	}
}

// What an application's settings lead to bears the provider's name in metrics,
// log and dashboard; a rare way says which it is.
func TestTheWayInUseHasTheProvidersName(t *testing.T) {
	c, err := Builtin(map[string]string{"groq": "https://api.groq.com/openai/v1"}, BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, header, want string }{
		{"/v1/messages", "anthropic-version", "anthropic"},
		{"/v1/messages", "", "anthropic (/v1/messages)"},
		{"/v1/chat/completions", "", "openai"},
		{"/v1/v1/chat/completions", "", "openai (/v1/v1)"},
		{"/openai/v1/chat/completions", "", "openai (/openai/v1)"},
		{"/v1beta/models", "", "gemini"},
		{"/api/chat", "", "ollama"},
		{"/openrouter/chat/completions", "", "openrouter"},
		{"/groq/chat/completions", "", "groq"},
	} {
		if _, r := resolveTarget(c, tt.path, tt.header); r.Name != tt.want {
			t.Errorf("%s %s comes by %q, want %q", tt.path, tt.header, r.Name, tt.want)
		}
	}
}

func TestAPrefixThatHasAMeaningIsRefused(t *testing.T) {
	for _, name := range []string{"openai", "v1", "v1beta", "api", "t", "", "a/b", "a b", "-x"} {
		if _, err := Builtin(map[string]string{name: "http://h"}, BillingOwn); err == nil {
			t.Errorf("--to %q=http://h is taken", name)
		}
	}
	for _, url := range []string{"", "nonsense", "ftp://h", "http://", "http://u:p@h", "http://h?x=1", "http://h:0"} {
		if _, err := Builtin(map[string]string{"x": url}, BillingOwn); err == nil {
			t.Errorf("--to x=%s is taken", url)
		}
	}
}

func TestRoutesOfAFileComeAfterThoseOfFlags(t *testing.T) {
	c := load(t, `{upstream_pools: [{name: p, targets: ["h:1"]}], routes: [{pool: p}]}`)
	if err := c.Add(map[string]string{"x": "http://h"}, BillingOwn); err != nil {
		t.Fatal(err)
	}
	if got, _ := resolveTarget(c, "/x/y", ""); got != "http://h:80/y" {
		t.Errorf("/x/y goes to %s", got)
	}
	if got, _ := resolveTarget(c, "/y", ""); got != "http://h:1/y" {
		t.Errorf("/y goes to %s", got)
	}
	if err := c.Add(map[string]string{"p": "http://h"}, BillingOwn); err == nil || !slices.ContainsFunc(c.Pools, func(p proxy.Pool) bool { return p.Name == "p" }) {
		t.Errorf("a flag took the pool's name: %v", err)
	}
}
