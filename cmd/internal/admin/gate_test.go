package admin

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestOnlyThisMachineByItsOwnNameMayCome(t *testing.T) {
	p := start(t)
	for host, want := range map[string]int{
		"127.0.0.1:8246": 200, "localhost:8246": 200, "LocalHost:8246": 200, "[::1]:8246": 200,
		"box.local": 200, "box.local:8246": 200, "BOX.local:80": 200,
		"127.0.0.1": 403, "127.0.0.1:8245": 403, "localhost.:8246": 403, "evil.example:8246": 403,
		"0.0.0.0:8246": 403, "127.1:8246": 403, "[::ffff:127.0.0.1]:8246": 403, "": 403,
		"localhost:8246@evil.example": 403, "127.0.0.1:8246:8246": 403, "box.local.": 403,
	} {
		for _, path := range []string{"/v1/queue", "/healthz", "/metrics"} {
			r := request("GET", path, "")
			r.Host = host
			if got := p.do(r).StatusCode; got != want {
				t.Errorf("Host %q on %s is answered %d, want %d", host, path, got, want)
			}
		}
	}
}

func TestWebPagesMayNotComeUnlessTheyAreAllowed(t *testing.T) {
	p := start(t)
	for _, tt := range []struct {
		origin, site string
		want         int
	}{
		{"", "", 200},
		{"", "none", 200},
		{"", "same-origin", 200},
		{"", "cross-site", 403},
		{"", "Cross-Site", 403},
		{"http://127.0.0.1:8246", "same-origin", 200},
		{"http://localhost:8246", "", 200},
		{"https://localhost:8246", "", 403},
		{"http://localhost:8245", "", 403},
		{"http://127.0.0.1:8246", "cross-site", 403},
		{"null", "", 403},
		{"http://evil.example", "", 403},
		{"http://app.local:3000", "", 200},
		{"http://app.local:3000", "cross-site", 200},
		{"http://app.local", "", 403},
		{"HTTP://app.local:3000", "", 403},
	} {
		r := request("GET", "/v1/queue", "")
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		res := p.do(r)
		if res.StatusCode != tt.want {
			t.Errorf("Origin %q, Sec-Fetch-Site %q: %d, want %d", tt.origin, tt.site, res.StatusCode, tt.want)
		}
		allowed := ""
		if tt.origin == "http://app.local:3000" {
			allowed = tt.origin
		}
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("Origin %q is answered with Access-Control-Allow-Origin %q", tt.origin, got)
		}
	}
	r := request("GET", "/v1/queue", "")
	r.Header["Origin"] = []string{"http://app.local:3000", "http://evil.example"}
	if got := p.do(r).StatusCode; got != 403 {
		t.Errorf("two Origins are answered %d", got)
	}
}

func TestTheRefusalNamesTheOriginAndTheFlag(t *testing.T) {
	r := request("GET", "/v1/queue", "")
	r.Header.Set("Origin", "http://evil.example")
	res := start(t).do(r)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(string(b), "evil.example") || !strings.Contains(string(b), "--allow-origin") {
		t.Errorf("%v %s", res.Header, b)
	}
}

func TestThePreflightOfAnAllowedOriginNeedsNoToken(t *testing.T) {
	p := start(t)
	for origin, want := range map[string]int{"http://app.local:3000": 204, "http://evil.example": 403, "http://127.0.0.1:8246": 401} {
		r := request("OPTIONS", "/v1/exchanges/1/kill", "")
		r.Header.Del("Authorization")
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		if got := p.do(r).StatusCode; got != want {
			t.Errorf("preflight of %s is answered %d, want %d", origin, got, want)
		}
	}
	if p.killed != 0 {
		t.Error("a preflight has killed something")
	}
}

func TestEverythingButHealthAndMetricsNeedsTheToken(t *testing.T) {
	p := start(t)
	for _, e := range endpoints {
		path := strings.ReplaceAll(e.path, "*", "1")
		for name, header := range map[string][]string{
			"none":       nil,
			"wrong":      {"Bearer wrong"},
			"longer":     {"Bearer " + secret + "x"},
			"shorter":    {"Bearer " + secret[1:]},
			"bare":       {secret},
			"basic":      {"Basic " + secret},
			"empty":      {"Bearer "},
			"twice":      {"Bearer " + secret, "Bearer wrong"},
			"in a query": nil,
		} {
			r := request(e.method, path, "")
			if name == "in a query" {
				r.URL.RawQuery = "token=" + secret
			}
			r.Header["Authorization"] = header
			want := http.StatusUnauthorized
			if open(path) {
				want = http.StatusOK
			}
			res := p.do(r)
			if res.StatusCode != want {
				t.Errorf("%s %s with a token that is %s: %d, want %d", e.method, path, name, res.StatusCode, want)
			}
			if want == http.StatusUnauthorized && res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s does not say how to show a token", path)
			}
		}
	}
	if p.killed != 0 || p.retried != nil || p.purged != "" {
		t.Errorf("something was done without a token: %+v", p)
	}
	r := request("GET", "/v1/queue", "")
	r.Header.Set("Authorization", "bearer "+secret)
	if got := p.do(r).StatusCode; got != 200 {
		t.Errorf("the scheme in small letters is answered %d", got)
	}
}
