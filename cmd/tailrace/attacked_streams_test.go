package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"tailrace/proxy/proxytest"
)

// A refusal that is a stream flows: its head and first event are with the client
// while the origin still writes.
func TestARefusalThatStreamsFlows(t *testing.T) {
	open := make(chan bool)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say("HTTP/1.1 400 No\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + contentEvent("a"))
		select {
		case <-open:
		case <-t.Context().Done():
		}
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.proxy+"/v1/chat/completions", strings.NewReader(say("x", true)))
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buf := make([]byte, 4)
	if _, err := res.Body.Read(buf); err != nil || res.StatusCode != 400 {
		t.Errorf("%d %v", res.StatusCode, err)
	}
	open <- true
}

// Leader and riders of a failed call say the same of it.
func TestRidersOfAFailedCallSayHowOftenItWasTried(t *testing.T) {
	open := make(chan struct{})
	origin := gated(t, open, okJSON, `{"error":"none"}`)
	s, _ := stands(t, "http://"+origin.Addr, nil)
	var replies []<-chan *reply
	for range 3 {
		replies = append(replies, s.eventually(t.Context(), say("equal", false)))
	}
	until(t, "all of them to wait", func() bool { return aboard(s) == 3 })
	close(open)
	for _, c := range replies {
		if r := <-c; r.status != 502 || !r.is("X-Journal-Attempts", "1") {
			t.Errorf("%d %v", r.status, r.header)
		}
	}
}

// no-cache asks for an answer of its own, also where one is owed.
func TestNoCacheIsSentAlsoWhereAResultIsOwed(t *testing.T) {
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		if c.N == 1 {
			c.Reset()
			return
		}
		c.Say(okStream + contentEvent("a") + "data: [DONE]\n\n")
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	body := say("owed", true)
	s.send(t.Context(), body)
	s.operator("POST", "/v1/journal/1/retry", `{"confirm":true}`, nil)
	s.comes("1", "accepted")
	if r := s.send(t.Context(), body, "Cache-Control", "no-cache"); !r.is("X-Cache-Source", "origin") {
		t.Errorf("with no-cache: %v", r.header)
	}
	if n := origin.Requests.Load(); n != 3 {
		t.Errorf("%d sends, want 3", n)
	}
}

// What has gone out of a stream so far is told while it runs.
func TestALiveStreamTellsItsBytes(t *testing.T) {
	open := make(chan bool)
	origin := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		c.Say(okStream + contentEvent("a"))
		select {
		case <-open:
		case <-t.Context().Done():
		}
	})
	s, _ := stands(t, "http://"+origin.Addr, nil)
	ctx, leave := context.WithCancel(t.Context())
	got := s.eventually(ctx, say("bytes", true))
	until(t, "bytes to be told", func() bool {
		var v struct {
			Phase string
			Bytes int64 `json:"bytes_out"`
		}
		s.operator("GET", "/v1/exchanges/1", "", &v)
		return v.Phase == "streaming" && v.Bytes == int64(len(contentEvent("a")))
	})
	leave()
	<-got
	close(open)
}
