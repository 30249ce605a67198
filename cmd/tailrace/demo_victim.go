package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/config"
	"tailrace/proxy/exchange"
	"tailrace/tui"
)

// victimCommand is a proxy whose provider never answers. The demo starts it on
// its own journal, sends it a request, and kills it when that has been sent.
func victimCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "demo-victim ORIGIN DIR",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := config.Builtin(nil, config.BillingFree)
			if err != nil {
				return err
			}
			d := &demo{address: args[0]}
			cfg = d.routes(cfg)
			cfg.Listen.HTTP, cfg.Listen.Admin = "127.0.0.1:0", "127.0.0.1:0"
			for i := range cfg.Routes { // added on the way out: the request that the journal keeps is a plain one
				r := &cfg.Routes[i]
				r.HeaderSet = append(r.HeaderSet, exchange.Field{Name: behaviourHeader, Value: "silent"})
			}
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				defer tui.Guard()
				defer cancel() // whoever started it is gone, and it must not keep the journal
				_, _ = io.Copy(io.Discard, c.InOrStdin())
			}()
			c.SetContext(ctx)
			return serve(c, &Main{
				Config: cfg, State: args[1], Version: version(), Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
			})
		},
	}
}

// victim is the process of victimCommand.
type victim struct {
	cmd   *exec.Cmd
	proxy string // base URL
}

// reexec is this program again, with other arguments. Tests replace it: there,
// this program is the test.
var reexec = func(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own file: %w", err)
	}
	return exec.CommandContext(ctx, self, args...), nil
}

// startVictim returns when the child can be asked. It dies with ctx at the
// latest, and by itself when this process does.
func startVictim(ctx context.Context, origin, dir string) (*victim, error) {
	cmd, err := reexec(ctx, "demo-victim", origin, dir)
	if err != nil {
		return nil, err
	}
	if _, err := cmd.StdinPipe(); err != nil { // held open until Wait
		return nil, fmt.Errorf("starting a second process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a second process: %w", err)
	}
	said := &strings.Builder{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a second process: %w", err)
	}
	v := &victim{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		v.kill()
		return nil, fmt.Errorf("the second process did not begin: %s", strings.TrimSpace(said.String()))
	}
	_, rest, _ := strings.Cut(line, " proxy=")
	v.proxy, _, _ = strings.Cut(rest, " ")
	return v, nil
}

// kill is SIGKILL (TerminateProcess on Windows): nothing of the child runs any
// more when it returns.
func (v *victim) kill() {
	_ = v.cmd.Process.Kill() // it may be dead already
	_ = v.cmd.Wait()
}
