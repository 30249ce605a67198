package proxy

import (
	"sync"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
)

const (
	// progressEvery is how often an exchange says how far it is, at most, and
	// how late the last word may be: 50 ms.
	progressEvery = 50 * time.Millisecond
	// progressText is how much new text one Progress carries.
	progressText = 4 << 10
)

// progress feeds the meter and says what it reads, thinned out to what a person
// can see: the wire may bring a thousand pieces a second.
type progress struct {
	p     *Proxy
	id    exchange.ID
	meter *llm.Meter

	mu      sync.Mutex
	bytes   int64
	first   time.Time // first token
	last    time.Time // last byte
	saidAt  time.Time
	pending *time.Timer
	closed  bool
}

// feed reads one piece of the body.
func (g *progress) feed(piece []byte) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.meter.Feed(piece)
	g.bytes += int64(len(piece))
	g.last = now
	if g.first.IsZero() && g.meter.Content() {
		g.first = now
	}
	switch {
	case now.Sub(g.saidAt) >= progressEvery:
		g.say(now, g.meter.TakeText(progressText))
	case g.pending == nil:
		g.pending = time.AfterFunc(progressEvery-now.Sub(g.saidAt), g.late)
	}
}

// late says what came after the last word, when nothing has come since.
func (g *progress) late() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending = nil
	if !g.closed {
		g.say(time.Now(), g.meter.TakeText(progressText))
	}
}

// say states the fact. The lock is held, so that facts of a fetch stay in order.
func (g *progress) say(now time.Time, text string) {
	g.saidAt = now
	g.p.say(exchange.Progress{
		Stamp: exchange.Stamp{ID: g.id, At: now}, Bytes: g.bytes, Events: g.meter.Events(),
		Text: text, Usage: g.meter.Usage(), First: g.first, Last: g.last,
	})
}

// end reads the end of the body and says the rest. clean: the framing was whole.
func (g *progress) end(clean bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	if clean {
		g.meter.End()
	}
	if g.pending != nil {
		g.pending.Stop()
		g.pending = nil
	}
	if g.bytes > 0 {
		text := g.meter.TakeText(progressText)
		g.say(time.Now(), text)
		for text != "" { // a burst leaves more text than one fact carries
			if text = g.meter.TakeText(progressText); text != "" {
				g.say(time.Now(), text)
			}
		}
	}
	g.closed = true
}

// read is what the meter has read so far.
func (g *progress) read() (complete, content bool, u exchange.Usage, events int, bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.meter.Complete(), g.meter.Content(), g.meter.Usage(), g.meter.Events(), g.bytes
}
