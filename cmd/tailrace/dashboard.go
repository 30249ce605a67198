package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tailrace/store/live"
	"tailrace/tui"
)

// dashboard runs the program under the screen until q, a signal, or the end of
// a server. The screen goes first: while the proxy drains, the terminal is the
// user's again.
func dashboard(c *cobra.Command, m *Main) error {
	ctx, stop := signals(c.Context())
	defer stop()
	if err := m.Run(ctx); err != nil {
		return err
	}
	o := m.screen()
	o.QuitAsks = true
	err := m.show(ctx, stop, o)
	if n := m.board.Snapshot(live.Query{}).Live; n > 0 && m.Config.DrainTimeout > 0 {
		fmt.Fprintf(m.Stderr, "tailrace: %d requests are under way; they have up to %s to end\n", n, m.Config.DrainTimeout)
	}
	return errors.Join(err, m.Close())
}

// screen is what the dashboard shows of this program.
func (m *Main) screen() tui.Options {
	return tui.Options{
		Present: m.board, Past: past{m.journal}, Control: m.proxy,
		Version: m.Version, ProxyURL: m.ProxyURL, AdminURL: m.AdminURL, JournalPath: m.state.path(journalFile),
		Notices: m.notices.all, NoColor: os.Getenv("NO_COLOR") != "",
	}
}

// show has the terminal until q, the end of ctx, or that of a server, which is
// the error then.
func (m *Main) show(ctx context.Context, stop context.CancelFunc, o tui.Options) error {
	failed := make(chan error, 1)
	go func() {
		defer tui.Guard()
		select {
		case err := <-m.Failed:
			failed <- err
			stop() // ends the screen
		case <-ctx.Done():
			failed <- nil
		}
	}()
	err := tui.Run(ctx, o)
	stop() // a second signal does not wait for anything
	return errors.Join(err, <-failed)
}
