package journal

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tailrace/proxy/exchange"
)

// TestEveryRowIsTheFoldOfItsEvents does random things, many of which are
// refused, and looks at what is stored after each life of the file.
func TestEveryRowIsTheFoldOfItsEvents(t *testing.T) {
	path := newPath(t)
	rnd := rand.New(rand.NewPCG(7, 11))
	events := []exchange.EventName{
		exchange.SENT, exchange.TIMEOUT, exchange.INCOMPLETE, exchange.CACHEHIT, exchange.DEADLETTER, exchange.NOTSENT, exchange.HEADERS,
		exchange.HTTPERROR, exchange.BROKEN, exchange.KILLED, exchange.CONFIRMED, exchange.DISCARDED, exchange.CLIENTGONE, exchange.RESUME,
	}
	detail := func() exchange.Detail {
		return exchange.Detail{
			Error: "\xff words", Status: 400 + rnd.IntN(150), Phase: "dial", By: "api", Risk: rnd.IntN(4), Tokens: rnd.IntN(3),
			Delivered: rnd.IntN(2) == 0, Retry: rnd.IntN(2) == 0, Stream: rnd.IntN(2) == 0,
		}
	}
	for life := range 3 {
		j, err := Open(path, Options{Now: clock()})
		if err != nil {
			t.Fatal(err)
		}
		checkFolds(t, j)
		var claims []exchange.Claim
		for range 150 {
			key := string(rune('a' + rnd.IntN(5)))
			s := exchange.Step{}
			if len(claims) == 0 || rnd.IntN(4) == 0 {
				s.Intent = intent(key)
				if r := recall(t, j, key); r.Found && rnd.IntN(2) == 0 {
					s.Row = r.Entry.ID
				}
				s.Events = send(rnd.IntN(3))
				s.Events[0].Detail.Tokens = 9 // no member of ATTEMPT: it must not count
			} else {
				s.Claim = claims[rnd.IntN(len(claims))]
				for range 1 + rnd.IntN(2) {
					s.Events = append(s.Events, exchange.Event{Name: events[rnd.IntN(len(events))], Detail: detail()})
				}
				if rnd.IntN(5) == 0 {
					if err := j.Accept(s.Claim, exchange.Result{Status: 200, Body: []byte("{}"), Owed: rnd.IntN(2) == 0}); err == nil {
						continue
					}
				}
				if rnd.IntN(3) == 0 {
					s.End = &exchange.AttemptEnd{Outcome: exchange.OutcomeFailed}
				}
			}
			c, err := j.Append(s)
			if err != nil && !errors.Is(err, exchange.ErrFenced) && !errors.Is(err, ErrAccepted) {
				t.Fatal(err)
			}
			if err == nil {
				claims = append(claims, c)
			}
		}
		checkFolds(t, j)
		if life%2 == 0 {
			crash(t, j)
		} else if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
