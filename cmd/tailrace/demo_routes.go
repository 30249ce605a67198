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

// routes are the built-in ones with the fake provider in the place of all
// others, but for those of --to, and two narrow roads beside them.
func (d *demo) routes(c *config.Config) *config.Config {
	target := "http://" + d.address
	for i := range c.Pools {
		if p := &c.Pools[i]; !slices.ContainsFunc(d.to, func(pair string) bool { return strings.HasPrefix(pair, p.Name+"=") }) {
			p.Targets = []string{target}
		}
	}
	i := slices.IndexFunc(c.Routes, func(r proxy.Route) bool { return r.Name == "openai" })
	p := slices.IndexFunc(c.Pools, func(p proxy.Pool) bool { return p.Name == "openai" })
	for j := range c.Routes {
		c.Routes[j].Cache.TTLDefault = 10 * time.Second // lists of models, which name none
	}
	impatient := c.Pools[p]
	impatient.Name, impatient.ResponseHeaderTimeout = flaky, 600*time.Millisecond
	c.Pools = append(c.Pools, impatient)
	c.Routes = append([]proxy.Route{
		side(c.Routes[i], narrow, func(r *proxy.Route) {
			r.MaxFetchConcurrency, r.FetchWaitTimeout = 2, time.Second
			r.Journal.Mode = proxy.JournalOff // its many calls would bury the row that there is something to do about
		}),
		side(c.Routes[i], flaky, func(r *proxy.Route) {
			r.Pool, r.Journal.MaxAttempts = flaky, 2
		}),
	}, c.Routes...)
	c.DrainTimeout = leaving
	return c
}

// side is a copy of a route under a prefix of its own.
func side(r proxy.Route, name string, change func(*proxy.Route)) proxy.Route {
	r.Name, r.Match, r.StripPrefix = name, proxy.Match{PathPrefix: "/" + name + "/"}, "/"+name
	change(&r)
	return r
}
