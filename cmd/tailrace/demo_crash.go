package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/store/journal"
	"tailrace/tui"
)

// invoice begins the prompt of the interrupted request; the screen tells people
// to look for it.
const invoice = "Which invoices are open on "

// settle opens the journal as the next start does, to learn what an earlier demo
// left under way: the child that opens it for the interrupted request would
// settle that unseen. It says whether such a request is still to be completed.
func (d *demo) settle() (waiting bool, err error) {
	path := filepath.Join(d.State, journalFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	j, err := journal.Open(path, journal.Options{Complete: complete, Version: d.Version})
	if err != nil {
		return false, err
	}
	d.rows = j.Recovered()
	open, err := j.List(exchange.Page{State: exchange.Interrupted, Limit: mostOpen})
	waiting = slices.ContainsFunc(open, func(e exchange.Entry) bool { return strings.HasPrefix(e.Preview, invoice) })
	return waiting, errors.Join(err, j.Close())
}

// mostOpen bounds the interrupted requests that the demo looks after.
const mostOpen = 1000

// interrupt leaves a request in the journal that was sent and whose process
// then died: a child is killed between SENT and COMPLETE. The journal of the
// program itself is opened after that. One that nobody has completed yet is
// enough.
func (d *demo) interrupt(ctx context.Context) error {
	if waiting, err := d.settle(); waiting || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	v, err := startVictim(ctx, d.address, d.State)
	if err != nil {
		return err
	}
	c := newApplication(v.proxy)
	defer c.close()
	answered := make(chan struct{})
	go func() {
		defer tui.Guard()
		defer close(answered)
		// A call of its own each time: one that was completed would be a HIT.
		_, _ = c.send(ctx, openAI("gpt-5-mini", invoice+time.Now().Format("2 January at 15:04:05")+"?", false, ""))
	}()
	defer func() {
		v.kill() // first: a client that leaves would be a line in the journal
		cancel()
		<-answered
	}()
	// The write-ahead step was durable before the first byte of this left.
	return await(ctx, func() bool { return d.origin.Stats().Open > 0 }, answered)
}

// await looks often whether something has happened, until ctx or what it is to
// happen in is over.
func await(ctx context.Context, happened func() bool, over <-chan struct{}) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-over:
			return errors.New("the second process answered and was to be silent")
		case <-ctx.Done():
			return errors.New("the second process did not send in time")
		}
	}
	return nil
}

// askAgain is the applications whose requests were interrupted. They do not
// know of it; when an operator has completed one, its application asks the same
// thing again and is answered from the journal.
func (t *traffic) askAgain(ctx context.Context, rows []exchange.Entry) {
	open := map[int64]bool{}
	for i := range rows {
		open[rows[i].ID] = true
	}
	for version := uint64(0); len(open) > 0 && pause(ctx, 250*time.Millisecond); {
		if v := t.journal.Version(); v == version {
			continue
		} else {
			version = v
		}
		for row := range open {
			known, err := t.journal.Recall(exchange.Ask{Row: row, Body: true})
			if err != nil || !known.Entry.Accepted || !pause(ctx, time.Second) {
				continue
			}
			delete(open, row)
			in := &known.Intent
			got, err := t.app.send(ctx, appCall{method: in.Method, target: in.Target, header: in.Header, body: string(in.Body)})
			if err == nil && got.source == string(exchange.SourceJournal) {
				t.say("row " + itoa(row) + " is completed, and its application has asked again: " + got.cache + " from the journal, nothing was sent")
			}
		}
	}
}
