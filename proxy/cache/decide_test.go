package cache

import (
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

func TestARequestThatTheCacheIsNotAskedAboutSaysWhy(t *testing.T) {
	tests := []struct {
		name     string
		policy   *Policy
		req      *exchange.Request
		declared bool
		want     string
	}{
		{"declared stream", enabled, get("/"), true, "BYPASS declared-stream"},
		{"declared stream by POST", enabled, request("POST", "/"), true, "BYPASS declared-stream"},
		{"no policy", nil, get("/"), false, "BYPASS disabled"},
		{"disabled", &Policy{}, get("/"), false, "BYPASS disabled"},
		{"OPTIONS", enabled, request("OPTIONS", "/"), false, "BYPASS method"},
		{"POST", enabled, request("POST", "/"), false, "MISS method"},
		{"PUT", enabled, request("PUT", "/"), false, "MISS method"},
		{"a method nobody knows may write", enabled, request("FROB", "/"), false, "MISS method"},
		{"methods are case-sensitive", enabled, request("get", "/"), false, "MISS method"},
		{"no-store", enabled, get("/", "Cache-Control: no-store"), false, "BYPASS no-store"},
		{"Range", enabled, get("/", "Range: bytes=0-1"), false, "MISS range"},
		{"If-Range", enabled, get("/", `If-Range: "a"`), false, "MISS range"},
		{"If-Match", enabled, get("/", `If-Match: "a"`), false, "MISS precondition"},
		{"If-Unmodified-Since", enabled, get("/", "If-Unmodified-Since: "+date(t0)), false, "MISS precondition"},
		{"Authorization", enabled, get("/", "Authorization: Bearer x"), false, "MISS authorization"},
		{"HEAD with a credential", enabled, request("HEAD", "/", "X-API-Key: x"), false, "MISS authorization"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(1 << 20)
			mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60"), "x", t0)
			d := c.Decide(tt.policy, tt.req, tt.declared, t0)
			if got := verdict(d); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if d.Object != nil || d.Store || d.Collapse || d.Key != (Key{}) || d.OnlyIfCached {
				t.Errorf("such a request neither reads, writes nor rides: %+v", d)
			}
			if d.Verdict.Source != exchange.SourceOrigin {
				t.Errorf("source %q", d.Verdict.Source)
			}
			if pl := c.Plan(tt.policy, &d, tt.req, response(200, "Cache-Control: max-age=60"), t0, t0); pl.Store || pl.Shares(tt.req) || c.Store(&pl, []byte("x")) {
				t.Errorf("its response is stored or shared")
			} else if tt.req.Method != "HEAD" && pl.Reason != d.Verdict.Reason {
				t.Errorf("plan says %q, verdict %q", pl.Reason, d.Verdict.Reason)
			}
		})
	}
}

// RFC 9111, section 5.2.1, against an object of 60 s that is 20 s old.
func TestRequestDirectivesDecideWhatIsFreshEnough(t *testing.T) {
	tests := []struct {
		line, want string
		collapse   bool
	}{
		{"Cache-Control: max-age=30", "HIT", false},
		{"Cache-Control: max-age=20", "HIT", false},
		{"Cache-Control: max-age=19", "MISS request-max-age", true},
		{"Cache-Control: max-age=30, max-age=10", "MISS request-max-age", true},
		{"Cache-Control: max-age=0", "MISS no-cache", false},
		{"Cache-Control: max-age=x", "MISS no-cache", false},
		{"Cache-Control: min-fresh=40", "HIT", false},
		{"Cache-Control: min-fresh=41", "MISS request-min-fresh", true},
		{"Cache-Control: min-fresh=x", "MISS request-min-fresh", true},
		{"Cache-Control: no-cache", "MISS no-cache", false},
		{"Cache-Control: NO-CACHE", "MISS no-cache", false},
		{"Pragma: no-cache", "MISS no-cache", false},
		{"Pragma: x, No-Cache", "MISS no-cache", false},
		{"Pragma: something", "HIT", false},
		{"Cache-Control: max-stale=9", "HIT", false},
		{"Cache-Control: only-if-cached", "HIT", false},
		{"Cache-Control: no-transform, made-up=1", "HIT", false},
	}
	c := New(1 << 20)
	mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60", "Age: 20"), "x", t0)
	for _, tt := range tests {
		d := expect(t, c, get("/", tt.line), t0, tt.want)
		if d.Collapse != tt.collapse {
			t.Errorf("%s: collapse %v", tt.line, d.Collapse)
		}
		if d.Store != (d.Object == nil) {
			t.Errorf("%s: store %v", tt.line, d.Store)
		}
	}
	expect(t, c, get("/", "Cache-Control: max-age=30", "Pragma: no-cache"), t0, "HIT") // Pragma yields
}

