package main

import (
	"fmt"
	"strings"
	"sync"

	"tailrace/proxy/exchange"
)

// notices are sentences for the operator, each said once. They go to the
// dashboard, which reads them, or to tell. The zero value keeps them only.
type notices struct {
	tell func(string)

	mu   sync.Mutex
	said []string
}

// mostNotices bounds what a screen could ever show.
const mostNotices = 100

// say adds a sentence; an empty one is none.
func (n *notices) say(sentence string) {
	if sentence == "" {
		return
	}
	n.mu.Lock()
	for _, s := range n.said {
		if s == sentence {
			n.mu.Unlock()
			return
		}
	}
	n.said = append(n.said, sentence)
	if len(n.said) > mostNotices {
		n.said = n.said[len(n.said)-mostNotices:]
	}
	n.mu.Unlock()
	if n.tell != nil {
		n.tell(sentence)
	}
}

// all returns the sentences, newest last.
func (n *notices) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.said...)
}

// recovered says what the process before left behind.
func recovered(rows []exchange.Entry) string {
	interrupted := 0
	for i := range rows {
		if rows[i].State == exchange.Interrupted {
			interrupted++
		}
	}
	if interrupted == 0 {
		return counted(len(rows), "stored stream was complete and is accepted now", "stored streams were complete and are accepted now")
	}
	return counted(interrupted, "request was", "requests were") +
		" under way when tailrace last ended; nothing is sent again by itself: retry from the journal, or let the application ask again"
}

// counted writes a number with the words that agree with it.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// own takes our name off the front of a sentence, where it already stands in
// front of the line: errors for clients begin with it, to say who failed.
func own(sentence string) string {
	for {
		rest, ok := strings.CutPrefix(sentence, "tailrace: ")
		if !ok {
			return sentence
		}
		sentence = rest
	}
}

// doubled notices clients whose base URL names /v1 twice.
type doubled struct{ say func(string) }

// Observe looks at each request's target.
func (d *doubled) Observe(f exchange.Fact) {
	if r, ok := f.(exchange.Received); ok && strings.Contains(r.Target, "/v1/v1/") && r.Route != "" {
		d.say("a client asks for /v1/v1/...: its base URL should end without /v1; the request was passed on with one")
	}
}
