package cache

import (
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

// RFC 9111, section 3.
func TestAResponseThatMustNotBeStoredSaysWhy(t *testing.T) {
	const fresh = "Cache-Control: max-age=60"
	tests := []struct {
		name   string
		status int
		lines  []string
		why    string
	}{
		{"no-store", 200, []string{"Cache-Control: no-store, max-age=60"}, "no-store"},
		{"no-store on a line of its own", 200, []string{fresh, "Cache-Control: no-store"}, "no-store"},
		{"private", 200, []string{"Cache-Control: private, max-age=60"}, "private"},
		{"no-cache", 200, []string{"Cache-Control: no-cache, max-age=60"}, "origin-no-cache"},
		{"Set-Cookie", 200, []string{fresh, "Set-Cookie: a=b"}, "set-cookie"},
		{"Vary: *", 200, []string{fresh, "Vary: *"}, "vary-star"},
		{"Vary: * among others", 200, []string{fresh, "Vary: Accept, *"}, "vary-star"},
		{"Vary: * on the second line", 200, []string{fresh, "Vary: Accept", "Vary: *"}, "vary-star"},
		{"206", 206, []string{fresh}, "status"},
		{"304", 304, []string{fresh}, "status"},
		{"103", 103, []string{fresh}, "status"},
		{"an event stream nobody asked for", 200, []string{fresh, "Content-Type: text/event-stream; charset=utf-8"}, "undeclared-stream"},
		{"no lifetime", 200, nil, "no-freshness"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(1 << 20)
			pl, stored := fetch(c, enabled, get("/"), response(tt.status, tt.lines...), "x", t0)
			if stored || pl.Store || pl.Reason != tt.why || pl.Shares(get("/")) {
				t.Errorf("stored %v, plan %v %q, shared %v; want %q", stored, pl.Store, pl.Reason, pl.Shares(get("/")), tt.why)
			}
			if s := c.Stats(); s != (Stats{}) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestDirectivesOfOrdinaryResponsesDoNotKeepThemOut(t *testing.T) {
	for _, cc := range []string{"max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "public, max-age=60", "s-maxage=60, immutable", "max-age=60, no-transform"} {
		mustStore(t, New(1<<20), get("/"), response(200, "Cache-Control: "+cc), "x", t0)
	}
}

func TestNoCredentialEverReadsOrWritesTheCache(t *testing.T) {
	for _, name := range []string{
		"Authorization", "x-api-key", "X-Goog-Api-Key", "API-KEY",
		"openai-api-key", "anthropic-api-key", "X-Auth-Token", "X-Amz-Security-Token",
	} {
		c := New(1 << 20)
		head := response(200, "Cache-Control: public, s-maxage=60, must-revalidate")
		if pl, stored := fetch(c, enabled, get("/", name+": one"), head, "of one", t0); stored || pl.Reason != whyAuthorization {
			t.Errorf("%s: stored %v, reason %q", name, stored, pl.Reason)
		}
		mustStore(t, c, get("/"), head, "of nobody", t0)
		expect(t, c, get("/", name+": two"), t0, "MISS authorization")
		if !exchange.IsSecret(name) {
			t.Errorf("%s is a credential here but would be printed", name)
		}
	}
}

func TestACookiesAnswerIsNotStoredForALifetimeThatTheOriginDidNotName(t *testing.T) {
	c := New(1 << 20)
	p := &Policy{Enabled: true, TTLDefault: time.Minute}
	if pl, stored := fetch(c, p, get("/", "Cookie: who=a"), response(200), "of a", t0); stored || pl.Reason != whyCookie || pl.Shares(get("/")) {
		t.Errorf("stored %v, reason %q", stored, pl.Reason)
	}
	mustStore(t, c, get("/", "Cookie: who=a"), response(200, "Cache-Control: max-age=60"), "of all", t0)
	expectBody(t, c, get("/"), t0, "of all")
}

func TestTheAnswerToHEADIsNeverServedToGET(t *testing.T) {
	c := New(1 << 20)
	head := response(200, "Cache-Control: max-age=60")
	if pl, stored := fetch(c, enabled, request("HEAD", "/"), head, "", t0); stored || pl.Reason != whyHead {
		t.Errorf("stored %v, reason %q", stored, pl.Reason)
	}
	expect(t, c, get("/"), t0, "MISS uri-miss")
	mustStore(t, c, get("/"), head, "whole", t0)
	expectBody(t, c, get("/"), t0, "whole")
}

func TestTheAnswerToARangeIsNeverServedToAPlainGET(t *testing.T) {
	c := New(1 << 20)
	part := get("/", "Range: bytes=0-1")
	for _, head := range []*exchange.Head{
		response(206, "Cache-Control: max-age=60", "Content-Range: bytes 0-1/5"),
		response(200, "Cache-Control: max-age=60"), // an origin that forgets to say 206
	} {
		if pl, stored := fetch(c, enabled, part, head, "wh", t0); stored || pl.Store {
			t.Errorf("%d was stored", head.Status)
		}
		expect(t, c, get("/"), t0, "MISS uri-miss")
	}
	mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60"), "whole", t0)
	expectBody(t, c, get("/"), t0, "whole")
	expect(t, c, part, t0, "MISS range")
}

func TestABodyThatIsNotWholeIsNotStored(t *testing.T) {
	for _, body := range []string{"", "four", "sixsix"} {
		head := response(200, "Cache-Control: max-age=60")
		head.Length = 5
		if _, stored := fetch(New(1<<20), enabled, get("/"), head, body, t0); stored {
			t.Errorf("%q was stored as 5 bytes", body)
		}
	}
}

func TestWhatIsTooLargeIsNotStoredButMayBeShared(t *testing.T) {
	c := New(1 << 20)
	p := &Policy{Enabled: true, MaxObject: 10}
	head := response(200, "Cache-Control: max-age=60")
	head.Length = 11
	pl, stored := fetch(c, p, get("/"), head, strings.Repeat("x", 11), t0)
	if stored || pl.Store || pl.Reason != whyTooLarge || pl.Limit != 10 || !pl.Shares(get("/")) {
		t.Errorf("declared: stored %v, %+v", stored, pl)
	}
	head.Length = -1
	if pl, stored = fetch(c, p, get("/"), head, strings.Repeat("x", 11), t0); stored || !pl.Store || pl.Limit != 10 {
		t.Errorf("found out at the end: stored %v, %+v", stored, pl)
	}
	if _, stored = fetch(c, p, get("/"), head, strings.Repeat("x", 10), t0); !stored {
		t.Error("exactly as large as it may be: not stored")
	}
	if _, stored = fetch(New(100), enabled, get("/"), head, "x", t0); stored {
		t.Error("stored in a cache that is smaller than the object's overhead")
	}
	if _, stored = fetch(New(0), enabled, get("/"), head, "", t0); stored {
		t.Error("stored in a cache of 0 bytes")
	}
}

func TestAPlanIsStoredOnce(t *testing.T) {
	c := New(1 << 20)
	d := c.Decide(enabled, get("/"), false, t0)
	pl := c.Plan(enabled, &d, get("/"), response(200, "Cache-Control: max-age=60"), t0, t0)
	if !c.Store(&pl, []byte("x")) || c.Store(&pl, []byte("x")) {
		t.Error("want true, then false")
	}
	if s := c.Stats(); s.Entries != 1 {
		t.Errorf("%d entries", s.Entries)
	}
}

func TestAStoredObjectSharesNoBufferWithWhatItCameFrom(t *testing.T) {
	c := New(1 << 20)
	req, head := get("/", "Accept: a"), response(200, "Cache-Control: max-age=60", "Vary: Accept", "X-Mark: 1", "Date: "+date(t0))
	mustStore(t, c, req, head, "x", t0)
	for i := range head.Header {
		head.Header[i] = exchange.Field{Name: "X-Other", Value: "overwritten"}
	}
	req.Header[0].Value = "overwritten"

	again := get("/", "Accept: a")
	o := expect(t, c, again, t0, "HIT").Object
	first, _ := o.Answer(again, t0)
	first.Header[0] = exchange.Field{Name: "X-Other", Value: "overwritten"}
	_ = append(first.Header, exchange.Field{Name: "X-Cache", Value: "HIT"})
	second, _ := o.Answer(again, t0)
	if second.Header.Has("X-Other") || second.Header.Has("X-Cache") || second.Header.Get("X-Mark") != "1" {
		t.Errorf("%v", second.Header)
	}
}
