package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/config"
)

// flags are those that all ways of running the proxy have.
type flags struct {
	file, listen, admin, state string
	billing, logFormat         string
	headless, ephemeral        bool
	allowOrigins, allowHosts   []string
	to                         []string
}

func (f *flags) register(c *cobra.Command) {
	s := c.Flags()
	s.SortFlags = false
	s.StringVarP(&f.file, "config", "c", "", "read routes and pools from a YAML `FILE`")
	s.StringVar(&f.listen, "listen", config.DefaultHTTP, "`ADDRESS` of the proxy; port 0 picks one")
	s.StringVar(&f.admin, "admin", config.DefaultAdmin, "`ADDRESS` of the admin API and metrics; port 0 picks one")
	s.StringVar(&f.state, "state", "", "keep the journal in `DIR` (default "+defaultStateForHelp()+")")
	s.BoolVar(&f.ephemeral, "ephemeral", false, "keep the journal in a temporary folder that is removed at exit")
	s.StringArrayVar(&f.to, "to", nil, "add the prefix /NAME/ for a base URL: `NAME=URL`, may be repeated")
	s.Var(word{&f.billing, "free|paid"}, "billing", "whether sending again costs money (default free for Ollama, paid for others)")
	s.StringArrayVar(&f.allowOrigins, "allow-origin", nil, "let web pages from this `ORIGIN` in, may be repeated")
	s.StringArrayVar(&f.allowHosts, "allow-host", nil, "let requests to this `HOST` name in, may be repeated")
	s.BoolVar(&f.headless, "headless", false, "no dashboard; a log line per finished request")
	f.logFormat = "text"
	s.Var(word{&f.logFormat, "text|json"}, "log-format", "how log lines are written")
}

// word is a flag that takes one of few words; main refuses all others.
type word struct {
	to   *string
	kind string // as the help text shows it
}

// Set is called by the flag parser.
func (w word) Set(s string) error {
	*w.to = s
	return nil
}

// String gives the value.
func (w word) String() string {
	if w.to == nil { // the parser makes a zero one, to know what zero is
		return ""
	}
	return *w.to
}

// Type is shown in the help text.
func (w word) Type() string { return w.kind }

// main makes the program that the flags describe. Everything wrong with them is
// an error of usage.
func (f *flags) main(c *cobra.Command, args []string) (*Main, error) {
	given := c.Flags().Changed
	cfg, err := f.config(args)
	if err != nil {
		return nil, err
	}
	for _, a := range []struct {
		name, value string
		to          *string
	}{{"listen", f.listen, &cfg.Listen.HTTP}, {"admin", f.admin, &cfg.Listen.Admin}} {
		if !given(a.name) {
			continue
		}
		if err := config.CheckListen(a.value); err != nil {
			return nil, misuse("--%s: %w", a.name, err)
		}
		*a.to = a.value
	}
	for _, o := range f.allowOrigins {
		if err := config.CheckOrigin(o); err != nil {
			return nil, misuse("--allow-origin: %w", err)
		}
	}
	for _, h := range f.allowHosts {
		if err := config.CheckHost(h); err != nil {
			return nil, misuse("--allow-host: %w", err)
		}
	}
	cfg.Listen.AllowOrigins = append(cfg.Listen.AllowOrigins, f.allowOrigins...)
	if cfg.Listen.HTTP == cfg.Listen.Admin && !strings.HasSuffix(cfg.Listen.HTTP, ":0") {
		return nil, misuse("--listen and --admin are both %s; give --admin a port of its own", cfg.Listen.HTTP)
	}
	switch {
	case f.logFormat != "text" && f.logFormat != "json":
		return nil, misuse("--log-format %s is not known; write text or json", f.logFormat)
	case f.ephemeral && given("state"):
		return nil, misuse("--ephemeral makes a folder of its own, so --state has no meaning beside it; give one of them")
	}
	return &Main{
		Config: cfg, State: f.state, Ephemeral: f.ephemeral, AllowHosts: f.allowHosts,
		Headless: f.headless, JSON: f.logFormat == "json",
		Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
		Token: os.Getenv("TAILRACE_ADMIN_TOKEN"), Version: version(),
	}, nil
}

// config is what the file, the URL or the built-in routes say, with --to.
func (f *flags) config(args []string) (*config.Config, error) {
	billing := config.Billing(f.billing)
	if billing != config.BillingOwn && billing != config.BillingPaid && billing != config.BillingFree {
		return nil, misuse("--billing %s is not known; write free or paid", f.billing)
	}
	to := map[string]string{}
	for _, pair := range f.to {
		name, url, ok := strings.Cut(pair, "=")
		if _, twice := to[name]; !ok || twice {
			return nil, misuse("--to %s: write NAME=URL, each name once", pair)
		}
		to[name] = url
	}
	var cfg *config.Config
	var err error
	switch {
	case f.file != "" && len(args) > 0:
		return nil, misuse("the file of -c and the upstream %s exclude each other; give one of them", args[0])
	case f.file != "":
		cfg, err = config.Load(f.file, config.Options{Env: os.LookupEnv, Free: billing == config.BillingFree})
	case len(args) > 0:
		cfg, err = config.Single(args[0], billing)
	default:
		cfg, err = config.Builtin(to, billing)
		to = nil
	}
	if err == nil && to != nil {
		err = cfg.Add(to, billing)
	}
	if err != nil {
		return nil, usage{err}
	}
	return cfg, nil
}
