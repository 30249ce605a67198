package proxy

import (
	"time"

	"tailrace/proxy/exchange"
)

// Kill ends one exchange: its client gets 499, or in the middle of a stream an
// error event and a broken transfer. The fetch goes on while another exchange
// reads it. The error is an *exchange.Refusal; what follows comes as facts. The
// phase is the one it was killed in.
func (p *Proxy) Kill(id exchange.ID) (exchange.Phase, error) {
	p.mu.Lock()
	t, last := p.trips[id], p.lastID
	p.mu.Unlock()
	switch {
	case t == nil && (id == 0 || id > last):
		return "", &exchange.Refusal{Kind: exchange.NotFound, Why: "there is no exchange " + id.String()}
	case t == nil || !t.end(exchange.OutcomeKilled, errKilled):
		return "", &exchange.Refusal{Kind: exchange.NotNow, Why: "exchange " + id.String() + " has already finished"}
	}
	return t.phase(), nil
}

// Purge removes what the cache holds under a URL, or under all that begin with
// it when the pattern ends in "*", and says how many entries that were.
func (p *Proxy) Purge(pattern string) (int, error) {
	n := p.cache.Purge(pattern)
	p.say(exchange.Purged{Stamp: exchange.Stamp{At: time.Now()}, What: exchange.RedactTarget(pattern), Count: n})
	return n, nil
}
