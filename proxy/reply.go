package proxy

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
)

// reply is the body of an answer on its way to one client: the last piece of
// the path. fasthttp pulls from it. What breaks stays broken: an error of the
// source becomes an error event of the client's dialect, where there is one,
// and then an aborted transfer, never a clean end.
type reply struct {
	t      *trip
	from   io.ReadCloser
	left   int64 // bytes of a declared length still to come; negative without one
	event  bool  // an error event may go before the abort
	tail   [4]byte
	broken error  // why there is no more
	parts  []byte // of the error event, not yet read
	close  sync.Once
	done   func(error) // what to let go of; called once
}

// reply wraps the body of a fetch or of a flight. An error event goes into a
// stream of a known dialect; one with Content-Encoding or a length gets the
// abort alone.
func (t *trip) reply(head *exchange.Head, from io.ReadCloser, done func(error)) *reply {
	t.body = &reply{
		t: t, from: from, done: done, left: head.Length,
		event: llm.IsStream(head) && head.Length < 0 && !head.Header.Has("Content-Encoding") && t.call.Dialect != exchange.DialectNone,
	}
	return t.body
}

// Read passes on what the source gives, as it comes.
func (r *reply) Read(p []byte) (n int, err error) {
	defer r.t.p.guard(func(err error) { r.breakOff(err) })
	if len(r.parts) > 0 {
		n := copy(p, r.parts)
		r.parts = r.parts[n:]
		r.t.count(n)
		return n, nil
	}
	if r.broken != nil {
		return 0, r.broken
	}
	n, err = r.from.Read(p)
	if n > 0 {
		r.t.count(n)
		r.remember(p[:n])
		r.left -= int64(n)
	}
	if errors.Is(err, io.EOF) || r.left == 0 {
		r.t.whole()
	}
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	r.breakOff(err)
	return n, nil
}

// breakOff ends the stream with an error.
func (r *reply) breakOff(err error) {
	r.broken = err
	r.t.mu.Lock()
	saw := r.t.sawEnd()
	r.t.mu.Unlock()
	if saw { // what breaks behind the terminal marker has nothing more to say
		r.t.settle(exchange.OutcomeCompleted, "")
		return
	}
	code, outcome := "broken", exchange.OutcomeIncomplete
	switch {
	case errors.Is(err, errKilled):
		code, outcome = "killed", exchange.OutcomeKilled
	case errors.Is(err, errClosing):
		code, outcome = "shutting_down", exchange.OutcomeFailed
	case errors.Is(err, errClientGone):
		outcome = exchange.OutcomeClientGone
	case errors.Is(err, errClientIdle), errors.Is(err, errClientLimit):
		code = "client_budget"
	}
	r.t.settle(outcome, exchange.RedactText(err.Error()))
	if !r.event {
		return
	}
	ev := llm.ErrorEvent(&r.t.call, code, "tailrace: "+exchange.RedactText(err.Error()))
	if len(ev) == 0 {
		return
	}
	// An event of ours begins on a line of its own: what was cut in the middle
	// is ended first, or both would be read as one.
	if end := bytes.TrimLeft(r.tail[:], "\x00"); len(end) > 0 && !bytes.HasSuffix(end, []byte("\n\n")) && !bytes.HasSuffix(end, []byte("\r\n\r\n")) {
		r.parts = append(r.parts, "\n\n"...)
	}
	r.parts = append(r.parts, ev...)
}

// remember keeps the last bytes that went out.
func (r *reply) remember(p []byte) {
	if len(p) >= len(r.tail) {
		copy(r.tail[:], p[len(p)-len(r.tail):])
		return
	}
	copy(r.tail[:], r.tail[len(p):])
	copy(r.tail[len(r.tail)-len(p):], p)
}

// CloseWithError is called by fasthttp when it will read no more: at the end,
// or when the client took no more.
func (r *reply) CloseWithError(err error) error {
	r.close.Do(func() {
		if err == nil {
			err = errClientGone
		}
		_ = r.from.Close()
		if r.done != nil {
			r.done(err)
		}
	})
	return nil
}
