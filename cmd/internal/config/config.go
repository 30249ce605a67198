// Package config turns a YAML file, or a few flags, into the plain structs that
// the program is built from. [Load] reads a file; [Builtin] and [Single] make
// the same structs without one.
//
// Defaults are applied here and nowhere else, so that no other room has to know
// what a zero stood for. A key that nobody acts on is an error, also one that a
// later version will know: a setting that is read and ignored is a promise that
// is broken in silence. All mistakes of a file are reported at once.
package config

import (
	"fmt"
	"os"
	"time"

	"tailrace/proxy"
)

// The addresses that are listened on where none is named. 8245 spells TAIL.
const (
	DefaultHTTP  = "127.0.0.1:8245"
	DefaultAdmin = "127.0.0.1:8246"
)

// Config is what a file says, with every default filled in.
type Config struct {
	Listen Listen
	Pools  []proxy.Pool
	Routes []proxy.Route

	DrainTimeout    time.Duration // 0 cuts live exchanges at once
	MaxRequestBytes int           // of a request body
	FastPath        bool          // experimental.h1_fast_path
}

// Listen says where the program stands and who may come.
type Listen struct {
	HTTP, Admin    string   // host:port on a loopback address; port 0 picks one
	MaxConnections int      // of clients; 0 = no limit
	AllowOrigins   []string // exact values of the Origin header
}

// Options are what the caller knows and a file does not.
type Options struct {
	// Env looks up a variable; os.LookupEnv in the program.
	Env func(name string) (string, bool)
	// Free is the billing of routes that do not name theirs (--billing).
	Free bool
}

// Load reads and checks a file. The error is of type [Problems] when the file
// could be read but not used.
func Load(file string, o Options) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w; name an existing YAML file with -c", err)
	}
	return Parse(file, text, o)
}

// Parse is Load for a text that is already in memory. The file's name stands in
// front of each problem, and relative paths in it begin at its folder.
func Parse(file string, text []byte, o Options) (*Config, error) {
	r := &reader{file: file, env: o.Env}
	root := r.parse(text)
	c := defaults()
	if root != nil {
		r.document(c, root, o)
	}
	if len(r.problems) > 0 {
		return nil, r.problems.sorted()
	}
	return c, nil
}

// defaults is a Config without routes.
func defaults() *Config {
	return &Config{
		Listen:          Listen{HTTP: DefaultHTTP, Admin: DefaultAdmin},
		DrainTimeout:    10 * time.Second,
		MaxRequestBytes: 64 << 20,
		FastPath:        true,
	}
}

// document reads the top level of a file.
func (r *reader) document(c *Config, root node, o Options) {
	replay := 24 * time.Hour
	var pools, routes []node
	r.mapping(root, "", keys{
		"listen":         func(at string, n node) { r.listen(&c.Listen, at, n) },
		"upstream_pools": func(at string, n node) { pools = r.sequence(at, n) },
		"routes":         func(at string, n node) { routes = r.sequence(at, n) },
		"journal": func(at string, n node) {
			r.mapping(n, at, keys{"replay_for": r.duration(&replay, orZero)})
		},
		"drain_timeout":     r.duration(&c.DrainTimeout, orZero),
		"max_request_bytes": r.size(&c.MaxRequestBytes, aboveZero),
		"experimental": func(at string, n node) {
			r.mapping(n, at, keys{"h1_fast_path": r.boolean(&c.FastPath)})
		},
	})
	for i, n := range pools {
		r.pool(c, fmt.Sprintf("upstream_pools[%d]", i), n)
	}
	for i, n := range routes {
		r.route(c, fmt.Sprintf("routes[%d]", i), n, o.Free)
	}
	if len(routes) == 0 {
		r.problem(root, "routes: there is none, so nothing could be answered; add one that names a pool")
	}
	for i := range c.Routes {
		c.Routes[i].Journal.ReplayFor = replay
	}
}

func (r *reader) listen(l *Listen, at string, n node) {
	r.mapping(n, at, keys{
		"http":            r.text(&l.HTTP, CheckListen),
		"admin":           r.text(&l.Admin, CheckListen),
		"max_connections": r.count(&l.MaxConnections, 0, maxCount),
		"allow_origins":   r.texts(&l.AllowOrigins, CheckOrigin),
	})
	if samePort(l.HTTP, l.Admin) {
		r.problem(n, at+": http and admin share the address "+l.HTTP+"; give admin a port of its own")
	}
}
