package main

import (
	"slices"
	"testing"

	"tailrace/cmd/internal/config"
	"tailrace/proxy/exchange"
)

func TestARareWayIsShownFromItsFirstWorkOn(t *testing.T) {
	cfg, err := config.Builtin(nil, config.BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	const rare = "openai (/openai/v1)"
	busy := 0
	read := byUse(cfg.Routes, func() []exchange.Load {
		loads := make([]exchange.Load, len(cfg.Routes))
		for i, r := range cfg.Routes {
			if loads[i].Route = r.Name; r.Name == rare {
				loads[i].InUse = busy
			}
		}
		return loads
	})
	names := func() (all []string) {
		for _, l := range read() {
			all = append(all, l.Route)
		}
		return all
	}
	plain := []string{"openrouter", "anthropic", "openai", "gemini", "ollama"} // as they match
	if got := names(); !slices.Equal(got, plain) {
		t.Errorf("at rest there are %q", got)
	}
	for _, busy = range []int{1, 0} { // a line does not jump away when its work is done
		if got := names(); !slices.Equal(got, append(slices.Clone(plain), rare)) {
			t.Errorf("with %d at work there are %q", busy, got)
		}
	}
}
