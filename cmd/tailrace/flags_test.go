package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/config"
)

// made is the program that a command line describes.
func made(t *testing.T, args ...string) *Main {
	t.Helper()
	var f flags
	var m *Main
	c := &cobra.Command{Args: oneURL, RunE: func(c *cobra.Command, args []string) (err error) {
		m, err = f.main(c, args)
		return err
	}}
	f.register(c)
	c.SetArgs(args)
	c.SetOut(&bytes.Buffer{})
	if err := c.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return m
}

func TestEachFlagActs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tailrace.yaml")
	text := "listen: {http: 'localhost:1', admin: 'localhost:2', allow_origins: ['http://a']}\n" +
		"upstream_pools: [{name: p, targets: ['http://h']}]\nroutes: [{name: r, pool: p}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		acts func(*Main) bool
	}{
		{nil, func(m *Main) bool {
			return m.Config.Listen.HTTP == config.DefaultHTTP && m.Config.Listen.Admin == config.DefaultAdmin && !m.Headless && !m.JSON && !m.Ephemeral && len(m.Config.Routes) > 5
		}},
		{[]string{"http://h/v1"}, func(m *Main) bool {
			return len(m.Config.Pools) == 1 && m.Config.Pools[0].Targets[0] == "http://h:80" && !m.Config.Routes[0].Journal.Free
		}},
		{[]string{"-c", file}, func(m *Main) bool {
			return m.Config.Listen.HTTP == "localhost:1" && m.Config.Listen.Admin == "localhost:2" && m.Config.Routes[0].Name == "r"
		}},
		{[]string{"-c", file, "--listen", "127.0.0.1:3", "--admin", "[::1]:4"}, func(m *Main) bool {
			return m.Config.Listen.HTTP == "127.0.0.1:3" && m.Config.Listen.Admin == "[::1]:4"
		}},
		{[]string{"-c", file, "--allow-origin", "http://b", "--allow-origin", "http://c"}, func(m *Main) bool {
			return slices.Equal(m.Config.Listen.AllowOrigins, []string{"http://a", "http://b", "http://c"})
		}},
		{[]string{"-c", file, "--to", "x=http://h2/v1"}, func(m *Main) bool {
			return strings.HasPrefix(m.Config.Routes[0].Match.PathPrefix, "/x/") && m.Config.Routes[len(m.Config.Routes)-1].Name == "r"
		}},
		{[]string{"-c", file, "--billing", "free"}, func(m *Main) bool { return m.Config.Routes[0].Journal.Free }},
		{[]string{"--to", "x=http://h2/v1"}, func(m *Main) bool { return m.Config.Routes[0].Pool == "x" }},
		{[]string{"--billing", "free"}, func(m *Main) bool { return m.Config.Routes[0].Journal.Free }},
		{[]string{"http://h", "--billing", "free"}, func(m *Main) bool { return m.Config.Routes[0].Journal.MaxAttempts == 3 }},
		{[]string{"--allow-host", "box"}, func(m *Main) bool { return slices.Equal(m.AllowHosts, []string{"box"}) }},
		{[]string{"--state", "dir"}, func(m *Main) bool { return m.State == "dir" }},
		{[]string{"--ephemeral"}, func(m *Main) bool { return m.Ephemeral }},
		{[]string{"--headless"}, func(m *Main) bool { return m.Headless }},
		{[]string{"--log-format", "json"}, func(m *Main) bool { return m.JSON }},
	} {
		if m := made(t, tt.args...); !tt.acts(m) {
			t.Errorf("%q gives %+v with %+v", tt.args, m, m.Config)
		}
	}
}

func TestTheAdminTokenMayComeFromTheEnvironmentAndOtherVariablesAreIgnored(t *testing.T) {
	t.Setenv("TAILRACE_ADMIN_TOKEN", "mine")
	t.Setenv("TAILRACE_NONSENSE", "x")
	if m := made(t); m.Token != "mine" {
		t.Errorf("the token is %q", m.Token)
	}
}
