package live

import "tailrace/proxy/exchange"

// Counts are sums since start, over everything that was ever observed.
type Counts struct {
	Requests uint64 // begun
	Unlisted uint64 // hits from memory that were counted, not listed
	Purged   uint64 // cache entries removed

	// By X-Cache, as soon as there is a verdict.
	Hit, Miss, Stale, Revalidated, Bypass uint64

	// By outcome, once they have ended.
	Completed, Shed, Refused, Killed, ClientGone, Failed, Incomplete uint64

	BytesIn, BytesOut int64 // bodies, from the origins and to the clients

	// Tokens that were paid for: of fetches, also of attempts that came to
	// nothing, not of answers out of cache or journal. Estimates until the
	// provider has named them.
	TokensIn, TokensOut int64
}

// sums are the numbers of one exchange that the counts add up.
type sums struct {
	verdict  exchange.XCache
	in, out  int64
	usage    exchange.Usage
	wasFetch bool
}

func (r *record) sums() sums {
	s := &r.state
	return sums{
		verdict: s.Verdict.XCache, in: s.Bytes, out: s.BytesOut, usage: s.Usage,
		wasFetch: !s.SentAt.IsZero() && s.Leader == 0,
	}
}

// moved adds what one fact has changed of one exchange. A new attempt starts
// its numbers at zero again: what the one before had cost stays counted.
func (c *Counts) moved(before, after sums, f exchange.Fact) {
	if before.verdict != after.verdict {
		c.verdict(before.verdict, ^uint64(0))
		c.verdict(after.verdict, 1)
	}
	c.BytesOut += after.out - before.out
	if _, anew := f.(exchange.Sent); anew || !after.wasFetch {
		return
	}
	c.BytesIn += after.in - before.in
	c.TokensIn += int64(after.usage.Input - before.usage.Input)
	c.TokensOut += int64(after.usage.Output - before.usage.Output)
}

// verdict adds n (which may be minus one, wrapped) to the count of a verdict.
func (c *Counts) verdict(x exchange.XCache, n uint64) {
	switch x {
	case exchange.HIT:
		c.Hit += n
	case exchange.MISS:
		c.Miss += n
	case exchange.STALE:
		c.Stale += n
	case exchange.REVALIDATED:
		c.Revalidated += n
	case exchange.BYPASS:
		c.Bypass += n
	}
}

func (c *Counts) outcome(o exchange.Outcome) {
	switch o {
	case exchange.OutcomeCompleted, exchange.OutcomeHit:
		c.Completed++
	case exchange.OutcomeShed:
		c.Shed++
	case exchange.OutcomeRefused:
		c.Refused++
	case exchange.OutcomeKilled:
		c.Killed++
	case exchange.OutcomeClientGone:
		c.ClientGone++
	case exchange.OutcomeFailed:
		c.Failed++
	case exchange.OutcomeIncomplete:
		c.Incomplete++
	}
}
