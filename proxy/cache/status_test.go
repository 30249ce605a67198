package cache

import (
	"testing"
	"time"

	"tailrace/proxy/exchange"
)

func TestCacheStatusSaysWhatHappenedInTheWordsOfRFC9211(t *testing.T) {
	v := func(x exchange.XCache, s exchange.Source, why string) exchange.Verdict {
		return exchange.Verdict{XCache: x, Source: s, Reason: why}
	}
	const key = "GET https://h/p"
	tests := []struct {
		verdict exchange.Verdict
		key     string
		ttl     time.Duration
		stored  bool
		want    string
	}{
		{v("HIT", "hot", ""), key, 30500 * time.Millisecond, false, `tailrace; hit; ttl=30; key="GET https://h/p"`},
		{v("HIT", "journal", ""), "", 0, false, `tailrace; hit; detail=journal`},
		{v("STALE", "hot", "shed"), key, -5 * time.Second, false, `tailrace; hit; ttl=-5; key="GET https://h/p"; detail=shed`},
		{v("REVALIDATED", "hot", ""), key, 60 * time.Second, false, `tailrace; fwd=stale; fwd-status=304; ttl=60; key="GET https://h/p"`},
		{v("MISS", "origin", whyURI), key, 60 * time.Second, true, `tailrace; fwd=uri-miss; stored; ttl=60; key="GET https://h/p"`},
		{v("MISS", "origin", whyURI), key, 60 * time.Second, false, `tailrace; fwd=uri-miss; key="GET https://h/p"`},
		{v("MISS", "origin", whyVary), "", 0, false, `tailrace; fwd=vary-miss`},
		{v("MISS", "origin", whyExpired), "", 0, false, `tailrace; fwd=stale; detail=expired`},
		{v("MISS", "origin", whyNoCache), "", 0, false, `tailrace; fwd=request; detail=no-cache`},
		{v("MISS", "origin", whyMaxAge), "", 0, false, `tailrace; fwd=request; detail=request-max-age`},
		{v("MISS", "origin", whySetCookie), "", 0, false, `tailrace; fwd=miss; detail=set-cookie`},
		{v("MISS", "origin", whyNoStore), "", 0, false, `tailrace; fwd=miss; detail=no-store`},
		{v("MISS", "origin", whyAuthorization), "", 0, false, `tailrace; fwd=bypass; detail=authorization`},
		{v("MISS", "origin", whyMethod), "", 0, false, `tailrace; fwd=method`},
		{v("MISS", "origin", "collapsed"), "", 0, false, `tailrace; fwd=miss; collapsed`},
		{v("MISS", "", whyOnlyIfCached), "", 0, false, `tailrace; detail=only-if-cached`},
		{v("BYPASS", "origin", "declared-stream-body"), "", 0, false, `tailrace; fwd=bypass; detail=declared-stream-body`},
		{v("BYPASS", "origin", whyNoStore), "", 0, false, `tailrace; fwd=bypass; detail=no-store`},
		{v("BYPASS", "origin", whyMethod), "", 0, false, `tailrace; fwd=method`},
		{v("BYPASS", "journal", "declared-stream-body"), "", 0, false, `tailrace; fwd=bypass; detail=declared-stream-body`},
		{v("BYPASS", "origin", "two words"), "", 0, false, `tailrace; fwd=bypass; detail="two words"`},
		{v("HIT", "hot", ""), "GET h/\"\\ü\n", 0, false, `tailrace; hit; ttl=0; key="GET h/\"\\%C3%BC%0A"`},
	}
	for _, tt := range tests {
		if got := CacheStatus(tt.verdict, tt.key, tt.ttl, tt.stored); got != tt.want {
			t.Errorf("%+v\n got %s\nwant %s", tt.verdict, got, tt.want)
		}
	}
}

func TestANamePrintsNoSecretOfTheQuery(t *testing.T) {
	req := get("/v1beta/models?key=AIzaSyTheSecretOfATenant0000&pageSize=2")
	const want = "GET https://origin.test/v1beta/models?key=[redacted]&pageSize=2"
	if got := Name(req); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c := New(1 << 20)
	mustStore(t, c, req, minute, "x", t0)
	d := expect(t, c, req, t0.Add(time.Second), "HIT")
	if got := d.Object.Name(); got != want {
		t.Errorf("object: %q, want %q", got, want)
	}
	if got := d.Object.TTL(t0.Add(time.Second)); got != 59*time.Second {
		t.Errorf("TTL %v", got)
	}
	expect(t, c, get("/v1beta/models?key=AIzaSyTheSecretOfAnother0000&pageSize=2"), t0, "MISS uri-miss")
	if name := Name(request("HEAD", "/x")); name != "GET https://origin.test/x" {
		t.Errorf("HEAD: %q", name)
	}
}
