package fakellm

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Stats is what an Origin has seen since it was made. Requests for the stats
// themselves are not counted.
type Stats struct {
	// Requests counts all requests whose head and body arrived.
	Requests int64 `json:"requests"`
	// Open is how many are being answered now.
	Open int64 `json:"open"`
	// Aborted counts those whose client left before the answer was finished.
	Aborted int64 `json:"aborted"`
	// ByPath counts the requests of each path, without query. Above 1000
	// different paths the rest is counted as "other".
	ByPath map[string]int64 `json:"by_path"`
}

const maxPaths = 1000

// ledger counts requests.
type ledger struct {
	mu sync.Mutex
	Stats
}

func (l *ledger) begin(path string) *record {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Requests++
	l.Open++
	if l.ByPath == nil {
		l.ByPath = make(map[string]int64)
	}
	if _, known := l.ByPath[path]; !known && len(l.ByPath) >= maxPaths {
		path = "other"
	}
	l.ByPath[path]++
	return &record{ledger: l}
}

func (l *ledger) stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.Stats
	s.ByPath = make(map[string]int64, len(l.ByPath))
	maps.Copy(s.ByPath, l.ByPath)
	return s
}

// record is one request being answered.
type record struct {
	ledger *ledger
	over   atomic.Bool
}

// finish ends the record; only the first call counts.
func (r *record) finish(aborted bool) {
	if r.over.Swap(true) {
		return
	}
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	r.ledger.Open--
	if aborted {
		r.ledger.Aborted++
	}
}
