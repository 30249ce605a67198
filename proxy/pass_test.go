package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

func TestHopByHopFieldsEndHereBothWays(t *testing.T) {
	got := make(chan string, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		got <- req
		c.Say("HTTP/1.1 203 Fine\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: origin/1\r\nX-Cache: HIT from elsewhere\r\nX-Tailrace-Sent: maybe\r\n" +
			"Connection: X-Hop, close\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nx-lower: kept\r\nContent-Length: 2\r\n\r\nok")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	c := dial(t, rig.Addr)
	fmt.Fprintf(c, "GET /x HTTP/1.1\r\nHost: %s\r\nConnection: X-Mine, keep-alive\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eA==\r\nx-lower: kept\r\nX-Twice: 1\r\nX-Twice: 2\r\nAuthorization: Bearer key\r\n\r\n", rig.Addr)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want := fmt.Sprintf("GET /x HTTP/1.1\r\nHost: %s\r\nx-lower: kept\r\nX-Twice: 1\r\nX-Twice: 2\r\nAuthorization: Bearer key\r\n\r\n", o.Addr)
	if req := <-got; req != want {
		t.Errorf("the origin got\n%q, want\n%q", req, want)
	}
	for name, want := range map[string]string{
		"Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Server": "origin/1", "X-Cache": "MISS", "X-Tailrace-Sent": "",
		"X-Hop": "", "Keep-Alive": "", "Proxy-Authenticate": "", "X-Lower": "kept", "X-Cache-Source": "origin",
	} {
		if got := strings.Join(res.Header.Values(name), "|"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := res.Header.Values("Set-Cookie"); len(got) != 2 || res.Status != "203 Fine" {
		t.Errorf("%q %q", got, res.Status)
	}
}

func TestLargeThingsPassUnchanged(t *testing.T) {
	rig := proxytest.Start(t, fake(t), nil)
	prompt := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("0123456789abcdef", 20<<16) + `"}]}`
	res := post(t, rig.URL+"/_fakellm/echo", prompt)
	var echo struct {
		SHA256 string `json:"body_sha256"`
	}
	if err := json.NewDecoder(res.Body).Decode(&echo); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(prompt))); echo.SHA256 != want {
		t.Errorf("a 20 MiB prompt arrived as %+v, want %s", echo, want)
	}
	res = post(t, rig.URL+"/_fakellm/echo", "{}", "X-Big", strings.Repeat("h", 60<<10))
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 200 || !strings.Contains(string(body), strings.Repeat("h", 60<<10)) {
		t.Errorf("60 KiB of header: %d", res.StatusCode)
	}
	req, _ := http.NewRequest(http.MethodPost, rig.URL+chat, strings.NewReader(`{"model":"m","messages":[]}`))
	req.Header.Set("X-Fakellm", "gzip")
	req.Header.Set("Accept-Encoding", "gzip")
	zres, err := client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer zres.Body.Close()
	packed, _ := io.ReadAll(zres.Body)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil || zres.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("gzip: %v %v", err, zres.Header)
	}
	if plain, err := io.ReadAll(z); err != nil || !bytes.Contains(plain, []byte(`"choices"`)) {
		t.Fatalf("gzip: %v %s", err, plain)
	}
	models, err := client(t).Get(rig.URL + "/v1/models")
	if err != nil || models.StatusCode != 200 {
		t.Fatalf("GET /v1/models: %v", err)
	}
	models.Body.Close()
}

func TestGateLetsOnlyThisMachinesProgramsIn(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		for {
			if _, ok := c.Request(); !ok {
				return
			}
			c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	rig := proxytest.Start(t, o.Addr, func(c *proxy.Config) {
		c.AllowHosts = []string{"host.docker.internal"}
		c.AllowOrigins = []string{"http://localhost:3000"}
	})
	_, port, _ := strings.Cut(rig.Addr, ":")
	for _, c := range []struct {
		host, field string
		want        int
	}{
		{"127.0.0.1:" + port, "", 200},
		{"LocalHost:" + port, "", 200},
		{"[::1]:" + port, "", 200},
		{"host.docker.internal:" + port, "", 200},
		{"evil.test:" + port, "", 403},
		{"127.0.0.1", "", 403},
		{"127.0.0.1:1", "", 403},
		{"localhost.:" + port, "", 403},
		{"127.0.0.1.nip.io:" + port, "", 403},
		{"0.0.0.0:" + port, "", 403},
		{"127.1:" + port, "", 403},
		{"127.0.0.1:" + port, "Origin: https://evil.test", 403},
		{"127.0.0.1:" + port, "Origin: null", 403},
		{"127.0.0.1:" + port, "Origin: http://localhost:3000", 200},
		{"127.0.0.1:" + port, "Origin: http://127.0.0.1:" + port, 200},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: cross-site", 403},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: same-origin", 200},
	} {
		before := o.Requests.Load()
		conn := dial(t, rig.Addr)
		field := c.field
		if field != "" {
			field += "\r\n"
		}
		fmt.Fprintf(conn, "GET /x HTTP/1.1\r\nHost: %s\r\n%s\r\n", c.host, field)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		conn.Close()
		if res.StatusCode != c.want {
			t.Errorf("Host %s, %q: %d, want %d", c.host, c.field, res.StatusCode, c.want)
		}
		if sent := o.Requests.Load() - before; c.want == 403 && sent != 0 {
			t.Errorf("Host %s, %q: refused, but sent", c.host, c.field)
		}
		if c.want == 403 && (res.Header.Get("X-Cache") != "BYPASS" || res.Header.Get("X-Tailrace-Sent") != "no" || res.Header.Get("Access-Control-Allow-Origin") != "") {
			t.Errorf("Host %s: %v", c.host, res.Header)
		}
	}
}

