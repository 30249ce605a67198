package main

import (
	"slices"
	"strings"
	"time"

	"tailrace/cmd/internal/config"
	"tailrace/proxy"
)

// The demo's own routes, in front of the built-in ones.
const (
	narrow = "narrow" // two slots, so that somebody has to wait
	flaky  = "flaky"  // does not wait long for a provider that is silent
)

// leaving is how long Close waits. It is no draining, q must end the demo at
// once: the demo's clients have left by then, and the journal is to say so, not
// that their requests were interrupted.
const leaving = 150 * time.Millisecond

// bare are the built-in routes that the demo keeps. The others lead to the same
// providers under prefixes and would only make its Queue pane long.
var bare = []string{"/v1/messages", "/v1/", "/v1beta/", "/api/"}

// routes are built-in ones with the fake provider in the place of all others,
// but for those of --to, and two narrow roads beside them.
func (d *demo) routes(c *config.Config) *config.Config {
	others := func(pool string) bool {
		return slices.ContainsFunc(d.to, func(pair string) bool { return strings.HasPrefix(pair, pool+"=") })
	}
	for i := range c.Pools {
		if p := &c.Pools[i]; !others(p.Name) {
			p.Targets = []string{"http://" + d.address}
		}
	}
	routes := make([]proxy.Route, 0, len(c.Routes)+2)
	for _, r := range c.Routes {
		switch {
		case others(r.Pool):
			routes = append(routes, r)
		case slices.Contains(bare, r.Match.PathPrefix):
			r.Name = r.Pool
			r.Cache.TTLDefault = 10 * time.Second // of lists of models, which name none
			routes = append(routes, r)
		}
	}
	openai := routes[slices.IndexFunc(routes, func(r proxy.Route) bool { return r.Name == "openai" })]
	impatient := c.Pools[slices.IndexFunc(c.Pools, func(p proxy.Pool) bool { return p.Name == "openai" })]
	impatient.Name, impatient.ResponseHeaderTimeout = flaky, 600*time.Millisecond
	c.Pools = append(c.Pools, impatient)
	c.Routes = append([]proxy.Route{
		side(openai, narrow, func(r *proxy.Route) {
			r.MaxFetchConcurrency, r.FetchWaitTimeout = 2, time.Second
			r.Journal.Mode = proxy.JournalOff // its many calls would bury the row that there is something to do about
		}),
		side(openai, flaky, func(r *proxy.Route) {
			r.Pool, r.Journal.MaxAttempts = flaky, min(r.Journal.MaxAttempts, 2) // one where sending costs
		}),
	}, routes...)
	c.DrainTimeout = leaving
	return c
}

// side is a copy of a route under a prefix of its own.
func side(r proxy.Route, name string, change func(*proxy.Route)) proxy.Route {
	r.Name, r.Match, r.StripPrefix = name, proxy.Match{PathPrefix: "/" + name + "/"}, "/"+name
	change(&r)
	return r
}
