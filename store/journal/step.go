package journal

import (
	"time"

	"tailrace/proxy/exchange"
)

// appending is a step on its way to the disk.
type appending struct {
	tell
	step  exchange.Step
	sha   [32]byte
	now   time.Time
	claim exchange.Claim
}

func (a *appending) size() int {
	n := 0
	if a.step.Intent != nil {
		n += len(a.step.Intent.Body)
	}
	if a.step.End != nil {
		n += len(a.step.End.Raw)
	}
	return n
}

// durable is false for what may be said again after a power loss, or matters to
// nobody then.
func (a *appending) durable() bool {
	if a.step.Intent != nil || a.step.End != nil || a.step.Owe {
		return true
	}
	for _, ev := range a.step.Events {
		switch ev.Name {
		case exchange.CACHEHIT, exchange.HEADERS, exchange.RESUME:
		default:
			return true
		}
	}
	return false
}

func (a *appending) what() string {
	for _, ev := range a.step.Events {
		return "append " + string(ev.Name)
	}
	return "append"
}

func (a *appending) write(s *session) error {
	if a.step.Intent != nil {
		return a.open(s)
	}
	r, err := s.load(a.step.Claim.Row)
	if err != nil {
		return err
	}
	var att attempt
	if a.step.Claim.Attempt > 0 {
		if att, err = s.attempt(r, a.step.Claim); err != nil {
			return err
		}
	}
	if a.step.Take && !r.Owed {
		return refused{exchange.ErrNotOwed}
	}
	if a.step.Owe && !r.Accepted {
		return refuse("row %d has no accepted result that could be owed", r.ID)
	}
	r.Owed = (r.Owed && !a.step.Take) || a.step.Owe
	for i := range a.step.Events {
		ev := &a.step.Events[i]
		ev.Attempt = a.step.Claim.Attempt
		r.apply(ev, a.now)
	}
	if err := s.save(r); err != nil {
		return err
	}
	if err := s.log(r.ID, a.step.Events); err != nil {
		return err
	}
	if h := a.head(); h != nil {
		if err := s.head(att.id, h); err != nil {
			return err
		}
	}
	if a.step.End != nil && !att.ended { // the first ending stays; what is said after it is only logged
		return s.end(att.id, a.step.End, a.now)
	}
	return nil
}

// head is what the step tells of the response's head; without one, HEADERS tells
// its status.
func (a *appending) head() *exchange.Head {
	if a.step.Head != nil || a.step.Claim.Attempt == 0 {
		return a.step.Head
	}
	for _, ev := range a.step.Events {
		if ev.Name == exchange.HEADERS {
			return &exchange.Head{Status: ev.Detail.Status}
		}
	}
	return nil
}
