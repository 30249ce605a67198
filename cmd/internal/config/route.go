package config

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
)

// routeDefaults are the documented ones.
func routeDefaults() proxy.Route {
	return proxy.Route{
		Cache: proxy.CachePolicy{Enabled: true},
		Stream: proxy.StreamPolicy{
			Intent:            proxy.IntentAuto,
			HeaderTimeout:     10 * time.Minute,
			IdleTimeout:       10 * time.Minute,
			ClientIdleTimeout: 5 * time.Minute,
			ClientLimit:       time.Hour,
		},
		Journal:             proxy.JournalPolicy{Mode: proxy.JournalOff, ReplayFor: 24 * time.Hour},
		MaxFetchConcurrency: 32,
		FetchWaitTimeout:    100 * time.Millisecond,
		MaxFetchQueue:       1024,
		FetchTimeout:        time.Minute,
		MaxResponseBytes:    64 << 20,
		MaxBufferBytes:      bufferBytes(),
	}
}

// bufferBytes is what 0 stands for in max_streaming_buffer_bytes: the larger of
// 7 % of GOMEMLIMIT and 64 MiB.
func bufferBytes() int64 {
	limit := debug.SetMemoryLimit(-1) // reads it and changes nothing
	if limit == math.MaxInt64 {       // unset
		return 64 << 20
	}
	return max(limit/100*7, 64<<20)
}

// attempts is what 0 stands for in max_attempts.
func attempts(free bool) int {
	if free {
		return 3
	}
	return 1
}

// route reads one item of routes.
func (r *reader) route(c *Config, at string, n node, free bool) {
	t := routeDefaults()
	t.Journal.Free = free
	nameAt, poolAt := n, node(nil)
	if !r.mapping(n, at, keys{
		"name": func(at string, n node) {
			nameAt = n
			r.text(&t.Name)(at, n)
		},
		"match": func(at string, n node) {
			r.mapping(n, at, keys{
				"host":        r.text(&t.Match.Host, anyHost),
				"path_prefix": r.text(&t.Match.PathPrefix, checkPath),
				"methods":     r.texts(&t.Match.Methods, checkMethod),
			})
		},
		"pool": func(at string, n node) {
			poolAt = n
			r.text(&t.Pool, notEmpty)(at, n)
		},
		"auth": func(at string, n node) {
			r.text(&t.Auth, r.checkAuth)(at, n)
			t.Auth, _ = r.env(strings.TrimPrefix(t.Auth, "env:"))
		},
		"request": func(at string, n node) { r.request(&t, at, n) },
		"cache":   func(at string, n node) { r.cache(&t, at, n) },
		"stream":  func(at string, n node) { r.stream(&t.Stream, at, n) },
		"journal": func(at string, n node) { r.journal(&t.Journal, at, n) },
	}) {
		return
	}
	if t.Journal.MaxAttempts == 0 {
		t.Journal.MaxAttempts = attempts(t.Journal.Free)
	}
	if t.Name == "" {
		t.Name = label(t.Match)
	}
	for _, other := range c.Routes {
		if other.Name == t.Name {
			r.problem(nameAt, fmt.Sprintf("%s: another route is called %q too; give this one a name: of its own", at, t.Name))
			break
		}
	}
	switch {
	case poolAt == nil:
		r.problem(n, at+": this route has no pool; add pool: with a name from upstream_pools")
	case t.Pool != "" && !hasPool(c.Pools, t.Pool):
		r.problem(poolAt, fmt.Sprintf("%s.pool: no pool is called %q; %s", at, t.Pool, poolNames(c.Pools, t.Pool)))
	}
	c.Routes = append(c.Routes, t)
}

// label is the name of a route that was given none.
func label(m proxy.Match) string {
	switch {
	case m.Host == "" && m.PathPrefix == "":
		return "/"
	case m.Host == "":
		return m.PathPrefix
	}
	return m.Host + ":" + m.PathPrefix
}

func (r *reader) request(t *proxy.Route, at string, n node) {
	r.mapping(n, at, keys{
		"header_set": func(at string, n node) {
			entries, _ := r.entries(n, at, 0)
			for _, e := range entries {
				f := exchange.Field{Name: showVariables(e.Key.GetToken().Value)}
				if err := checkFieldName(f.Name); err != nil {
					r.problem(e.Key, at+": "+err.Error())
					continue
				}
				r.text(&f.Value, checkFieldValue)(at+"."+f.Name, e.Value)
				t.HeaderSet = append(t.HeaderSet, f)
			}
		},
		"header_remove": r.texts(&t.HeaderRemove, checkFieldName),
		"strip_prefix":  r.text(&t.StripPrefix, checkPath),
	})
	t.StripPrefix = strings.TrimRight(t.StripPrefix, "/")
}