func TestOnlyIfCachedIsNeverFetched(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/held"), response(200, "Cache-Control: max-age=60"), "x", t0)
	for _, req := range []*exchange.Request{
		get("/other", "Cache-Control: only-if-cached"),
		request("HEAD", "/other", "Cache-Control: only-if-cached"),
		get("/held", "Cache-Control: only-if-cached, no-cache"),
		get("/held", "Cache-Control: only-if-cached", "Authorization: x"),
	} {
		d := expect(t, c, req, t0, "MISS only-if-cached")
		if !d.OnlyIfCached || d.Store || d.Collapse || d.Verdict.Source != exchange.SourceNone {
			t.Errorf("%s %v: %+v", req.Target, req.Header, d)
		}
	}
	if d := expect(t, c, get("/held", "Cache-Control: only-if-cached"), t0.Add(time.Minute), "MISS only-if-cached"); !d.OnlyIfCached {
		t.Error("an expired object is none")
	}
	if d := expect(t, c, get("/held", "Cache-Control: only-if-cached"), t0, "HIT"); d.OnlyIfCached {
		t.Error("OnlyIfCached on a hit would be answered 504")
	}
}

func TestANewerAnswerToNoCacheReplacesTheOld(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60"), "old", t0)
	mustStore(t, c, get("/", "Cache-Control: no-cache"), response(200, "Cache-Control: max-age=60"), "new", t0)
	expectBody(t, c, get("/"), t0, "new")
	if s := c.Stats(); s.Entries != 1 {
		t.Errorf("%d entries, want the new one alone", s.Entries)
	}
}

func TestOnlyEqualRequestsWithoutCredentialsMayShareAFetch(t *testing.T) {
	c := New(1 << 20)
	key := func(req *exchange.Request) Key { return c.Decide(enabled, req, false, t0).Key }
	base := key(get("/", "Accept: a"))
	same := map[string]*exchange.Request{
		"the same":     get("/", "Accept: a"),
		"other fields": get("/", "Accept: b", "User-Agent: c"),
	}
	for name, req := range same {
		if key(req) != base || base == (Key{}) {
			t.Errorf("%s: %+v, want %+v", name, key(req), base)
		}
	}
	other := map[string]*exchange.Request{
		"another target": get("/x", "Accept: a"),
		"another host":   {Method: "GET", Scheme: "https", Host: "other.test", Target: "/", Header: fields([]string{"Accept: a"})},
		"another scheme": {Method: "GET", Scheme: "http", Host: "origin.test", Target: "/", Header: fields([]string{"Accept: a"})},
	}
	for name, req := range other {
		if k := key(req); k == base || k == (Key{}) {
			t.Errorf("%s: %+v", name, k)
		}
	}
	for _, line := range []string{
		"Authorization: x", "x-api-key: x", "X-Goog-Api-Key: x", "api-key: x", "Cookie: x", "Range: bytes=0-1",
		"Cache-Control: no-store", "Cache-Control: no-cache", `If-None-Match: "a"`, "If-Modified-Since: " + date(t0),
	} {
		if d := c.Decide(enabled, get("/", line), false, t0); d.Collapse || d.Key != (Key{}) {
			t.Errorf("%s: may ride (%+v)", line, d)
		}
	}
	if d := c.Decide(enabled, request("HEAD", "/"), false, t0); d.Collapse || d.Key != (Key{}) {
		t.Error("a HEAD may ride")
	}
}

func TestAHitAllocatesNothing(t *testing.T) {
	c, req := hot(t)
	now := t0.Add(time.Second)
	var d Decision
	if n := testing.AllocsPerRun(1000, func() { d = c.Decide(enabled, req, false, now) }); n != 0 {
		t.Errorf("%v allocations in Decide on a hit, want 0", n)
	}
	if verdict(d) != "HIT" {
		t.Errorf("measured a %q", verdict(d))
	}
}

// hot is a cache with one object, and a request as a client really sends it.
func hot(t testing.TB) (*Cache, *exchange.Request) {
	c := New(1 << 20)
	req := get("/v1/models?limit=100", "User-Agent: OpenAI/Python 1.99.0", "Accept: application/json", "Accept-Encoding: gzip, deflate",
		"Cache-Control: max-age=600", "Cookie: a=b", "X-Stainless-Lang: python", "Accept-Language: en", "Accept-Language: de")
	head := response(200, "Content-Type: application/json", "Vary: Accept-Encoding, Accept-Language", "Cache-Control: max-age=60", "Date: "+date(t0))
	if pl, ok := fetch(c, enabled, req, head, string(make([]byte, 1024)), t0); !ok {
		t.Fatalf("not stored: %s", pl.Reason)
	}
	return c, req
}

func BenchmarkDecideHit(b *testing.B) {
	c, req := hot(b)
	now := t0.Add(time.Second)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if d := c.Decide(enabled, req, false, now); d.Verdict.XCache != exchange.HIT {
				b.Fatalf("measured a %q", verdict(d))
			}
		}
	})
}

func BenchmarkAnswerHit(b *testing.B) {
	c, req := hot(b)
	now := t0.Add(time.Second)
	o := c.Decide(enabled, req, false, now).Object
	b.ReportAllocs()
	for b.Loop() {
		if head, body := o.Answer(req, now); head.Status != 200 || len(body) != 1024 {
			b.Fatal(head.Status)
		}
	}
}
