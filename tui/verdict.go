package tui

import (
	"net/http"

	"tailrace/proxy/exchange"
)

// verdictWords says in a sentence what the X-Cache of an exchange means for it.
// X-Cache itself is a header's word and stands from the decision on: MISS says
// that the cache had nothing, not that the origin has answered.
func verdictWords(s *exchange.State) string {
	v := s.Verdict
	switch v.XCache {
	case exchange.HIT:
		if v.Source == exchange.SourceJournal {
			return "answered by the accepted result in the journal, no call made"
		}
		return "fresh from the cache, no call made"
	case exchange.MISS:
		if s.Undeclared {
			return fetchWords(s) + "; the origin streamed unasked: send Accept: text/event-stream"
		}
		return fetchWords(s)
	case exchange.STALE:
		return "an older copy was served"
	case exchange.REVALIDATED:
		return "the origin confirmed the cached copy (304)"
	case exchange.BYPASS:
		if v.Source == exchange.SourceJournal {
			return "a stream, replayed from the journal, no call made"
		}
		return "the cache is not asked"
	}
	return ""
}

// fetchWords says how far the fetch of an exchange has come, or came.
func fetchWords(s *exchange.State) string {
	if s.Live() {
		return underWay(s)
	}
	rode := s.Leader != 0 // its leader's fetch was sent, or not: that is not known here
	sent := !s.SentAt.IsZero()
	switch s.Outcome {
	case exchange.OutcomeCompleted, exchange.OutcomeHit:
		return "fetched from the origin"
	case exchange.OutcomeShed:
		if s.SentAt.IsZero() {
			return "not fetched: it never reached the provider"
		}
		return "no place was free in time for another attempt"
	case exchange.OutcomeRefused:
		return "not fetched: tailrace refused it"
	case exchange.OutcomeIncomplete:
		return "fetched, but not whole"
	case exchange.OutcomeFailed:
		switch {
		case !s.HeadAt.IsZero():
			return "an answer began and did not come whole"
		case rode:
			return "the fetch it rode on brought no answer"
		case sent && s.Status == http.StatusGatewayTimeout:
			return "the origin was asked, no answer came in time"
		case sent:
			return "the origin was asked, no answer came"
		}
		return "not fetched: the origin was not reached"
	}
	switch {
	case !s.HeadAt.IsZero():
		return "fetched in part"
	case rode:
		return "it ended before the fetch it rode on had an answer"
	case sent:
		return "the origin was asked, it ended before an answer came"
	}
	return "not fetched: it ended before it was sent"
}

// underWay is fetchWords of an exchange that has not ended.
func underWay(s *exchange.State) string {
	switch s.Phase {
	case exchange.PhaseQueued:
		return "not fetched yet: in line for a slot"
	case exchange.PhaseConnecting:
		return "not fetched yet: connecting to the origin"
	case exchange.PhaseWaiting:
		if s.Ending != exchange.EndingNone {
			return "an attempt has failed, another is due"
		}
		return "waiting for the origin"
	case exchange.PhaseStreaming:
		return "being fetched from the origin"
	case exchange.PhaseHeld:
		return "being fetched; held until the result is accepted"
	}
	return "not fetched yet"
}
