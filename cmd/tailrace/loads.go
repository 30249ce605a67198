package main

import (
	"slices"
	"sync"

	"tailrace/cmd/internal/config"
	"tailrace/proxy"
	"tailrace/proxy/exchange"
)

// byUse reads the loads of the routes, those in use first. Built-in routes have
// four rare ways (a doubled /v1, a name as prefix) beside each one that is used,
// and a reader of 20 idle lines does not find the busy one: a rare way is left
// out until it has been seen at work. The func is safe for concurrent use.
func byUse(routes []proxy.Route, read func() []exchange.Load) func() []exchange.Load {
	var mu sync.Mutex
	rare, worked := map[string]bool{}, map[string]bool{}
	for i := range routes {
		rare[routes[i].Name] = config.Aside(&routes[i])
	}
	return func() []exchange.Load {
		loads := read()
		mu.Lock()
		defer mu.Unlock()
		idle := func(l exchange.Load) bool {
			if !rare[l.Route] || worked[l.Route] {
				return false
			}
			worked[l.Route] = l.InUse+l.Waiting+l.ActiveStreams > 0 || l.BufferBytes > 0 || l.Shed+l.Fallback > 0
			return !worked[l.Route]
		}
		loads = slices.DeleteFunc(loads, idle)
		slices.SortStableFunc(loads, func(a, b exchange.Load) int { return order(rare[a.Route]) - order(rare[b.Route]) })
		return loads
	}
}

func order(rare bool) int {
	if rare {
		return 1
	}
	return 0
}
