package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"tailrace/tui"
)

// dashboard runs the program under the screen until q, a signal, or the end of
// a server. The screen goes first: while the proxy drains, the terminal is the
// user's again.
func dashboard(c *cobra.Command, m *Main) error {
	d := departures(c.Context())
	defer d.forget()
	if err := m.Run(d.begun); err != nil {
		return err
	}
	o := m.screen()
	o.QuitAsks = true
	err := m.show(d.begun, o)
	m.drains()
	return errors.Join(err, m.finish(d, m.Close))
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
func (m *Main) show(ctx context.Context, o tui.Options) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	failed := make(chan error, 1)
	go func() {
		defer tui.Guard()
		select {
		case err := <-m.Failed:
			failed <- err
			end() // of the screen
		case <-ctx.Done():
			failed <- nil
		}
	}()
	cook(os.Stdin, os.Stdout)
	err := tui.Run(ctx, o)
	end()
	return errors.Join(err, <-failed)
}
