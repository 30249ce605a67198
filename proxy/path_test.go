package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

func TestOneRequestGoesTheWholeWay(t *testing.T) {
	date := time.Now().Add(-3 * time.Second).UTC().Format(http.TimeFormat)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		for {
			req, ok := c.Request()
			if !ok {
				return
			}
			if !strings.HasPrefix(req, "GET /a?b=c HTTP/1.1\r\n") {
				t.Errorf("the origin got %q", req)
			}
			c.Say("HTTP/1.1 200 OK\r\nDate: " + date + "\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nX-One: 1\r\nCache-Control: max-age=60\r\n\r\nhello")
		}
	})
	rig := proxytest.Start(t, o.Addr, nil)
	for i, want := range []string{"MISS", "HIT"} {
		res, err := http.Get(rig.URL + "/a?b=c")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(body) != "hello" || res.Header.Get("X-Cache") != want || res.Header.Get("Date") != date {
			t.Fatalf("%d: %q %v", i, body, res.Header)
		}
	}
	f := rig.Ledger.Finished(t, 1)
	if f.Outcome != exchange.OutcomeCompleted || f.BytesOut != 5 {
		t.Fatalf("%+v", f)
	}
	// The client's side and the fetch's are two goroutines: each is in order.
	proxytest.Of[exchange.Landed](t, rig.Ledger)
	var client, fetch []string
	for name := range strings.FieldsSeq(rig.Ledger.Names(f.ID)) {
		if strings.Contains("Received Decided Answered Finished", name) {
			client = append(client, name)
		} else {
			fetch = append(fetch, name)
		}
	}
	if got := strings.Join(client, " "); got != "Received Decided Answered Finished" {
		t.Errorf("the client's side: %s", got)
	}
	if got := strings.Join(fetch, " "); got != "Admitted Sent Headed Stored Landed" {
		t.Errorf("the fetch's side: %s", got)
	}
	s, ok := rig.Ledger.Wait(t, func(f exchange.Fact) bool { _, ok := f.(exchange.Served); return ok }).(exchange.Served)
	if !ok || s.Verdict.XCache != exchange.HIT || s.BytesOut != 5 {
		t.Fatalf("%+v", s)
	}
	http.DefaultClient.CloseIdleConnections()
}
