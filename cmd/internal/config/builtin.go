package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"tailrace/proxy"
)

// Billing says what a repeated call costs.
type Billing string

// The billings of --billing. BillingOwn leaves each provider its own: free for
// Ollama, paid for all others.
const (
	BillingOwn  Billing = ""
	BillingPaid Billing = "paid"
	BillingFree Billing = "free"
)

// provider is one that needs no configuration.
type provider struct {
	name, url string
	free      bool
	bare      []proxy.Match // without a prefix; the first has the provider's name alone
}

// providers stand in the order in which their bare paths are looked at: a
// request of Anthropic's is known by its header, also on paths that others
// have, and OpenAI takes what is left of /v1/.
var providers = []provider{
	{name: "anthropic", url: "https://api.anthropic.com", bare: []proxy.Match{
		{Header: "anthropic-version"}, {PathPrefix: "/v1/messages"}, // SDKs send the header
	}},
	{name: "openai", url: "https://api.openai.com/v1", bare: []proxy.Match{{PathPrefix: "/v1/"}}},
	{name: "gemini", url: "https://generativelanguage.googleapis.com", bare: []proxy.Match{{PathPrefix: "/v1beta/"}}},
	{name: "ollama", url: "http://127.0.0.1:11434", free: true, bare: []proxy.Match{{PathPrefix: "/api/"}}},
	{name: "openrouter", url: "https://openrouter.ai/api/v1"},
}

// Builtin returns what holds without a file: the path of a request tells the
// provider. Each name in to (--to NAME=URL) adds the prefix /NAME/ for another
// base URL. Prefixes are looked at before bare paths, since a request under
// /openrouter/ may well carry a header of Anthropic's.
func Builtin(to map[string]string, billing Billing) (*Config, error) {
	c := defaults()
	if err := c.Add(to, billing); err != nil {
		return nil, err
	}
	for _, p := range providers {
		target, path, err := base(p.url)
		if err != nil {
			return nil, err
		}
		free := billing == BillingFree || billing == BillingOwn && p.free
		c.Pools = append(c.Pools, llmPool(p.name, target))
		prefixed := ways(p.name, "/"+p.name, path, free)
		if len(p.bare) == 0 {
			prefixed[len(prefixed)-1].Name = p.name
		}
		c.Routes = append(c.Routes, prefixed...)
	}
	for _, p := range providers {
		free := billing == BillingFree || billing == BillingOwn && p.free
		for _, doubled := range []bool{true, false} {
			for i, m := range p.bare {
				r := llmRoute(p.name, free)
				if r.Match = m; doubled {
					rest, versioned := strings.CutPrefix(m.PathPrefix, "/v1/")
					if !versioned && m.Header == "" {
						continue
					}
					r.Match.PathPrefix, r.StripPrefix = "/v1/v1/"+rest, "/v1"
				}
				if i > 0 || doubled {
					r.Name = aside(&r)
				}
				c.Routes = append(c.Routes, r)
			}
		}
	}
	return c, nil
}

// Single returns what holds for one upstream that gets every path.
func Single(url string, billing Billing) (*Config, error) {
	target, path, err := base(url)
	if err != nil {
		return nil, err
	}
	c := defaults()
	c.Pools = []proxy.Pool{llmPool("upstream", target)}
	c.Routes = ways("upstream", "", path, billing == BillingFree)
	c.Routes[len(c.Routes)-1].Name = "upstream"
	return c, nil
}

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Add puts routes for more base URLs in front of those that there are. A name
// that is taken is refused: it would silently send another provider's requests,
// and their keys, somewhere else.
func (c *Config) Add(to map[string]string, billing Billing) error {
	var routes []proxy.Route
	for _, name := range slices.Sorted(maps.Keys(to)) {
		taken := hasPool(c.Pools, name) || hasRoute(c.Routes, name) || slices.ContainsFunc(providers, func(p provider) bool { return p.name == name })
		switch {
		case !prefixForm.MatchString(name):
			return fmt.Errorf("--to %s=...: %q cannot be a path prefix; write letters, digits and dashes", name, name)
		case taken, name == "v1", name == "v1beta", name == "api", name == "t":
			return fmt.Errorf("--to %s=...: the name %q has a meaning already; choose another", name, name)
		}
		target, path, err := base(to[name])
		if err != nil {
			return fmt.Errorf("--to %s=...: %w", name, err)
		}
		c.Pools = append(c.Pools, llmPool(name, target))
		routes = append(routes, ways(name, "/"+name, path, billing == BillingFree)...)
		routes[len(routes)-1].Name = name
	}
	c.Routes = append(routes, c.Routes...)
	return nil
}

// ways lists the routes that lead to a base URL from under a prefix. Clients
// disagree on how much of a base URL is theirs to add: with the base path
// /api/v1, all of PREFIX/chat, PREFIX/v1/chat, PREFIX/api/v1/chat and the
// doubled PREFIX/v1/v1/chat mean /api/v1/chat. The last is the one in use; each
// has the name of a way beside it.
func ways(pool, prefix, path string, free bool) []proxy.Route {
	way := func(match, strip, add string) proxy.Route {
		r := llmRoute(pool, free)
		r.Match.PathPrefix, r.StripPrefix, r.AddPrefix = prefix+match, prefix+strip, add
		r.Name = aside(&r)
		return r
	}
	versioned := strings.HasSuffix(path, "/v1")
	var out []proxy.Route
	if versioned {
		out = append(out, way("/v1/v1/", "/v1/v1", path))
	} else {
		out = append(out, way("/v1/v1/", "/v1", path))
	}
	if path != "" {
		out = append(out, way(path+"/", "", ""))
	}
	if versioned && path != "/v1" {
		out = append(out, way("/v1/", "/v1", path))
	}
	return append(out, way("/", "", path))
}

// llmPool waits for a head as long as the SDKs do: they allow a plain answer
// ten minutes, and a shorter wait of ours would be blamed on us.
func llmPool(name, target string) proxy.Pool {
	p := poolDefaults(name, target)
	p.ResponseHeaderTimeout = 10 * time.Minute
	p.MaxConnections = 4096
	return p
}

// llmRoute has its pool's name. No other route may have it: slots, lines,
// metrics and retries go by names.
func llmRoute(pool string, free bool) proxy.Route {
	r := routeDefaults()
	r.Name, r.Pool = pool, pool
	r.MaxFetchConcurrency = 256
	r.FetchTimeout = 10 * time.Minute
	r.Journal.Mode = proxy.JournalIdempotent
	r.Journal.Free = free
	r.Journal.MaxAttempts = attempts(free)
	return r
}

// aside is the name of a way to a provider beside the one in use, as in
// "openai (/openai/v1)".
func aside(r *proxy.Route) string {
	how := strings.TrimSuffix(r.Match.PathPrefix, "/")
	if r.Match.Header != "" {
		how += " " + r.Match.Header
	}
	return r.Pool + " (" + how + ")"
}

// Aside reports whether a route is a rare way to a provider that has another
// one, which bears its name: a prefix, or a doubled /v1.
func Aside(r *proxy.Route) bool { return strings.HasPrefix(r.Name, r.Pool+" (") }

func hasRoute(routes []proxy.Route, name string) bool {
	return slices.ContainsFunc(routes, func(r proxy.Route) bool { return r.Name == name })
}
