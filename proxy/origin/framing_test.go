package origin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

// Each answer is sent and then the connection is closed, so that what needs an
// end has one. again says whether the connection is kept when it is not closed.
func TestABodyEndsWhereItsFramingSays(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, method, answer string
		body                 string
		length               int64
		err                  error
		again                bool
	}{
		{"length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", 5, nil, true},
		{"length 0", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", 0, nil, true},
		{"length, closing", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\nok", "ok", 2, nil, false},
		{"chunked", "GET", chunked + "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\n", "hello world", -1, nil, true},
		{"chunked, trailer", "GET", chunked + "2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n", "ok", -1, nil, true},
		{"until close", "GET", "HTTP/1.1 200 OK\r\n\r\nhello", "hello", -1, nil, false},
		{"HTTP/1.0 until close", "GET", "HTTP/1.0 200 OK\r\n\r\nhello", "hello", -1, nil, false},
		{"HTTP/1.0 with length", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", 2, nil, false},
		{"HTTP/1.0 keep-alive", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", "ok", 2, nil, true},
		{"HEAD with length", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "", 5000, nil, true},
		{"HEAD chunked", "HEAD", chunked, "", -1, nil, true},
		{"HEAD without framing", "HEAD", "HTTP/1.1 200 OK\r\n\r\n", "", -1, nil, true},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", "", 0, nil, true},
		{"204 that claims a body", "GET", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", "", 0, nil, true},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\nEtag: \"a\"\r\n\r\n", "", 0, nil, true},
		{"304 chunked", "GET", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "", 0, nil, true},
		{"no reason", "GET", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "ok", 2, nil, true},
		// RFC 9112, section 6.1: chunked counts, and the connection ends.
		{"length and chunked", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok", -1, nil, false},
		{"chunked and length", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok", -1, nil, false},

		{"cut length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "hell", 5, ErrTruncated, false},
		{"cut length, no byte", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "", 5, ErrTruncated, false},
		{"cut in a chunk", "GET", chunked + "5\r\nhell", "hell", -1, ErrTruncated, false},
		{"cut after a chunk's bytes", "GET", chunked + "5\r\nhello", "hello", -1, ErrTruncated, false},
		{"cut between chunks", "GET", chunked + "5\r\nhello\r\n", "hello", -1, ErrTruncated, false},
		{"cut in a size", "GET", chunked + "5\r\nhello\r\n1", "hello", -1, ErrTruncated, false},
		{"cut in the last chunk", "GET", chunked + "5\r\nhello\r\n0\r\n", "hello", -1, ErrTruncated, false},
		{"cut in a trailer", "GET", chunked + "5\r\nhello\r\n0\r\nX-Su", "hello", -1, ErrTruncated, false},
		{"no size", "GET", chunked + "hello\r\n", "", -1, ErrTruncated, false},
		{"chunk longer than said", "GET", chunked + "2\r\nhello\r\n0\r\n\r\n", "he", -1, ErrTruncated, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := startRaw(t, func(rc *rawConn) {
				for {
					if _, _, ok := rc.next(); !ok {
						return
					}
					rc.say(c.answer)
					if !c.again {
						return
					}
				}
			})
			p := poolOf(t, o)
			a := fetch(p, request(c.method, "/", ""))
			if a.body != c.body || a.head.Length != c.length || !errors.Is(a.err, c.err) {
				t.Errorf("got %q, length %d, %v", a.body, a.head.Length, a.err)
			}
			if c.err != nil {
				if e := failure(t, a.err); e.Phase != PhaseBody || !e.Got || !e.Wrote {
					t.Errorf("got %+v", *e)
				}
			}
			if open, idle := p.Stats(); (open == 1) != c.again || idle != open {
				t.Errorf("open %d, idle %d, want it kept: %v", open, idle, c.again)
			}
			if c.again {
				if a := mustFetch(t, p, request(c.method, "/", "")); a.body != c.body || !a.reused {
					t.Errorf("the second time: %+v", a)
				}
			}
		})
	}
}

// Pins that a connection that was reset is no end of a body, not even of one
// that only the end delimits.
func TestAResetIsNoEnd(t *testing.T) {
	for _, head := range []string{"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"} {
		read := make(chan struct{})
		o := startRaw(t, func(c *rawConn) {
			c.next()
			c.say(head + "hello")
			<-read // a reset overtakes what is not read
			_ = c.Conn.(*net.TCPConn).SetLinger(0)
		})
		c, err := poolOf(t, o).Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := c.Send(request("GET", "/", ""), patient)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 5)
		if err := readFull(body, b); err != nil {
			t.Error(err)
		}
		close(read)
		if _, err := body.Read(b); !errors.Is(err, ErrTruncated) {
			t.Errorf("got %v", err)
		}
		c.Close()
	}
}

// Pins that Read does not wait for more than has come, not even for the rest of
// a chunk (only its last byte comes with the line end after it).
func TestEachPieceIsReadAsItComes(t *testing.T) {
	for _, head := range []string{"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n"} {
		next := make(chan struct{})
		o := startRaw(t, func(c *rawConn) {
			c.next()
			c.say(head)
			for range 3 {
				<-next
				c.say("hello")
			}
			c.ended()
		})
		c, err := poolOf(t, o).Get(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := c.Send(request("GET", "/", ""), patient)
		if err != nil {
			t.Fatal(err) // the head came before the body
		}
		b := make([]byte, 32<<10)
		for range 3 {
			next <- struct{}{}
			if n, err := body.Read(b); n < 1 || !strings.HasPrefix("hello", string(b[:n])) || err != nil && err != io.EOF {
				t.Fatalf("%q: got %q, %v", head, b[:n], err)
			} else if n < 5 {
				if err := readFull(body, b[:5-n]); err != nil {
					t.Fatal(err)
				}
			}
		}
		c.Close()
	}
}

func TestFieldsAboutTheConnectionAreRemovedFromAnAnswer(t *testing.T) {
	o := startRaw(t, answerAll("HTTP/1.1 200 OK\r\nConnection: Keep-Alive, X-Hop\r\nconnection: x-two\r\nKeep-Alive: timeout=5\r\n"+
		"X-Hop: 1\r\nX-Kept: 1\r\nx-TWO: 2\r\nProxy-Authenticate: Basic\r\nProxy-Connection: close\r\nTE: a\r\nTrailer: X-Sum\r\n"+
		"Upgrade: h2c\r\ntransfer-encoding: Chunked\r\nX-Last: 2\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"))
	a := mustFetch(t, poolOf(t, o), request("GET", "/", ""))
	if got := names(a.head.Header); got != "X-Kept: 1\nX-Last: 2\n" || a.body != "ok" {
		t.Errorf("got\n%s%q", got, a.body)
	}
}

// Pins that what is no HTTP is said at its first wrong byte: the origin goes on
// holding the connection open.
func TestAHeadThatIsNotHTTPIsRefusedAtOnce(t *testing.T) {
	for answer, want := range map[string]string{
		"SSH-2.0-OpenSSH_9.9\r\n":                                                       "speaks no HTTP/1.1",
		"220 mail ESMTP\r\n":                                                            "speaks no HTTP/1.1",
		"\x15\x03\x01\x00\x02\x02\x16":                                                  "use https://",
		"HTTP/2.0 200 OK\r\n\r\n":                                                       "speaks no HTTP/1.1",
		"PRI * HTTP/2.0\r\n\r\n":                                                        "speaks no HTTP/1.1",
		"\r\nHTTP/1.1 200 OK\r\n\r\n":                                                   "speaks no HTTP/1.1",
		"HTTP/1.1 200 OK\nContent-Length: 2\n\nok":                                      "without CR",
		"HTTP/1.1 20 OK\r\n\r\n":                                                        "status line",
		"HTTP/1.1 2000 OK\r\n\r\n":                                                      "status line",
		"HTTP/1.1  200 OK\r\n\r\n":                                                      "status line",
		"HTTP/1.1 099 Low\r\n\r\n":                                                      "out of range",
		"HTTP/1.1 600 High\r\n\r\n":                                                     "out of range",
		"HTTP/1.1 200 \x1b[31m\r\n\r\n":                                                 "status line",
		"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n":                                           "a field of its head",
		"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n":                                             "a field of its head",
		"HTTP/1.1 200 OK\r\n: c\r\n\r\n":                                                "a field of its head",
		"HTTP/1.1 200 OK\r\nA: b\x00c\r\n\r\n":                                          "a field of its head",
		"HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n":                                            "a field of its head",
		"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n":                                    "a field of its head",
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":                                  "framing",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n":                                 "framing",
		"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n":                                 "framing",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n":             "framing",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n":                   "framing",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: a\r\n\r\n": "framing",
	} {
		o := startRaw(t, func(c *rawConn) {
			c.next()
			c.say(answer)
			c.ended()
		})
		p := poolOf(t, o)
		e := failure(t, fetch(p, request("GET", "/", "")).err)
		if !errors.Is(e, ErrBadHead) || e.Phase != PhaseHead || !e.Got || !strings.Contains(e.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, e, want)
		}
		if open, _ := p.Stats(); open != 0 {
			t.Errorf("%q: the connection was kept", answer)
		}
	}
}

func TestAHeadThatBreaksOffIsTruncated(t *testing.T) {
	for answer, want := range map[string]string{
		"":                              "without an answer",
		"HTT":                           "in the middle of its response head",
		"HTTP/1.1 200 OK\r\nX: y\r\n":   "in the middle of its response head",
		"HTTP/1.1 100 Continue\r\n\r\n": "in the middle of its response head",
	} {
		o := startRaw(t, func(c *rawConn) {
			c.next()
			c.say(answer)
		})
		e := failure(t, fetch(poolOf(t, o), request("GET", "/", "")).err)
		if !errors.Is(e, ErrTruncated) || e.Phase != PhaseHead || e.Got != (answer != "") || !strings.Contains(e.Error(), want) {
			t.Errorf("%q: %+v, want %q", answer, *e, want)
		}
	}
}

// FuzzAnswer: whatever an origin writes, the answer ends or fails, and its
// fields are such as may be sent on.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		ok2, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "HTTP/1.0 304 A\r\n\r\nx",
		"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nA : b\r\nConnection: a\r\n\r\nrest",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		w := &wire{Conn: canned{Reader: bytes.NewReader(answer)}}
		c := &Conn{ctx: context.Background(), t: &target{addr: "fuzz:1"}, l: newLink(w, w), req: &upload{done: make(chan struct{})}}
		close(c.req.done)
		p, err := c.readHead()
		if err != nil {
			if e := c.failed(PhaseHead, err).Error(); bytes.ContainsFunc([]byte(e), func(r rune) bool { return r < ' ' }) {
				t.Errorf("an error with the origin's bytes: %q", e)
			}
			return
		}
		for _, h := range p.Header {
			if !token(h.Name) || !fieldValue(h.Value) || hop(h.Name) {
				t.Errorf("field %q: %q", h.Name, h.Value)
			}
		}
		var again bytes.Buffer
		again.WriteString("HTTP/1.1 200 OK\r\n" + strings.ReplaceAll(names(p.Header), "\n", "\r\n") + "\r\n")
		if q, err := parseHead(again.Bytes()); err != nil || len(endToEnd(q.Header)) != len(p.Header) {
			t.Errorf("what was read cannot be read again: %v", err)
		}
		b := newBody(c, p, false)
		n, err := io.Copy(io.Discard, bufio.NewReader(b))
		if err == nil && p.Length >= 0 && n != p.Length {
			t.Errorf("%d bytes of %d passed for a whole body", n, p.Length)
		}
		b.release()
	})
}

// canned is a connection that has said all it will.
type canned struct {
	net.Conn
	io.Reader
}

func (c canned) Read(p []byte) (int, error) { return c.Reader.Read(p) }
func (canned) Close() error                 { return nil }

var _ io.ReadCloser = (*body)(nil)

func TestNamesThatConnectionListsAreOnlyWholeOnes(t *testing.T) {
	h := exchange.Header{{Name: "Connection", Value: " a ,b,, \tC"}, {Name: "A", Value: "1"}, {Name: "ab", Value: "2"}, {Name: "c", Value: "3"}}
	if got := names(endToEnd(h)); got != "ab: 2\n" {
		t.Errorf("got %q", got)
	}
	if h := (exchange.Header{{Name: "A", Value: "1"}}); &endToEnd(h)[0] != &h[0] {
		t.Error("a header without any is copied")
	}
}
