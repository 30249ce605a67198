package cache

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy/exchange"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// t0 is when every test begins.
var t0 = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func date(t time.Time) string { return t.UTC().Format(fixdate) }

var enabled = &Policy{Enabled: true}

// fields reads "Name: value" lines.
func fields(lines []string) exchange.Header {
	var h exchange.Header
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ":")
		h = append(h, exchange.Field{Name: name, Value: strings.TrimPrefix(value, " ")})
	}
	return h
}

func request(method, target string, lines ...string) *exchange.Request {
	return &exchange.Request{Method: method, Scheme: "https", Host: "origin.test", Target: target, Header: fields(lines)}
}

func get(target string, lines ...string) *exchange.Request { return request("GET", target, lines...) }

func response(status int, lines ...string) *exchange.Head {
	return &exchange.Head{Status: status, Header: fields(lines), Length: -1}
}

// fetch lets a request go the whole way at one moment and tells what was
// planned and whether the body was stored.
func fetch(c *Cache, p *Policy, req *exchange.Request, head *exchange.Head, body string, now time.Time) (Plan, bool) {
	d := c.Decide(p, req, false, now)
	pl := c.Plan(p, &d, req, head, now, now)
	return pl, c.Store(&pl, []byte(body))
}

// mustStore is fetch for what the test builds on.
func mustStore(t *testing.T, c *Cache, req *exchange.Request, head *exchange.Head, body string, now time.Time) {
	t.Helper()
	if pl, ok := fetch(c, enabled, req, head, body, now); !ok {
		t.Fatalf("%s %s was not stored: %q", req.Method, req.Target, pl.Reason)
	}
}

// verdict writes a decision as "HIT" or "MISS uri-miss".
func verdict(d Decision) string {
	return strings.TrimSpace(string(d.Verdict.XCache) + " " + d.Verdict.Reason)
}

func expect(t *testing.T, c *Cache, req *exchange.Request, now time.Time, want string) Decision {
	t.Helper()
	d := c.Decide(enabled, req, false, now)
	if got := verdict(d); got != want {
		t.Errorf("%s %s %v: %q, want %q", req.Method, req.Target, req.Header, got, want)
	}
	if (d.Object != nil) != (d.Verdict.XCache == exchange.HIT) {
		t.Errorf("verdict %q with object %v", verdict(d), d.Object)
	}
	return d
}

// expectBody is expect for a hit with this body.
func expectBody(t *testing.T, c *Cache, req *exchange.Request, now time.Time, want string) {
	t.Helper()
	d := expect(t, c, req, now, "HIT")
	if d.Object == nil {
		return
	}
	if _, body := d.Object.Answer(req, now); string(body) != want {
		t.Errorf("%s %s %v: body %q, want %q", req.Method, req.Target, req.Header, body, want)
	}
}
