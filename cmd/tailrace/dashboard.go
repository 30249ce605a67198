package main

import (
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
	err := tui.Run(ctx, tui.Options{
		Present: m.board, Past: past{m.journal}, Control: m.proxy,
		Version: m.Version, ProxyURL: m.ProxyURL, AdminURL: m.AdminURL, JournalPath: m.state.path(journalFile),
		Notices: m.notices.all, NoColor: os.Getenv("NO_COLOR") != "", QuitAsks: true,
	})
	stop() // a second signal does not wait for anything
	if n := m.board.Snapshot(live.Query{}).Live; n > 0 && m.Config.DrainTimeout > 0 {
		fmt.Fprintf(m.Stderr, "tailrace: %d requests are under way; they have up to %s to end\n", n, m.Config.DrainTimeout)
	}
	return errors.Join(err, <-failed, m.Close())
}