func TestOriginsThatFailAreOneClearSentence(t *testing.T) {
	noHTTP := proxytest.Raw(t, func(c *proxytest.Conn) { c.Request(); c.Say("SSH-2.0-x\r\n\r\n") })
	closes := proxytest.Raw(t, func(c *proxytest.Conn) { c.Request() })
	for _, c := range []struct{ name, addr, words, sent string }{
		{"refuses", "127.0.0.1:1", "refused", "no"},
		{"does not resolve", "no-such-host.invalid:80", "resolve", "no"},
		{"speaks no HTTP", noHTTP.Addr, "HTTP", "yes"},
		{"closes", closes.Addr, "", "yes"},
	} {
		rig := proxytest.Start(t, c.addr, nil)
		for path, dialect := range map[string]string{chat: `"type"`, "/v1/messages": `"type":"error"`} {
			res := post(t, rig.URL+path, `{"model":"m","messages":[]}`)
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != 502 || res.Header.Get("X-Tailrace-Sent") != c.sent || !strings.Contains(string(body), c.words) || !strings.Contains(strings.ReplaceAll(string(body), " ", ""), dialect) {
				t.Errorf("%s %s: %d sent=%s %s", c.name, path, res.StatusCode, res.Header.Get("X-Tailrace-Sent"), body)
			}
		}
	}
}

func TestNoRouteListsTheRoutes(t *testing.T) {
	rig := proxytest.Start(t, "127.0.0.1:1", func(c *proxy.Config) { c.Routes[0].Match.PathPrefix = "/chat/" })
	res, err := client(t).Get(rig.URL + "/nothing")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 404 || !strings.Contains(string(body), "/chat/") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestRidersReadTheLeadersBytes(t *testing.T) {
	step := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhello")
		select {
		case <-step:
		case <-t.Context().Done():
		}
		c.Say("world")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	leader := dial(t, rig.Addr)
	fmt.Fprintf(leader, "GET /r HTTP/1.1\r\nHost: %s\r\n\r\n", rig.Addr)
	first := proxytest.Of[exchange.Headed](t, rig.Ledger)
	bodies := make(chan string, 5)
	for range 5 {
		go func() {
			res, err := client(t).Get(rig.URL + "/r")
			if err != nil {
				bodies <- err.Error()
				return
			}
			defer res.Body.Close()
			b, _ := io.ReadAll(res.Body)
			bodies <- string(b) + " " + res.Header.Get("X-Cache")
		}()
	}
	joined := 0
	rig.Ledger.Wait(t, func(f exchange.Fact) bool {
		if j, ok := f.(exchange.Joined); ok && j.Leader == first.ID {
			joined++
		}
		return joined == 5
	})
	leader.Close() // the leader leaves: its riders are not hurt
	rig.Ledger.Wait(t, func(f exchange.Fact) bool {
		e, ok := f.(exchange.Finished)
		return ok && e.ID == first.ID && e.Outcome == exchange.OutcomeClientGone
	})
	step <- true
	for range 5 {
		if b := <-bodies; b != "helloworld MISS" {
			t.Errorf("%q", b)
		}
	}
	if n := o.Requests.Load(); n != 1 {
		t.Errorf("%d requests at the origin", n)
	}
}

func TestTruncatedBodyIsNeverStoredNorLooksComplete(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhello")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	for range 2 {
		res, err := client(t).Get(rig.URL + "/t")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(res.Body); err == nil || res.Header.Get("X-Cache") != "MISS" {
			t.Errorf("%q looks whole, %s", b, res.Header.Get("X-Cache"))
		}
		res.Body.Close()
	}
	if n := o.Requests.Load(); n != 2 {
		t.Errorf("%d requests at the origin, want 2", n)
	}
}

