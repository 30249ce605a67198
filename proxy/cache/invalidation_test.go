package cache

import (
	"testing"

	"tailrace/proxy/exchange"
)

var minute = response(200, "Cache-Control: max-age=60")

// RFC 9111, section 4.4.
func TestAWriteClearsItsTargetAndWhatItNamesOnTheSameOrigin(t *testing.T) {
	tests := []struct {
		name   string
		method string
		head   *exchange.Head
		gone   []string // of /a, /b, /b?q, /dir/c
	}{
		{"POST 200", "POST", response(200), []string{"/a"}},
		{"PUT 204", "PUT", response(204), []string{"/a"}},
		{"DELETE 303", "DELETE", response(303), []string{"/a"}},
		{"an unknown method", "FROB", response(200), []string{"/a"}},
		{"POST 404", "POST", response(404), nil},
		{"POST 500", "POST", response(500), nil},
		{"POST 102", "POST", response(102), nil},
		{"GET", "GET", response(200, "Location: /b"), nil},
		{"OPTIONS", "OPTIONS", response(200), nil},
		{"Location, a path", "POST", response(201, "Location: /b"), []string{"/a", "/b"}},
		{"Location with a query and a fragment", "POST", response(201, "Location: /b?q#f"), []string{"/a", "/b?q"}},
		{"Location, absolute", "POST", response(201, "Location: HTTPS://Origin.test/b"), []string{"/a", "/b"}},
		{"Location, a relative path", "POST", response(201, "Location: dir/c"), []string{"/a", "/dir/c"}},
		{"Location without scheme", "POST", response(201, "Location: //origin.test/b"), []string{"/a", "/b"}},
		{"Location elsewhere", "POST", response(201, "Location: https://other.test/b"), []string{"/a"}},
		{"Location on another scheme", "POST", response(201, "Location: http://origin.test/b"), []string{"/a"}},
		{"Location on another port", "POST", response(201, "Location: https://origin.test:444/b"), []string{"/a"}},
		{"Location on a longer host", "POST", response(201, "Location: https://origin.test.evil/b"), []string{"/a"}},
		{"Location that is none", "POST", response(201, "Location: http://[::1"), []string{"/a"}},
		{"Content-Location", "POST", response(200, "Content-Location: /b"), []string{"/a", "/b"}},
		{"both", "POST", response(200, "Location: /b?q", "Content-Location: /b"), []string{"/a", "/b", "/b?q"}},
		{"itself", "POST", response(200, "Location: /a"), []string{"/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(1 << 20)
			gone := map[string]bool{}
			for _, g := range tt.gone {
				gone[g] = true
			}
			all := []string{"/a", "/b", "/b?q", "/dir/c"}
			for _, target := range all {
				mustStore(t, c, get(target), minute, "x", t0)
			}
			if n := c.Invalidate(request(tt.method, "/a"), tt.head); n != len(tt.gone) {
				t.Errorf("%d objects, want %d", n, len(tt.gone))
			}
			for _, target := range all {
				want := "HIT"
				if gone[target] {
					want = "MISS uri-miss"
				}
				expect(t, c, get(target), t0, want)
			}
		})
	}
}

func TestAWriteClearsAllVariants(t *testing.T) {
	c := New(1 << 20)
	for _, v := range []string{"X: 1", "X: 2"} {
		mustStore(t, c, get("/", v), response(200, "Cache-Control: max-age=60", "Vary: X"), v, t0)
	}
	if n := c.Invalidate(request("PUT", "/"), response(200)); n != 2 {
		t.Errorf("%d objects, want 2", n)
	}
	if s := c.Stats(); s != (Stats{}) {
		t.Errorf("%+v", s)
	}
}

func TestAnAnswerAskedForBeforeAWriteIsNotStoredAfterIt(t *testing.T) {
	clear := map[string]func(c *Cache){
		"write": func(c *Cache) { c.Invalidate(request("PUT", "/a"), response(204)) },
		"purge": func(c *Cache) { c.Purge("*") },
	}
	for name, f := range clear {
		t.Run(name, func(t *testing.T) {
			c := New(1 << 20)
			req := get("/a")
			d := c.Decide(enabled, req, false, t0)
			f(c)
			pl := c.Plan(enabled, &d, req, minute, t0, t0)
			if c.Store(&pl, []byte("old")) {
				t.Error("the state before it was stored")
			}
			mustStore(t, c, req, minute, "new", t0)
			expectBody(t, c, req, t0, "new")
		})
	}
	c := New(1 << 20)
	d := c.Decide(enabled, get("/a"), false, t0)
	c.Invalidate(request("POST", "/a"), response(500)) // has changed nothing
	pl := c.Plan(enabled, &d, get("/a"), minute, t0, t0)
	if !c.Store(&pl, []byte("x")) {
		t.Error("a failed write kept an answer out")
	}
}

func TestPurgeTakesAURLATargetOrAPrefix(t *testing.T) {
	tests := []struct {
		pattern string
		want    int
	}{
		{"https://origin.test/v1/models", 1},
		{"https://origin.test/v1/models?limit=2", 1},
		{"https://origin.test/v1/*", 2},
		{"https://origin.test*", 3},
		{"https://o*", 4},
		{"/v1/models", 2},
		{"/v1/models*", 3},
		{"/v1", 0},
		{"/*", 4},
		{"*", 4},
		{"", 0},
		{"https://origin.test/V1/models", 0},
		{"origin.test/v1/models", 0},
	}
	for _, tt := range tests {
		c := New(1 << 20)
		for _, target := range []string{"/v1/models", "/v1/models?limit=2", "/x"} {
			mustStore(t, c, get(target), minute, "x", t0)
		}
		other := get("/v1/models")
		other.Host = "other.test"
		mustStore(t, c, other, minute, "x", t0)
		if n := c.Purge(tt.pattern); n != tt.want || c.Stats().Entries != 4-n {
			t.Errorf("%q: %d of 4, want %d; %+v", tt.pattern, n, tt.want, c.Stats())
		}
	}
}

func TestAReferenceIsResolvedToTheBytesThatWouldBeStored(t *testing.T) {
	base := resource{"https", "origin.test", "/a/b?q"}
	for ref, want := range map[string]string{
		"":                              "/a/b?q",
		"#f":                            "/a/b?q",
		"/x%2Fy/../z":                   "/x%2Fy/../z",
		"https://ORIGIN.test/x%2fy?%41": "/x%2fy?%41",
		"https://origin.test?x":         "/?x",
		"c?d":                           "/a/c?d",
		"../c":                          "/c",
		"?d":                            "/a/b?d",
		"https://origin.test.evil/b":    "none",
		"https://origin.test@evil/b":    "none",
		"https://origin.test:444/b":     "none",
		"http://origin.test/b":          "none",
		"//other.test/b":                "none",
		"mailto:a@origin.test":          "none",
		"%zz":                           "none",
	} {
		got := "none"
		if r, ok := sameOrigin(base, ref); ok {
			got = r.target
		}
		if got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
}
