package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"tailrace/cmd/internal/admin"
	"tailrace/cmd/internal/config"
	"tailrace/cmd/internal/metrics"
	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
	"tailrace/store/journal"
	"tailrace/store/live"
	"tailrace/tui"
)

var (
	_ proxy.Journal     = (*journal.Journal)(nil)
	_ exchange.Observer = (*live.Board)(nil)
	_ admin.Control     = (*proxy.Proxy)(nil)
	_ admin.Past        = (*journal.Journal)(nil)
	_ admin.Present     = (*live.Board)(nil)
)

// Main is the program: fields in, Run, Close. Tests start it on port 0.
type Main struct {
	Config     *config.Config
	State      string // directory; "" is the system's
	Ephemeral  bool   // a new directory that Close removes
	AllowHosts []string
	Token      string // of the admin API; "" takes the one of the state directory
	Version    string

	Headless bool // log requests on Stdout; else the dashboard has the terminal
	JSON     bool // form of the log
	Stdout   io.Writer
	Stderr   io.Writer

	// Set by Run.
	ProxyURL, AdminURL string
	Failed             chan error // a server ended by itself

	state   *state
	journal *journal.Journal
	board   *live.Board
	proxy   *proxy.Proxy
	admin   *http.Server
	before  []exchange.Entry // recovered already, by an opening before this one
	notices notices
	lines   *lines        // on Stdout, when headless
	errors  *lines        // on Stderr, when headless
	done    chan struct{} // closed when both servers have ended
}

// Run opens everything and begins to serve; it returns when clients can come.
// After an error nothing is left open, and Close need not be called.
func (m *Main) Run(context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, m.release())
		}
	}()
	if m.state, err = openState(m.State, m.Ephemeral); err != nil {
		return err
	}
	proxyLn, err := net.Listen("tcp", m.Config.Listen.HTTP)
	if err != nil {
		return taken("--listen", m.Config.Listen.HTTP, err)
	}
	adminLn, err := net.Listen("tcp", m.Config.Listen.Admin)
	if err != nil {
		return errors.Join(taken("--admin", m.Config.Listen.Admin, err), proxyLn.Close())
	}
	if err := m.open(proxyLn, adminLn); err != nil {
		return errors.Join(err, proxyLn.Close(), adminLn.Close())
	}
	if m.Headless {
		m.lines.put(m.ready())
	}
	m.serve(proxyLn, adminLn)
	return nil
}

// open makes the rooms and ties them to each other.
func (m *Main) open(proxyLn, adminLn net.Listener) (err error) {
	m.ProxyURL, m.AdminURL = urlOf(proxyLn), urlOf(adminLn)
	m.notices.tell = m.warn
	if m.Headless {
		m.lines, m.errors = newLines(m.Stdout), newLines(m.Stderr)
	}
	token, file := m.Token, ""
	if token == "" {
		file = m.state.path(tokenFile)
		if token, err = m.state.token(); err != nil {
			return err
		}
	}
	_, missing := os.Stat(m.state.path(journalFile))
	m.journal, err = journal.Open(m.state.path(journalFile), journal.Options{Complete: complete, Version: m.Version})
	if err != nil {
		return err
	}
	if !m.Ephemeral {
		m.notices.say(firstNotice(m.state.dir, fleeting(m.state.dir), missing != nil))
	}
	if rows := append(m.before, m.journal.Recovered()...); len(rows) > 0 {
		m.notices.say(recovered(rows))
	}
	m.board = live.NewBoard(0)
	counters := metrics.New()
	observers := []exchange.Observer{m.board, counters, &doubled{say: m.notices.say}}
	if m.Headless {
		observers = append(observers, newRequestLog(m.lines, m.JSON))
	}
	c := m.Config
	m.proxy, err = proxy.New(proxy.Config{
		Routes: c.Routes, Pools: c.Pools,
		Journal: m.journal, Fingerprint: m.journal.FingerprintKey(), Observers: observers,
		AllowOrigins: c.Listen.AllowOrigins, AllowHosts: m.AllowHosts,
		MaxRequestBytes: c.MaxRequestBytes, MaxConnections: c.Listen.MaxConnections,
		FastPath: c.FastPath, DrainTimeout: c.DrainTimeout,
		Panicked: m.panicked, Notice: m.notices.say,
		Forbidden: []string{proxyLn.Addr().String(), adminLn.Addr().String()},
	})
	if err != nil {
		return usage{err}
	}
	loads := byUse(c.Routes, m.proxy.Loads)
	m.board.WatchLoads(loads)
	counters.WatchLoads(loads)
	counters.Watch("tailrace_journal_", journalNumbers(m.journal))
	m.admin = &http.Server{
		Handler: admin.New(admin.Options{
			Control: m.proxy, Present: m.board, Past: m.journal, Metrics: counters.Handler(),
			Port: port(adminLn), Token: token, AllowOrigins: c.Listen.AllowOrigins, AllowHosts: m.AllowHosts,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // stderr is the dashboard's screen
	}
	return m.state.announce(instance{
		PID: os.Getpid(), Proxy: m.ProxyURL, Admin: m.AdminURL, TokenFile: file,
		Journal: m.state.path(journalFile), Version: m.Version, StartedAt: time.Now().UTC(),
	})
}

// serve runs both servers until Close.
func (m *Main) serve(proxyLn, adminLn net.Listener) {
	m.Failed = make(chan error, 2)
	m.done = make(chan struct{})
	ended := make(chan struct{}, 2)
	go func() {
		defer tui.Guard()
		if err := m.proxy.Serve(proxyLn); err != nil {
			m.Failed <- fmt.Errorf("serving clients: %w", err)
		}
		ended <- struct{}{}
	}()
	go func() {
		defer tui.Guard()
		if err := m.admin.Serve(adminLn); !errors.Is(err, http.ErrServerClosed) {
			m.Failed <- fmt.Errorf("serving the admin port: %w", err)
		}
		ended <- struct{}{}
	}()
	go func() {
		defer tui.Guard()
		<-ended
		<-ended
		close(m.done)
	}()
}

// Close drains what is under way, up to the configured time, cuts the rest, and
// closes everything. It is called once, after Run has succeeded.
func (m *Main) Close() error {
	err := m.proxy.Close()
	err = errors.Join(err, m.admin.Close())
	<-m.done
	return errors.Join(err, m.release())
}

// release closes what is open after the servers, in the order of dependence.
func (m *Main) release() error {
	var errs []error
	if m.journal != nil {
		errs = append(errs, m.journal.Close())
	}
	if m.lines != nil {
		m.lines.close()
		m.errors.close()
	}
	if m.state != nil {
		if m.journal == nil { // nothing was kept
			errs = append(errs, m.state.withdraw())
		} else {
			errs = append(errs, m.state.close())
		}
	}
	return errors.Join(errs...)
}

// complete lets the journal tell a whole stored stream from a cut one.
func complete(in exchange.Intent, head exchange.Head, stream []byte) (exchange.Usage, bool) {
	call := callOf(&in)
	return llm.Complete(&call, &head, stream)
}
