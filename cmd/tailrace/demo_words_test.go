package main

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"tailrace/cmd/internal/config"
	"tailrace/proxy"
)

func demoOf(t *testing.T, billing config.Billing, change func(*Main)) *demo {
	t.Helper()
	c, err := config.Builtin(nil, billing)
	if err != nil {
		t.Fatal(err)
	}
	m := &Main{Config: c, State: "/home/someone/.local/state/tailrace/demo", ProxyURL: "http://127.0.0.1:8245"}
	change(m)
	d := &demo{Main: m, address: "127.0.0.1:1"}
	d.Config = d.routes(c)
	return d
}

func TestTheDemosHintsFitAndHoldInThatDemo(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	for _, c := range []struct {
		name        string
		billing     config.Billing
		ephemeral   bool
		has, hasNot []string
	}{
		{"free", config.BillingFree, false, []string{"SIGKILL", "r completes it", "the journal goes on", "reset", "CACHE_HIT", "DEAD_LETTER"}, []string{"r, y"}},
		{"paid", config.BillingPaid, false, []string{"r, y complete it"}, []string{"r completes it"}},
		{"ephemeral", config.BillingFree, true, []string{"SIGKILL"}, []string{"goes on", "kill -9"}},
	} {
		d := demoOf(t, c.billing, func(m *Main) { m.Ephemeral = c.ephemeral })
		all := strings.Join(d.try(), "\n")
		for _, want := range c.has {
			if !strings.Contains(all, want) {
				t.Errorf("%s: nothing of %q in\n%s", c.name, want, all)
			}
		}
		for _, wrong := range c.hasNot {
			if strings.Contains(all, wrong) {
				t.Errorf("%s: %q stands in\n%s", c.name, wrong, all)
			}
		}
		for _, l := range d.try() {
			if w := uniseg.StringWidth(l); w > 79 && !strings.HasPrefix(l, "curl") {
				t.Errorf("%s: %d cells do not fit 80 columns: %s", c.name, w, l)
			}
			if strings.Contains(l, "/invoice") && !strings.Contains(l, "HIT") {
				t.Errorf("%s: what follows stands elsewhere: %s", c.name, l)
			}
		}
	}
}

func TestThePatienceOfTheFlakyRouteFollowsTheBilling(t *testing.T) {
	for billing, want := range map[config.Billing]int{config.BillingFree: 2, config.BillingPaid: 1} {
		for _, r := range demoOf(t, billing, func(*Main) {}).Config.Routes {
			if r.Name == flaky && r.Journal.MaxAttempts != want {
				t.Errorf("%s: %d attempts, want %d", billing, r.Journal.MaxAttempts, want)
			}
			if r.Name == narrow && r.Journal.Mode != proxy.JournalOff {
				t.Errorf("the narrow route is journaled")
			}
		}
	}
}

func TestHelpOffersWhatACommandTakes(t *testing.T) {
	for command, c := range map[string]struct{ has, hasNot []string }{
		"demo":  {[]string{"--fresh", "the folder demo in", "--billing free|paid ", "default free"}, []string{"--config", "-c,", "Ollama"}},
		"serve": {[]string{"--log-format text|json ", "-c, --config FILE", "URL is one upstream"}, []string{"--headless"}},
		"mock":  {[]string{"--head DUR  ", "--tokens N  ", "--silent  "}, []string{"DUR:", "N:", "SIZE:"}},
		"":      {[]string{"--billing free|paid ", "--headless"}, []string{"free or paid"}},
	} {
		args := []string{"--help"}
		if command != "" {
			args = []string{command, "--help"}
		}
		code, out, _ := call("", args...)
		for _, want := range c.has {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s --help says nothing of %q:\n%s", command, want, out)
			}
		}
		for _, wrong := range c.hasNot {
			if strings.Contains(out, wrong) {
				t.Errorf("%s --help says %q:\n%s", command, wrong, out)
			}
		}
	}
}
