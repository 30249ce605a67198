package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"tailrace/store/live"
	"tailrace/tui"
)

// departure is how the process is asked to leave: once to end in order, once
// more to end now.
type departure struct {
	begin context.CancelFunc // without a signal
	begun context.Context    // ends at the first signal
	again chan struct{}      // closed by SIGINT or SIGTERM after that

	signals chan os.Signal
	over    sync.Once
}

// departures listens until forget, which restores what signals do by
// themselves. SIGHUP says that the terminal is gone; under nohup it stays
// ignored, and it never means hurry: a shell that dies passes its own on, so
// that it comes twice.
func departures(ctx context.Context) *departure {
	if ctx == nil {
		ctx = context.Background()
	}
	d := &departure{again: make(chan struct{}), signals: make(chan os.Signal, 4)}
	d.begun, d.begin = context.WithCancel(ctx)
	leave := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		leave = append(leave, syscall.SIGHUP)
	}
	signal.Notify(d.signals, leave...)
	go func() {
		defer tui.Guard()
		d.wait()
	}()
	return d
}

func (d *departure) wait() {
	for s := range d.signals {
		switch {
		case d.begun.Err() == nil:
			d.begin()
		case s != syscall.SIGHUP:
			close(d.again)
			return
		}
	}
}

// forget ends the listening, and the context.
func (d *departure) forget() {
	d.over.Do(func() {
		d.begin()
		signal.Stop(d.signals) // none is sent any more when it returns
		close(d.signals)
	})
}

var errHurried = errors.New("left at once, since it was asked twice; what was under way is interrupted")

// finish closes the program by the function given. When it is asked once more
// meanwhile it waits for nothing: what is under way dies with the process, as
// the journal is made for, and only what must not stay behind is removed.
func (m *Main) finish(d *departure, end func() error) error {
	d.begin()
	ended := make(chan error, 1)
	go func() {
		defer tui.Guard()
		ended <- end()
	}()
	select {
	case err := <-ended:
		return err
	case <-d.again:
		return errors.Join(errHurried, m.state.vacate())
	}
}

// drains says what the process waits for, before it does.
func (m *Main) drains() {
	n, most := m.board.Snapshot(live.Query{}).Live, m.Config.DrainTimeout
	if n == 0 || most < time.Second { // a demo's is no draining
		return
	}
	sentence := fmt.Sprintf("%s under way; up to %s to end; ", counted(n, "request is", "requests are"), most)
	if m.Headless {
		m.warn(sentence + "a second signal leaves at once")
		return
	}
	fmt.Fprintln(m.Stderr, "tailrace: "+sentence+"ctrl+c leaves at once") // q has brought us here
}