func (r *reader) cache(t *proxy.Route, at string, n node) {
	response, buffer := int(t.MaxResponseBytes), 0
	r.mapping(n, at, keys{
		"enabled":               r.boolean(&t.Cache.Enabled),
		"ttl_default":           r.duration(&t.Cache.TTLDefault, orZero),
		"max_fetch_concurrency": r.count(&t.MaxFetchConcurrency, 0, maxCount),
		"fetch_wait_timeout": func(at string, n node) {
			r.duration(&t.FetchWaitTimeout, orZero)(at, n)
			if t.FetchWaitTimeout > time.Second {
				r.problem(n, fmt.Sprintf("%s: %s is above 1s, and a client that waits so long tries again and doubles the load; raise max_fetch_concurrency instead", at, t.FetchWaitTimeout))
			}
		},
		"max_fetch_queue":            r.count(&t.MaxFetchQueue, 1, maxCount),
		"fetch_timeout":              r.duration(&t.FetchTimeout, aboveZero),
		"max_response_bytes":         r.size(&response, aboveZero),
		"max_streaming_buffer_bytes": r.size(&buffer, orZero),
	})
	t.MaxResponseBytes = int64(response)
	if buffer > 0 {
		t.MaxBufferBytes = int64(buffer)
	}
	if t.MaxFetchConcurrency == 0 {
		t.MaxFetchConcurrency = 32
	}
	if t.FetchWaitTimeout == 0 {
		t.FetchWaitTimeout = 100 * time.Millisecond
	}
}

func (r *reader) stream(s *proxy.StreamPolicy, at string, n node) {
	intent := string(s.Intent)
	r.mapping(n, at, keys{
		"intent":              r.word(&intent, "auto", "strict"),
		"header_timeout":      r.duration(&s.HeaderTimeout, aboveZero),
		"idle_timeout":        r.duration(&s.IdleTimeout, aboveZero),
		"client_idle_timeout": r.duration(&s.ClientIdleTimeout, aboveZero),
		"client_limit":        r.duration(&s.ClientLimit, aboveZero),
	})
	s.Intent = proxy.StreamIntent(intent)
}

func (r *reader) journal(j *proxy.JournalPolicy, at string, n node) {
	mode, replay, billing := string(j.Mode), "content", "paid"
	if j.Free {
		billing = "free"
	}
	r.mapping(n, at, keys{
		"mode": func(at string, n node) {
			r.text(&mode, func(s string) error {
				if s == "false" { // what YAML 1.1 makes of an unquoted off
					return nil
				}
				return oneOf(s, []string{"off", "idempotent"})
			})(at, n)
		},
		"replay":       r.word(&replay, "content", "explicit"),
		"billing":      r.word(&billing, "paid", "free"),
		"max_attempts": r.count(&j.MaxAttempts, 0, 10),
	})
	if mode == "false" {
		mode = "off"
	}
	j.Mode, j.Explicit, j.Free = proxy.JournalMode(mode), replay == "explicit", billing == "free"
}

// checkAuth holds "env:NAME" against the variables that there are: a credential
// that is missing would only be noticed at the first retry.
func (r *reader) checkAuth(s string) error {
	name, ok := strings.CutPrefix(s, "env:")
	switch value, _ := r.env(name); {
	case s == "":
		return nil
	case !ok || name == "":
		return errors.New("a credential is never written into this file; write env:NAME with the name of a variable that holds it")
	case value == "":
		return fmt.Errorf("the variable %s is not set; set it to the credential", name)
	case checkFieldValue(value) != nil:
		return fmt.Errorf("the variable %s holds a line break or control character; set it to the credential alone", name)
	}
	return nil
}

func hasPool(pools []proxy.Pool, name string) bool {
	for i := range pools {
		if pools[i].Name == name {
			return true
		}
	}
	return false
}

func poolNames(pools []proxy.Pool, meant string) string {
	names := make([]string, len(pools))
	for i := range pools {
		names[i] = pools[i].Name
	}
	if near := nearest(meant, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write one of " + strings.Join(names, ", ") + ", or add it to upstream_pools"
}
