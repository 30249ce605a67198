package main

import (
	"encoding/json"
	"errors"
	"fmt"
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
		Long: `serve runs the proxy without dashboard and writes a log line for each finished
request. Its first line says where everything is. URL is one upstream that gets
every path, as in http://127.0.0.1:11434; without it and without -c, the path of
a request tells the provider.

At SIGTERM or ctrl+c it takes nothing new and lets what is under way end, for
10 seconds at most; a second signal leaves at once.`,
		Example: `  tailrace serve                         all providers
  tailrace serve http://127.0.0.1:11434  one upstream
  tailrace serve -c tailrace.yaml        routes of your own`,
		Args: oneURL,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := f.main(c, args)
			if err != nil {
				return err
			}
			return serve(c, m)
		},
	}
	f.register(c)
	c.Flags().Lookup("headless").Hidden = true // it always is
	return c
}

// serve runs the program until a signal, or until a server fails.
func serve(c *cobra.Command, m *Main) error {
	m.Headless = true
	d := departures(c.Context())
	defer d.forget()
	if err := m.Run(d.begun); err != nil {
		return err
	}
	var failed error
	select {
	case <-d.begun.Done():
	case failed = <-m.Failed:
	}
	m.drains()
	return errors.Join(failed, m.finish(d, m.Close))
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
		}{time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00"), "warn", own(sentence)})
		if err == nil {
			m.errors.put(string(b))
		}
	default:
		m.errors.put("tailrace: " + own(sentence))
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
