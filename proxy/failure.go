package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
	"tailrace/proxy/origin"
)

// failure is an answer of our own: what the client is told instead of an
// origin's answer, in the dialect of its provider.
type failure struct {
	status     int
	code       string // a word for programs
	message    string // a sentence for people: what, where, what to do
	outcome    exchange.Outcome
	sent       bool // the provider may have got the request
	retryAfter int  // seconds; 0: none
	final      bool // asks the client's SDK not to send again
}

func (f *failure) Error() string { return f.message }

// statusKilled is the answer to a request that an operator killed: SDKs re-send
// on 408, 409, 429, 5xx and resets, and would bring it back.
const statusKilled = 499

// failure translates what ended a fetch before its head into what the client is
// told. Errors that are failures already pass.
func (p *Proxy) failure(t *trip, err error) *failure {
	var f *failure
	var shed *errShed
	var oe *origin.Error
	var je *errJournal
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errKilled):
		return &failure{status: statusKilled, code: "killed", message: "tailrace: this request was killed by the operator", outcome: exchange.OutcomeKilled, final: true}
	case errors.Is(err, errClientGone):
		return &failure{status: statusKilled, code: "client_gone", message: "tailrace: " + errClientGone.Error(), outcome: exchange.OutcomeClientGone}
	case errors.Is(err, errClosing):
		return &failure{status: http.StatusServiceUnavailable, code: "shutting_down", message: "tailrace: " + errClosing.Error(), outcome: exchange.OutcomeFailed}
	case errors.As(err, &shed):
		return &failure{
			status: http.StatusServiceUnavailable, code: "overloaded", outcome: exchange.OutcomeShed, retryAfter: 1,
			message: "tailrace: " + shedWords(shed.Reason, t.route) + "; " + t.reached(),
		}
	case errors.As(err, &je):
		return &failure{
			status: http.StatusServiceUnavailable, code: "journal_unavailable", outcome: exchange.OutcomeRefused, retryAfter: 5,
			message: "tailrace: the journal cannot be written, so nothing was sent: free space on its disk or start with another --state",
		}
	case errors.As(err, &oe):
		return originFailure(oe)
	}
	return &failure{status: http.StatusBadGateway, code: "bad_gateway", message: "tailrace: " + exchange.RedactText(err.Error()), outcome: exchange.OutcomeFailed, sent: true}
}

// reached says what a request that is shed has come to before.
func (t *trip) reached() string {
	if t.wasSent() {
		return "an earlier attempt of this request was sent, and failed"
	}
	return "this request never reached the provider"
}

func shedWords(reason string, r *route) string {
	switch reason {
	case "queue-full":
		return fmt.Sprintf("the line of route %q is full (max_fetch_queue %d)", r.Name, r.MaxFetchQueue)
	case "connections":
		return fmt.Sprintf("all connections of route %q are in use (connect.max_connections)", r.Name)
	}
	return fmt.Sprintf("no fetch slot of route %q came free in %v (max_fetch_concurrency %d)", r.Name, r.FetchWaitTimeout, r.MaxFetchConcurrency)
}

// originFailure: 504 when the origin took too long, 502 for all else.
func originFailure(e *origin.Error) *failure {
	f := &failure{status: http.StatusBadGateway, code: "bad_gateway", message: "tailrace: " + e.Error(), outcome: exchange.OutcomeFailed, sent: e.Wrote}
	if timedOut(e) {
		f.status, f.code = http.StatusGatewayTimeout, "timeout"
	}
	return f
}

func timedOut(err error) bool {
	return errors.Is(err, origin.ErrHeaderTimeout) || errors.Is(err, origin.ErrFetchTimeout)
}

// answer makes the failure an answer of this exchange. An error to an
// application comes in the dialect of its provider, and says whether the
// provider may have got the request.
func (t *trip) fail(f *failure) *answer {
	t.settle(f.outcome, f.message)
	v := t.verdict
	if v.XCache == "" {
		v.XCache = exchange.BYPASS
	}
	v.Source = exchange.SourceNone
	reached, sent := f.sent || t.wasSent(), "no" // an earlier attempt counts
	if reached {
		sent = "yes"
	}
	h := exchange.Header{
		{Name: "Content-Type", Value: "application/json"},
		{Name: "X-Tailrace-Sent", Value: sent},
	}
	if f.retryAfter > 0 {
		h = append(h, exchange.Field{Name: "Retry-After", Value: strconv.Itoa(f.retryAfter)})
	}
	if t.row.Key != "" {
		h = append(h,
			exchange.Field{Name: "X-Journal-Key", Value: t.row.Key},
			exchange.Field{Name: "X-Journal-Attempts", Value: strconv.Itoa(int(t.row.attempts.Load()))})
	}
	paid := t.route == nil || !t.route.Journal.Free
	if f.final || reached && paid {
		h = append(h, exchange.Field{Name: "x-should-retry", Value: "false"})
	}
	body := llm.ErrorBody(t.call.Dialect, f.status, f.code, f.message)
	a := &answer{head: exchange.Head{Status: f.status, Header: h, Length: int64(len(body))}, verdict: v, raw: body}
	if f.status == statusKilled {
		a.head.Reason = "Client Closed Request"
	}
	return a.mark()
}

// refuse is the answer to what does not get past the front.
func (t *trip) refuse(status int, code, message string) *answer {
	if !strings.HasPrefix(message, "tailrace: ") {
		message = "tailrace: " + message
	}
	if t.call.Dialect == exchange.DialectNone { // before its route: the path tells
		t.call.Dialect = llm.Inspect(t.req, true).Dialect
	}
	o := exchange.OutcomeRefused
	if status == http.StatusInternalServerError {
		o = exchange.OutcomeFailed
	}
	return t.fail(&failure{status: status, code: code, message: message, outcome: o})
}

// noRoute lists what there is, without what lies within another route to the
// same pool.
func (t *trip) noRoute() *answer {
	var have []string
	for _, r := range t.p.routes {
		within := func(o *route) bool {
			return o.Pool == r.Pool && o.Match.Host == r.Match.Host && len(o.prefix()) < len(r.prefix()) && strings.HasPrefix(r.prefix(), o.prefix())
		}
		if s := r.where(); !slices.ContainsFunc(t.p.routes, within) && !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return t.refuse(http.StatusNotFound, "no_route", fmt.Sprintf("no route takes %s; the routes are: %s", exchange.RedactTarget(t.req.Path()), strings.Join(have, ", ")))
}

func stack() []byte { return debug.Stack() }

// failed is a failure said in one line.
func (t *trip) failed(status int, code, message string, sent bool) *answer {
	return t.fail(&failure{status: status, code: code, message: "tailrace: " + message, outcome: exchange.OutcomeFailed, sent: sent})
}

// refuseBusy is for one client connection more than listen.max_connections.
func (t *trip) refuseBusy() *answer {
	return t.fail(&failure{
		status: http.StatusServiceUnavailable, code: "too_many_connections", retryAfter: 1, outcome: exchange.OutcomeRefused,
		message: fmt.Sprintf("tailrace: more than listen.max_connections (%d) clients are connected; nothing was sent", t.p.cfg.MaxConnections),
	})
}
