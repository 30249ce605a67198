package main

import (
	"slices"
	"strings"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
)

// byUse reads the loads of all routes, those with plain names first. Routes
// stand in the order in which they match, and there the rare ways to a provider
// (a doubled /v1, its name as a prefix) come before the one in use.
func byUse(routes []proxy.Route, read func() []exchange.Load) func() []exchange.Load {
	rare := map[string]int{}
	for _, r := range routes {
		if strings.HasPrefix(r.Name, r.Pool+":") {
			rare[r.Name] = 1
		}
	}
	return func() []exchange.Load {
		loads := read()
		slices.SortStableFunc(loads, func(a, b exchange.Load) int { return rare[a.Route] - rare[b.Route] })
		return loads
	}
}
