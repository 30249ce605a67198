package main

import (
	"fmt"
	"io"
	"sync"

	"tailrace/tui"
)

// lines writes to a stream that may stop being read (a pipe, a stopped
// terminal) without making those wait who have something to say: what does not
// fit into its buffer is counted and left out.
type lines struct {
	queue chan string
	done  chan struct{}

	mu     sync.Mutex
	lost   int
	closed bool
}

// linesKept is how many lines wait for a slow reader: at 1000 requests a second
// some seconds.
const linesKept = 4096

func newLines(w io.Writer) *lines {
	l := &lines{queue: make(chan string, linesKept), done: make(chan struct{})}
	go func() {
		defer tui.Guard()
		defer close(l.done)
		for s := range l.queue {
			_, _ = io.WriteString(w, s+"\n") // nobody could be told
			l.report(w)
		}
	}()
	return l
}

func (l *lines) put(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	select {
	case l.queue <- s:
	default:
		l.lost++
	}
}

// report says how many lines are missing where they are missing.
func (l *lines) report(w io.Writer) {
	l.mu.Lock()
	lost := l.lost
	l.lost = 0
	l.mu.Unlock()
	if lost > 0 {
		_, _ = fmt.Fprintf(w, "tailrace: %s left out, since nobody read in time\n", counted(lost, "log line was", "log lines were"))
	}
}

// close waits until all is written.
func (l *lines) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
	l.mu.Unlock()
	<-l.done
}
