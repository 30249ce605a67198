package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/metrics"
	"tailrace/proxy/exchange"
	"tailrace/store/journal"
)

func serveCommand() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "serve [URL]",
		Short: "Run without dashboard: a log line for each finished request",
		Args:  oneURL,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := f.main(c, args)
			if err != nil {
				return err
			}
			return serve(c, m)
		},
	}
	f.register(c)
	return c
}

// serve runs the program until a signal, or until a server fails.
func serve(c *cobra.Command, m *Main) error {
	m.Headless = true
	ctx, stop := signals(c.Context())
	defer stop()
	if err := m.Run(ctx); err != nil {
		return err
	}
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-m.Failed:
	}
	stop() // a second signal does not wait for anything
	return errors.Join(failed, m.Close())
}

// signals ends its context when the process is asked to leave. SIGHUP says that
// the terminal is gone; under nohup it stays ignored.
func signals(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	leave := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		leave = append(leave, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, leave...)
}

// ready is the first line of standard output: scripts wait for it.
func (m *Main) ready() string {
	token := m.state.path(tokenFile)
	if m.Token != "" {
		token = "env:TAILRACE_ADMIN_TOKEN"
	}
	return fmt.Sprintf("tailrace ready proxy=%s admin=%s token=%s journal=%s",
		m.ProxyURL, m.AdminURL, quoted(token), quoted(m.state.path(journalFile)))
}

// panicked is told of a panic that the proxy contained. The stack holds no
// values of the request; the panic's own text might.
func (m *Main) panicked(v any, stack []byte) {
	m.notices.say("a request met a mistake in tailrace and was broken off: " + exchange.RedactText(fmt.Sprint(v)))
	m.warn(string(stack))
}

// warn says something on standard error, unless a dashboard has the screen.
func (m *Main) warn(sentence string) {
	switch {
	case m.errors == nil:
	case m.JSON:
		b, err := json.Marshal(struct {
			Time    string `json:"ts"`
			Level   string `json:"level"`
			Message string `json:"message"`
		}{time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00"), "warn", sentence})
		if err == nil {
			m.errors.put(string(b))
		}
	default:
		m.errors.put("tailrace: " + sentence)
	}
}

func journalNumbers(j *journal.Journal) []metrics.Number {
	count := func(name, help string, read func(journal.Stats) uint64) metrics.Number {
		return metrics.Number{Name: name, Help: help, Read: func() float64 { return float64(read(j.Stats())) }}
	}
	return []metrics.Number{
		count("commits_total", "Transactions.", func(s journal.Stats) uint64 { return s.Commits }),
		count("durable_commits_total", "Transactions that were fsynced at once.", func(s journal.Stats) uint64 { return s.Durable }),
		count("events_total", "Events appended.", func(s journal.Stats) uint64 { return s.Events }),
		count("pieces_total", "Pieces of bodies recorded.", func(s journal.Stats) uint64 { return s.Pieces }),
		count("errors_total", "Transactions rolled back.", func(s journal.Stats) uint64 { return s.Errors }),
		{Name: "queue_depth", Help: "Operations that wait for the writer.", Level: true, Read: func() float64 { return float64(j.Stats().Waiting) }},
		{Name: "queue_bytes", Help: "Bytes of pieces that wait for the writer.", Level: true, Read: func() float64 { return float64(j.Stats().QueueBytes) }},
	}
}
