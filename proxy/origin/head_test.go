package origin

import (
	"errors"
	"strings"
	"testing"
)

// Pins the buffers that grow to 64 and to 256 KiB, and their bound.
func TestLargeHeadsPassUpToTheirBound(t *testing.T) {
	for _, size := range []int{100, 3900, 4096, 5 << 10, 60 << 10, 70 << 10, 250 << 10, 300 << 10} {
		value := strings.Repeat("v", 1000)
		var head strings.Builder
		head.WriteString("HTTP/1.1 200 OK\r\n")
		lines := 0
		for ; head.Len() < size; lines++ {
			head.WriteString("X-Pad: " + value[:min(1000, size-head.Len())] + "\r\n")
		}
		head.WriteString("Content-Length: 2\r\n\r\nok")
		o := startRaw(t, answerAll(head.String()))
		p := poolOf(t, o)
		for range 2 {
			a := fetch(p, request("GET", "/", ""))
			if size > maxHead {
				if e := failure(t, a.err); !errors.Is(e, ErrBadHead) || !strings.Contains(e.Error(), "256 KiB") {
					t.Errorf("%d bytes: %v", size, a.err)
				}
				continue
			}
			if a.err != nil || a.body != "ok" || len(a.head.Header) != lines {
				t.Errorf("%d bytes: %d fields, body %q, %v", size, len(a.head.Header), a.body, a.err)
			}
		}
		if want := int64(1); size <= maxHead && o.accepted.Load() != want {
			t.Errorf("%d bytes: %d connections, want %d", size, o.accepted.Load(), want)
		}
	}
}

// Pins what happens with 1xx, and with a 101 that nobody asked for.
func TestInterimResponsesAreDroppedAndAnUpgradeIsRefused(t *testing.T) {
	interim := "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	for head, want := range map[string]string{
		"HTTP/1.1 100 Continue\r\n\r\n" + interim + ok2:                                               "ok",
		strings.Repeat(interim, maxInterim) + ok2:                                                     "ok",
		strings.Repeat(interim, maxInterim+1) + ok2:                                                   "interim responses without end",
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" + ok2: "switched protocols",
	} {
		o := startRaw(t, answerAll(head))
		p := poolOf(t, o)
		a := fetch(p, request("GET", "/", ""))
		if want == "ok" {
			if a.err != nil || a.body != "ok" || a.head.Header.Has("Link") {
				t.Errorf("got %+v", a)
			}
			continue
		}
		if !errors.Is(a.err, ErrBadHead) || !strings.Contains(a.err.Error(), want) {
			t.Errorf("got %v, want %q", a.err, want)
		}
		if open, _ := p.Stats(); open != 0 {
			t.Error("the connection was kept")
		}
	}
}

// Pins that the field lines are read by us: fasthttp replaces Date, sorts known
// fields to the front and joins others.
func TestTheHeadOfAnAnswerIsUntouched(t *testing.T) {
	o := startRaw(t, answerAll("HTTP/1.1 299 Quite  Fine\r\n"+
		"date: Tue, 15 Nov 1994 08:12:31 GMT\r\nX-b: 1\r\nset-cookie: a=1\r\nx-B: 2\r\nSet-Cookie: b=2\r\n"+
		"SERVER: \r\ncontent-TYPE: text/odd\r\nX-Spaced : \t v v \t\r\nX-Latin: \xe9\r\nContent-Length: 2\r\n\r\nok"))
	a := mustFetch(t, poolOf(t, o), request("GET", "/", ""))
	want := "date: Tue, 15 Nov 1994 08:12:31 GMT\nX-b: 1\nset-cookie: a=1\nx-B: 2\nSet-Cookie: b=2\n" +
		"SERVER: \ncontent-TYPE: text/odd\nX-Spaced: v v\nX-Latin: \xe9\n"
	if got := names(a.head.Header); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if a.head.Status != 299 || a.head.Reason != "Quite  Fine" || a.head.Length != 2 {
		t.Errorf("got %d %q, length %d", a.head.Status, a.head.Reason, a.head.Length)
	}
}
