package proxy

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"tailrace/proxy/exchange"
)

// freshness is how much a request insists on an answer of its own.
type freshness struct {
	noCache  bool // it says so: nothing stored answers it
	explicit bool // its route says so: only what is owed answers it
}

func (f freshness) fresh() bool { return f.noCache || f.explicit }

// recall asks the journal before anything is sent: an accepted result that may
// answer is the answer. Else row is the one to go on with, 0 for a new one.
func (p *Proxy) recall(t *trip, in *exchange.Intent, ask freshness, v exchange.Verdict) (a *answer, row int64) {
	for stuck := int64(0); ; {
		p.under.settle(t.ctx, in.Name())
		known, err := p.journal.Recall(exchange.Ask{Scope: in.Scope, Key: in.Key, Digest: in.Digest, Body: true})
		if err != nil {
			t.decide(v, 0)
			return t.fail(p.failure(t, &errJournal{err})), 0
		}
		now := time.Now()
		e := &known.Entry
		switch {
		case !known.Found || e.Stream != in.Stream:
			return nil, 0
		case e.Last == exchange.KILLED && now.Sub(known.LastAt) < killedFor:
			t.decide(v, e.ID)
			return t.fail(&failure{
				status: statusKilled, code: "killed", final: true, outcome: exchange.OutcomeRefused,
				message: "tailrace: this request was killed by the operator less than " + killedFor.String() + " ago and is not sent again; wait, or retry it in the dashboard",
			}), 0
		case known.Result != nil && (e.Owed && !ask.noCache || !in.Stream && !known.Result.Stream && !ask.fresh() && t.route.replayable(known.Result.Accepted, now)):
			// A plain result answers whoever asks the same; a stream's, also of
			// one that nobody had asked for as a stream, only where it is owed.
			a, err := p.replay(t, in, &known, now)
			if errors.Is(err, exchange.ErrNotOwed) {
				continue // somebody else took it between the question and now
			}
			if err != nil {
				t.decide(v, 0)
				return t.fail(p.failure(t, &errJournal{err})), 0
			}
			return a, 0
		case e.Accepted, e.State == exchange.Discarded, e.State.Active() && p.under.any(in.Name()):
			return nil, 0
		case e.State.Active() && stuck != e.ID:
			// Nobody is at work on it: either its call has ended since the
			// question, which a second one shows, or its end could not be
			// written, and it goes on like one that was interrupted.
			stuck = e.ID
			continue
		case !p.rows.hold(e.ID):
			return nil, 0
		}
		return nil, e.ID
	}
}

// replay answers from an accepted result: the stored bytes, CACHE_HIT in the
// log, no upstream call. An owed stream is taken: it is replayed once.
func (p *Proxy) replay(t *trip, in *exchange.Intent, known *exchange.Recalled, now time.Time) (*answer, error) {
	_, err := p.journal.Append(exchange.Step{
		Claim:  exchange.Claim{Row: known.Entry.ID},
		Events: []exchange.Event{event(exchange.CACHEHIT, exchange.Detail{})},
		Take:   known.Entry.Owed,
	})
	if err != nil {
		return nil, err
	}
	v := exchange.Verdict{XCache: exchange.HIT, Source: exchange.SourceJournal}
	if in.Stream {
		v = exchange.Verdict{XCache: exchange.BYPASS, Source: exchange.SourceJournal, Reason: "declared-stream-" + string(t.call.Declared)}
	}
	t.decide(v, known.Entry.ID)
	res := known.Result
	t.spent(res.Usage)
	h := append(res.Header[:len(res.Header):len(res.Header)],
		exchange.Field{Name: "Idempotent-Replayed", Value: "true"},
		exchange.Field{Name: "X-Journal-Key", Value: in.Key},
		exchange.Field{Name: "X-Journal-Attempts", Value: strconv.Itoa(known.Entry.Attempts)})
	age := max(int(now.Sub(res.Accepted)/time.Second), 0)
	h = h.With("Age", strconv.Itoa(age))
	status := res.Status
	if status == 0 {
		status = http.StatusOK
	}
	a := &answer{head: exchange.Head{Status: status, Header: h, Length: int64(len(res.Body))}, verdict: v, raw: res.Body}
	if known.Entry.Owed {
		t.owe(known.Entry.ID)
	}
	return a.mark(), nil
}
