package fakellm

import (
	"net/url"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"tailrace/proxy/sse"
)

// events answers /_fakellm/events?n=10&every=100ms with an event stream, asked
// for or not. n=0 goes on until the client leaves.
func (a *answer) events() {
	q, _ := url.ParseQuery(a.query)
	t := &ticks{n: 10, every: 100 * time.Millisecond}
	if v := q.Get("n"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			a.refuse(fasthttp.StatusBadRequest, "n="+v+" is wrong: write a number of events, 0 for no end")
			return
		}
		t.n = n
	}
	if v := q.Get("every"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			a.refuse(fasthttp.StatusBadRequest, "every="+v+" is wrong: write a duration such as 200ms")
			return
		}
		t.every = d
	}
	t.fault = &a.fault
	b := &body{script: t, every: a.fault.heartbeat, beat: comment}
	a.zip(b)
	a.stream(a.status(), "text/event-stream", -1, b)
}

// ticks is the script of numbered events.
type ticks struct {
	fault *Fault
	n, i  int
	every time.Duration
}

func (t *ticks) next() step {
	wait := t.every
	if t.i == 0 {
		wait = t.fault.ttft
	}
	n := t.n
	if n == 0 {
		n = maxCount
	}
	if s, hit := t.fault.at(t.i, n); hit {
		return s
	}
	t.i++
	s := step{wait: wait, data: append([]byte("id: "+strconv.Itoa(t.i)+"\n"),
		sse.AppendEvent(nil, "tick", doc(obj{"n", t.i}))...)}
	if _, late := t.fault.at(n, n); t.i == n && !late {
		s.verb = last
	}
	return s
}