func TestIdleBudgetCutsASilentStreamOnly(t *testing.T) {
	rig := proxytest.Start(t, fake(t), func(c *proxy.Config) { c.Routes[0].Stream.IdleTimeout = 300 * time.Millisecond })
	res := post(t, rig.URL+chat, streamBody, "X-Fakellm", "pace=100ms,tokens=8")
	if b, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(b), "[DONE]") {
		t.Errorf("a live stream was cut: %v %s", err, b)
	}
	res = post(t, rig.URL+chat, streamBody, "X-Fakellm", "stall=2")
	b, err := io.ReadAll(res.Body)
	if err == nil || !strings.Contains(string(b), "idle budget: the origin stopped without heartbeats") {
		t.Errorf("%v %s", err, b)
	}
}

func TestRiderOfAnotherVariantFetchesForItself(t *testing.T) {
	step := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		_, lang, _ := strings.Cut(req, "Accept-Language: ")
		lang, _, _ = strings.Cut(lang, "\r\n")
		if lang == "en" {
			select {
			case <-step:
			case <-t.Context().Done():
			}
		}
		c.Say("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Language\r\nConnection: close\r\nContent-Length: 2\r\n\r\n" + lang)
	})
	rig := proxytest.Start(t, o.Addr, nil)
	get := func(lang string) string {
		req, _ := http.NewRequest(http.MethodGet, rig.URL+"/v", nil)
		req.Header.Set("Accept-Language", lang)
		res, err := client(t).Do(req)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return string(b)
	}
	got := make(chan string, 2)
	go func() { got <- "en " + get("en") }()
	proxytest.Of[exchange.Sent](t, rig.Ledger)
	go func() { got <- "de " + get("de") }()
	proxytest.Of[exchange.Joined](t, rig.Ledger)
	step <- true
	for range 2 {
		if g := <-got; g != "en en" && g != "de de" {
			t.Errorf("asked for and got: %s", g)
		}
	}
}

// The pooled connection is found dead before the first byte, and the origin is
// gone: nothing was sent, and that is what the client is told.
func TestDeadPoolAndNoOriginIsNotSent(t *testing.T) {
	first := make(chan bool, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		<-first // the connection stays pooled until then
	})
	dials := 0
	rig := proxytest.Start(t, o.Addr, func(c *proxy.Config) {
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials > 1 {
				return nil, syscall.ECONNREFUSED
			}
			var d net.Dialer
			return d.DialContext(ctx, network, addr)
		}
	})
	if res := post(t, rig.URL+chat, "{}"); res.StatusCode != 200 {
		t.Fatal(res.StatusCode)
	}
	proxytest.Of[exchange.Landed](t, rig.Ledger)
	first <- true
	res := post(t, rig.URL+chat, "{}")
	if res.StatusCode != 502 || res.Header.Get("X-Tailrace-Sent") != "no" || res.Header.Get("x-should-retry") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestLargeResponseHeadPasses(t *testing.T) {
	big := strings.Repeat("h", 60<<10)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nX-Big: " + big + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	res, err := client(t).Get(rig.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 200 || res.Header.Get("X-Big") != big || string(body) != "ok" {
		t.Errorf("%d, %d bytes of header, %q", res.StatusCode, len(res.Header.Get("X-Big")), body)
	}
}

// max_streaming_buffer_bytes counts what is teed, not what only passes through:
// a long download that nobody may store must not make others wait for their
// whole bodies.
func TestOnlyTeedBodiesCountAsBuffered(t *testing.T) {
	const size = 1 << 20
	open := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		control := "no-store"
		if strings.Contains(req, "/stored") {
			control = "max-age=60"
		}
		c.Say(fmt.Sprintf("HTTP/1.1 200 OK\r\nCache-Control: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", control, size+1, strings.Repeat("x", size)))
		select {
		case <-open:
			c.Say("x")
		case <-t.Context().Done():
		}
	})
	rig := proxytest.Start(t, o.Addr, nil)
	for path, want := range map[string]int64{"/passing": 0, "/stored": size} {
		res, err := client(t).Get(rig.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, res.Body, size); err != nil {
			t.Fatal(err)
		}
		if got := rig.Loads()[0].BufferBytes; got != want {
			t.Errorf("%s: %d bytes buffered, want %d", path, got, want)
		}
		open <- true
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		res.Body.Close()
	}
}
