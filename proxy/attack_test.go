package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

func TestGateReadsOriginInAnySpellingAndRepetition(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	})
	rig := proxytest.Start(t, o.Addr, nil)
	own := "Origin: http://" + rig.Addr + "\r\n"
	for _, fields := range []string{
		"origin: https://evil.test\r\n", "ORIGIN: null\r\n", "sec-fetch-site: cross-site\r\n", "Sec-Fetch-Site: Cross-Site\r\n",
		own + "Origin: https://evil.test\r\n", "Origin: https://evil.test\r\n" + own, "Origin: \r\n",
	} {
		c := dial(t, rig.Addr)
		fmt.Fprintf(c, "GET /x HTTP/1.1\r\nHost: %s\r\n%s\r\n", rig.Addr, fields)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 403 {
			t.Errorf("%q: %d", fields, res.StatusCode)
		}
	}
	if n := o.Requests.Load(); n != 0 {
		t.Errorf("%d of them were sent", n)
	}
}

func TestPageOfAnAllowedOriginMayReadAnswers(t *testing.T) {
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\nok")
	})
	const page = "http://localhost:3000"
	rig := proxytest.Start(t, o.Addr, func(c *proxy.Config) { c.AllowOrigins = []string{page} })
	ask := func(method string, fields ...string) *http.Response {
		req, _ := http.NewRequest(method, rig.URL+"/x", nil)
		for i := 0; i < len(fields); i += 2 {
			req.Header.Set(fields[i], fields[i+1])
		}
		res, err := client(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	pre := ask("OPTIONS", "Origin", page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
	if pre.StatusCode != 204 || pre.Header.Get("Access-Control-Allow-Origin") != page || pre.Header.Get("Access-Control-Allow-Headers") != "authorization" || o.Requests.Load() != 0 {
		t.Errorf("preflight: %d %v, %d sent", pre.StatusCode, pre.Header, o.Requests.Load())
	}
	got := ask("GET", "Origin", page)
	if v := got.Header.Values("Access-Control-Allow-Origin"); len(v) != 1 || v[0] != page {
		t.Errorf("the page's answer: %v", v)
	}
	if plain := ask("GET"); len(plain.Header.Values("Access-Control-Expose-Headers")) != 0 {
		t.Errorf("an answer to nobody's page has CORS fields: %v", plain.Header)
	}
}

// A client hangs up behind the request it has pipelined: that one is not sent, or
// cut at once.
func TestPipelinedRequestOfAClientThatIsGoneIsCut(t *testing.T) {
	gone := make(chan bool, 2)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		req, _ := c.Request()
		if strings.Contains(req, "/first") {
			timer := time.NewTimer(60 * time.Millisecond) // the watch sees the FIN meanwhile
			<-timer.C
			c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
			return
		}
		c.Gone()
		gone <- true
	})
	rig := proxytest.Start(t, o.Addr, nil)
	c := dial(t, rig.Addr)
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: " + rig.Addr + "\r\n\r\n" }
	_, _ = io.WriteString(c, get("/first")+get("/second"))
	c.Close()
	f := rig.Ledger.Wait(t, func(f exchange.Fact) bool {
		e, ok := f.(exchange.Finished)
		return ok && e.Outcome == exchange.OutcomeClientGone && e.ID == 2
	})
	if f.Of().ID != 2 {
		t.Errorf("%+v", f)
	}
}

func TestClientThatStopsReadingIsCutAtItsBudgetByName(t *testing.T) {
	for _, c := range []struct {
		fast bool
		want string
	}{{true, "client write budget: the client stopped reading"}, {false, "absolute client budget"}} {
		o := proxytest.Raw(t, func(c *proxytest.Conn) {
			c.Request()
			c.Say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			piece := strings.Repeat("data: water\n\n", 1000)
			for {
				if _, err := io.WriteString(c, piece); err != nil {
					return
				}
			}
		})
		rig := proxytest.Start(t, o.Addr, func(cfg *proxy.Config) {
			cfg.FastPath = c.fast
			cfg.Routes[0].Stream.ClientIdleTimeout, cfg.Routes[0].Stream.ClientLimit = 300*time.Millisecond, 300*time.Millisecond
		})
		raw := dial(t, rig.Addr)
		fmt.Fprintf(raw, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", chat, rig.Addr, len(streamBody), streamBody)
		f := rig.Ledger.Finished(t, 1)
		if f.Outcome != exchange.OutcomeIncomplete || f.Cause != c.want {
			t.Errorf("fast path %v: %s, %q", c.fast, f.Outcome, f.Cause)
		}
		raw.Close()
	}
}

func TestErrorsBeforeARouteSpeakTheDialectOfThePath(t *testing.T) {
	rig := proxytest.Start(t, "127.0.0.1:1", func(c *proxy.Config) { c.MaxRequestBytes = 1 << 10 })
	res := post(t, rig.URL+"/v1/messages", strings.Repeat("x", 2<<10))
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 413 || !strings.Contains(strings.ReplaceAll(string(body), " ", ""), `"type":"error"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
