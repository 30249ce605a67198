package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tailrace/proxy/exchange"
	"tailrace/proxy/fakellm"
)

func demoCommand() *cobra.Command {
	var f flags
	var fresh bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show everything against a fake provider: no key, no network",
		Long: `demo runs the proxy and the dashboard in front of a fake LLM provider, with
applications that ask it things. Within ten seconds there are live streams, HIT,
MISS and BYPASS, a request that waits for a slot and one that is shed, a stream
that the provider breaks, a call that is given up, and one that a real SIGKILL
interrupted: find it in the journal and complete it with r.

It takes the ports of tailrace when they are free, else others. Its journal is
kept in a folder of its own and goes on at the next start; --fresh empties it,
--ephemeral keeps none. After a kill -9 the terminal needs the command reset.`,
		Example: `  tailrace demo
  tailrace demo --fresh                  begin with an empty journal
  tailrace demo --headless               a log line per request, no dashboard`,
		Args: arguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.file != "" {
				return misuse("the demo brings its own routes, so -c has no meaning; leave it out")
			}
			if f.billing == "" {
				f.billing = "free" // nobody is charged here
			}
			m, err := f.main(c, nil)
			if err != nil {
				return err
			}
			m.Headless = m.Headless || !isTerminal(c.OutOrStdout())
			d := &demo{Main: m, to: f.to, given: c.Flags().Changed}
			return d.run(c.Context(), fresh)
		},
	}
	f.register(c)
	c.Flags().Lookup("config").Hidden = true // it is refused in a sentence
	c.Flags().Lookup("state").Usage = "keep the journal in `DIR` (default the folder demo in " + defaultStateForHelp() + ")"
	c.Flags().Lookup("billing").Usage = "whether sending again costs money (default free: the provider is a fake)"
	c.Flags().BoolVar(&fresh, "fresh", false, "begin with an empty journal: what earlier demos left is removed")
	return c
}

// demo is the program with a provider of its own, and with applications that
// use it.
type demo struct {
	*Main
	to    []string               // --to: providers that are somebody else's
	given func(flag string) bool // what the command line names

	origin  *fakellm.Origin
	address string           // of the origin, host:port
	rows    []exchange.Entry // what an earlier demo left under way
}

// run is the whole demo: first a child makes the interrupted request and is
// killed, then the program goes on with the same journal.
func (d *demo) run(ctx context.Context, fresh bool) error {
	leave := departures(ctx)
	defer leave.forget()
	ctx = leave.begun
	if err := d.findPorts(); err != nil {
		return err
	}
	if err := d.findState(fresh); err != nil {
		return err
	}
	if d.Ephemeral { // the program removes it, once it runs
		defer os.RemoveAll(d.State)
	}
	if err := d.provide(); err != nil {
		return err
	}
	defer d.origin.Close()
	d.Config = d.routes(d.Config)
	if err := d.interrupt(ctx); err != nil && ctx.Err() == nil {
		d.notices.say("no request could be interrupted for the demo: " + err.Error())
	}
	d.before = d.rows
	if err := d.Run(ctx); err != nil {
		return err
	}
	t := d.traffic(ctx)
	err := d.watch(ctx)
	err = errors.Join(err, d.finish(leave, func() error {
		t.Wait()
		return d.Close()
	}))
	if !d.Ephemeral {
		fmt.Fprintf(d.Stderr, "tailrace demo: its journal is kept in %s; the next start goes on with it, --fresh empties it\n", d.State)
	}
	return err
}

// watch shows what happens until q, a signal, or the end of a server.
func (d *demo) watch(ctx context.Context) error {
	if !d.Headless {
		o := d.screen()
		o.Demo, o.Try = true, d.try()
		return d.show(ctx, o)
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.Failed:
		return err
	}
}

// try says what there is to do. A small screen shows the first three lines, and
// a wide one two in a row: each stands for itself, in whatever company.
func (d *demo) try() []string {
	complete := "r completes it, then it is a HIT"
	if !d.free() {
		complete = "r, y complete it: a HIT then"
	}
	lines := []string{
		"2 shows streams as they grow, x kills one  ·  3 shows who waits, who is shed",
		"4, /invoice, enter: a SIGKILL interrupted it; " + complete,
		"kill -9, reset, start again: the journal goes on, " + tilde(d.State),
		"4 has CACHE_HIT (asked twice, sent once) and DEAD_LETTER (given up, r resends)",
		"curl -N " + d.ProxyURL + `/v1/chat/completions -d '{"stream":true,"messages":[]}'`,
	}
	if d.Ephemeral { // nothing goes on
		lines = slices.Delete(lines, 2, 3)
	}
	return lines
}

// free is whether the journal may send again by itself.
func (d *demo) free() bool { return d.Config.Routes[0].Journal.Free }
