package fakellm

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
)

// handle answers one request.
func (o *Origin) handle(ctx *fasthttp.RequestCtx) {
	c := ctx.Conn().(*conn)
	path, query := target(ctx)
	if path == "/_fakellm/stats" {
		rec := &record{ledger: &ledger{}} // looking does not change the figures
		a := &answer{origin: o, ctx: ctx, conn: c, rec: rec}
		a.stats()
		return
	}
	a := &answer{origin: o, ctx: ctx, conn: c, rec: o.ledger.begin(path), path: path, query: query}
	c.rec = a.rec
	a.voice = voiceOf(path)
	defer func() {
		if p := recover(); p != nil { // a panic here would take the whole program with it
			a.fault = Fault{}
			a.refuse(fasthttp.StatusInternalServerError, fmt.Sprintf("fakellm has a defect: %v", p))
		}
	}()
	a.run()
}

// run applies what concerns every answer, then answers.
func (a *answer) run() {
	a.sent = a.ctx.Request.Body()
	asked, err := ParseFault(string(a.ctx.Request.Header.Peek("X-Fakellm")))
	if err != nil {
		a.refuse(fasthttp.StatusBadRequest, "X-Fakellm: "+err.Error())
		return
	}
	base := a.origin.config.Default
	a.fault = asked.over(base)
	if a.fault.has("times") && a.origin.sends.count(a.path, a.sent) > a.fault.times {
		// What the header brought is lifted; what all requests suffer stays,
		// unless it is what carried the limit.
		if base.has("times") {
			base = base.shape()
		}
		a.fault = asked.shape().over(base)
	}
	if err := a.origin.wait(a.conn, a.fault.head); err != nil {
		a.leave(false, err == errGone)
		return
	}
	f := &a.fault
	switch {
	case f.close:
		a.leave(false, false)
	case f.reset && !f.has("cut"):
		a.leave(true, false)
	case f.silent:
		err := a.origin.wait(a.conn, forever)
		a.leave(false, err == errGone)
	case f.status >= 400:
		a.refuse(f.status, fmt.Sprintf("fakellm was asked for status %d", f.status))
	case f.envelope:
		a.refuse(fasthttp.StatusOK, "fakellm was asked for a wrong envelope")
	default:
		a.route()
	}
}

// target splits the request target as it was sent: fasthttp's own path is
// decoded and cleaned, and the paths here are exact.
func target(ctx *fasthttp.RequestCtx) (path, query string) {
	t := string(ctx.Request.Header.RequestURI())
	if _, rest, ok := strings.Cut(t, "://"); ok && !strings.HasPrefix(t, "/") { // absolute form
		t = "/"
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			t = rest[i:]
		}
	}
	path, query, _ = strings.Cut(t, "?")
	return path, query
}

// sends counts how often each body was sent, for the behaviour "times".
type sends struct {
	mu sync.Mutex
	n  map[[sha256.Size]byte]int
}

const maxSends = 100_000

func (s *sends) count(path string, body []byte) int {
	h := sha256.New()
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write(body)
	key := [sha256.Size]byte(h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == nil || len(s.n) >= maxSends {
		s.n = make(map[[sha256.Size]byte]int)
	}
	s.n[key]++
	return s.n[key]
}
