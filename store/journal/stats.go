package journal

import "sync/atomic"

// Stats are counts since the journal was opened, and what is queued now; for
// the metrics tailrace_journal_*.
type Stats struct {
	Commits    uint64 // transactions
	Durable    uint64 // of them fsynced at once
	Events     uint64 // appended
	Pieces     uint64 // recorded, of bodies
	Errors     uint64 // transactions that were rolled back
	Waiting    int    // operations queued
	QueueBytes int64  // of pieces queued, at most 16 MiB
}

type counters struct{ commits, durable, events, pieces, errors atomic.Uint64 }

// Stats reads the counters. Each is right by itself; they are not of one moment.
func (j *Journal) Stats() Stats {
	waiting, bytes := j.queue.load()
	return Stats{
		Commits: j.counters.commits.Load(), Durable: j.counters.durable.Load(), Events: j.counters.events.Load(),
		Pieces: j.counters.pieces.Load(), Errors: j.counters.errors.Load(),
		Waiting: waiting, QueueBytes: bytes,
	}
}
