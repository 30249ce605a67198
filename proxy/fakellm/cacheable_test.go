package fakellm

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestCacheable(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := start(t, Config{Now: func() time.Time { return now }})
	const target = "/_fakellm/cacheable?max-age=60&size=1KiB&etag=a&vary=Accept&set-cookie=k%3Dv&cc=public&no-store&status=203&type=text/css&last-modified=Fri%2C+02+Jan+2026+00:00:00+GMT"
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PURGE"} {
		resp := s.must(method, target, "", "")
		b, err := io.ReadAll(resp.Body)
		if err != nil || len(b) != 1024 || resp.ContentLength != 1024 || resp.StatusCode != 203 {
			t.Fatalf("%s: %s, %d bytes, %v", method, resp.Status, len(b), err)
		}
		for name, want := range map[string]string{
			"Cache-Control": "public, max-age=60, no-store", "ETag": `"a"`, "Vary": "Accept",
			"Set-Cookie": "k=v", "Content-Type": "text/css", "Date": "Fri, 02 Jan 2026 03:04:05 GMT", "Last-Modified": "Fri, 02 Jan 2026 00:00:00 GMT",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
	resp := s.must("HEAD", target, "", "")
	if resp.ContentLength != 1024 {
		t.Errorf("HEAD: length %d", resp.ContentLength)
	}
	for name, value := range map[string]string{"If-None-Match": `"b", W/"a"`, "If-Modified-Since": "Fri, 02 Jan 2026 00:00:00 GMT"} {
		resp := s.must("GET", target, "", "", name, value)
		if resp.StatusCode != 304 || resp.Header.Get("ETag") != `"a"` {
			t.Errorf("%s: %s %v", name, resp.Status, resp.Header)
		}
		if resp := s.must("POST", target, "", "", name, value); resp.StatusCode != 203 {
			t.Errorf("POST with %s: %s", name, resp.Status)
		}
	}
	if resp := s.must("GET", target, "", "", "If-None-Match", `"b"`); resp.StatusCode != 203 {
		t.Errorf("another tag: %s", resp.Status)
	}
}

func TestCacheableIsDeterministicAndDiffersByTarget(t *testing.T) {
	s := start(t, Config{})
	a, again, b := s.text("/_fakellm/cacheable?etag=a", "", ""), s.text("/_fakellm/cacheable?etag=a", "", "x"), s.text("/_fakellm/cacheable?etag=b", "", "")
	if a != again || a == b {
		t.Error("the body does not follow the target")
	}
	if got := s.text("/_fakellm/cacheable?size=20MiB", "", ""); len(got) != 20<<20 {
		t.Error(len(got))
	}
	if got := s.text("/_fakellm/cacheable?size=0", "", ""); got != "" {
		t.Error(got)
	}
}

func TestCacheableInPieces(t *testing.T) {
	s := start(t, Config{})
	for _, extra := range []string{"", "&chunked"} {
		begin := time.Now()
		resp := s.must("GET", "/_fakellm/cacheable?size=900&pace=10ms&pieces=4"+extra, "", "")
		if known := resp.ContentLength == 900; known != (extra == "") {
			t.Errorf("%s: length %d", extra, resp.ContentLength)
		}
		if b, err := io.ReadAll(resp.Body); len(b) != 900 || err != nil || time.Since(begin) < 30*time.Millisecond {
			t.Errorf("%s: %d bytes, %v, %v", extra, len(b), err, time.Since(begin))
		}
		resp = s.must("GET", "/_fakellm/cacheable?size=900&pace=1ms"+extra, "cut=8", "")
		if b, err := io.ReadAll(resp.Body); len(b) != 450 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut %s: %d bytes, %v", extra, len(b), err)
		}
		resp = s.must("GET", "/_fakellm/cacheable?size=900"+extra, "stall=8", "")
		if _, err := io.ReadFull(resp.Body, make([]byte, 450)); err != nil {
			t.Errorf("stall %s: %v", extra, err)
		}
		resp.Body.Close()
	}
}

func TestCacheableRefusesWhatItCannotRead(t *testing.T) {
	s := start(t, Config{})
	for _, query := range []string{"size=x", "pace=5", "status=9", "%zz"} {
		if status, _, _ := s.post("/_fakellm/cacheable?"+query, "", ""); status != 400 {
			t.Errorf("%s: %d", query, status)
		}
	}
	resp := s.must("GET", "/_fakellm/cacheable?etag=a%0d%0aX-Evil:1&vary=a%0d%0aX-Evil:1", "", "")
	if resp.Header.Get("X-Evil") != "" {
		t.Error("a parameter made a header of its own")
	}
}

func TestEventsNobodyAskedFor(t *testing.T) {
	s := start(t, Config{})
	names, data := events(s.text("/_fakellm/events?n=3&every=1ms", "", ""))
	if strings.Join(names, " ") != "tick tick tick" || data[2] != `{"n":3}` {
		t.Errorf("%q %q", names, data)
	}
	resp := s.must("GET", "/_fakellm/events?n=0&every=1ms", "", "")
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Error(got)
	}
	readUntil(t, resp.Body, `{"n":12}`)
	resp.Body.Close()
	s.until("left", func(st Stats) bool { return st.Aborted == 1 && st.Open == 0 })
	if status, _, _ := s.post("/_fakellm/events?every=soon", "", ""); status != 400 {
		t.Error(status)
	}
	if _, _, err := s.post("/_fakellm/events?n=5&every=1ms", "cut=2", ""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
