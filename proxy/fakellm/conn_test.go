package fakellm

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every way to wait, and every way to leave: the origin must notice at once.
func TestAClientThatLeavesIsNoticedInEveryPhase(t *testing.T) {
	leave := map[string]func(*net.TCPConn){
		"fin":       func(c *net.TCPConn) { c.Close() },
		"rst":       func(c *net.TCPConn) { c.SetLinger(0); c.Close() },
		"half":      func(c *net.TCPConn) { c.CloseWrite() },
		"pipelined": func(c *net.TCPConn) { io.WriteString(c, raw("/v1/messages", "", "{}")); c.CloseWrite() },
	}
	s := start(t, Config{})
	for how, leave := range leave {
		for _, fault := range []string{"silent", "head=1h", "ttft=1h", "stall=1", "pace=1h", "silent,heartbeat=1h", "stall=0"} {
			before := s.o.Stats().Aborted
			c := s.dial(raw("/v1/messages", fault, `{"stream":true}`))
			s.until("open", func(st Stats) bool { return st.Open == 1 })
			begin := time.Now()
			leave(c)
			s.until(how+" "+fault, func(st Stats) bool { return st.Aborted == before+1 && st.Open == 0 })
			if took := time.Since(begin); took > time.Second {
				t.Errorf("%s %s: noticed after %v", how, fault, took)
			}
		}
	}
}

func TestAClientThatDoesNotReadALargeAnswerAndLeaves(t *testing.T) {
	s := start(t, Config{})
	for _, body := range []string{`{"stream":true}`, `{}`} {
		before := s.o.Stats().Aborted
		c := s.dial(raw("/v1/messages", "size=64MiB", body))
		if _, err := c.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.until("aborted", func(st Stats) bool { return st.Aborted == before+1 && st.Open == 0 })
	}
}

func TestLeavingAtTheTerminalMarkerIsNotAborting(t *testing.T) {
	s := start(t, Config{})
	for range 50 {
		resp := s.must("POST", every["chat"][0], "tokens=2,pace=1ms", every["chat"][1])
		readUntil(t, resp.Body, "[DONE]")
		resp.Body.Close()
	}
	s.until("all over", func(st Stats) bool { return st.Open == 0 })
	if st := s.o.Stats(); st.Aborted != 0 {
		t.Errorf("%+v", st)
	}
}

func TestWhatTheWatchReadsAheadIsGivenBack(t *testing.T) {
	s := start(t, Config{})
	big := `{"prompt":"` + strings.Repeat("x", 200<<10) + `"}` // more than the watch takes
	c := s.dial(raw("/v1/completions", "pace=2ms,tokens=5", `{"prompt":"1"}`) + raw("/v1/completions", "pace=2ms,tokens=5", big) +
		raw("/v1/completions", "", `{"prompt":"3"}`))
	br := bufio.NewReader(c)
	for i := range 3 {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i+1, err)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || !json.Valid(b) || resp.StatusCode != 200 {
			t.Fatalf("answer %d: %s %v %s", i+1, resp.Status, err, b)
		}
	}
}

func TestAConnectionIsUsedAgainAfterAStream(t *testing.T) {
	s := start(t, Config{})
	var opened atomic.Int32
	s.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		opened.Add(1)
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
	for range 5 {
		s.text(every["chat"][0], "pace=1ms,tokens=3", every["chat"][1])
		s.text(plainly["chat"][0], "pace=1ms,tokens=3", plainly["chat"][1])
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections", opened.Load())
	}
}

func TestCloseEndsSilenceAndIsNoAbort(t *testing.T) {
	s := start(t, Config{})
	s.dial(raw("/v1/messages", "silent", "{}"))
	s.dial(raw("/v1/messages", "stall=1", `{"stream":true}`))
	s.dial("") // idle
	s.until("two open", func(st Stats) bool { return st.Open == 2 })
	if err := s.o.Close(); err != nil {
		t.Fatal(err)
	}
	if st := s.o.Stats(); st.Open != 0 || st.Aborted != 0 || st.Requests != 2 {
		t.Errorf("%+v", st)
	}
}

func TestServeReturnsNilAfterClose(t *testing.T) {
	o := New(Config{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- o.Serve(ln) }()
	resp, err := http.Get("http://" + ln.Addr().String() + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := o.Serve(ln); err != nil {
		t.Error("after Close:", err)
	}
}

func TestStatsOverHTTPAreThoseOfTheMethod(t *testing.T) {
	s := start(t, Config{})
	s.text("/v1/completions", "", "{}")
	s.text("/v1/completions?x=1", "", "{}")
	resp := s.must("GET", "/_fakellm/stats", "", "")
	var got Stats
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := Stats{Requests: 2, ByPath: map[string]int64{"/v1/completions": 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, s.o.Stats()); diff != "" {
		t.Error(diff)
	}
}

func TestPathsAreBounded(t *testing.T) {
	var l ledger
	for i := range 3 * maxPaths {
		l.begin(fmt.Sprint("/", i)).finish(false)
	}
	if st := l.stats(); len(st.ByPath) != maxPaths+1 || st.ByPath["other"] != 2*maxPaths || st.Requests != 3*maxPaths {
		t.Errorf("%d paths, %d other", len(st.ByPath), st.ByPath["other"])
	}
}

func TestLargeRequestsPass(t *testing.T) {
	s := start(t, Config{})
	header, body := strings.Repeat("h", 60<<10), bytes.Repeat([]byte("b"), 24<<20)
	resp := s.must("PUT", "/_fakellm/echo?a=%2f..", "", string(body), "X-Long", header)
	var got struct {
		Method, Target string
		Headers        [][2]string
		Sum            string `json:"body_sha256"`
		Length         int    `json:"body_length"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	if got.Method != "PUT" || got.Target != "/_fakellm/echo?a=%2f.." || got.Sum != hex.EncodeToString(sum[:]) || got.Length != len(body) {
		t.Errorf("%s %s %d", got.Method, got.Target, got.Length)
	}
	for _, h := range got.Headers {
		if h[0] == "X-Long" && h[1] == header {
			return
		}
	}
	t.Error("the long header is not echoed")
}

func TestEchoKeepsOrderAndSpelling(t *testing.T) {
	s := start(t, Config{})
	c := s.dial("GET /_fakellm/echo HTTP/1.1\r\nhost: x\r\nb-two: 1\r\nA-One: 2\r\nb-two:  3 \r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	got := string(doc(list{}))
	if raw, err := json.Marshal(at(t, string(b), "headers")); err == nil {
		got = string(raw)
	}
	if want := `[["host","x"],["b-two","1"],["A-One","2"],["b-two","3"]]`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestAPanicIsAnsweredAndEndsNothing(t *testing.T) {
	var calls atomic.Int32
	s := start(t, Config{Now: func() time.Time {
		if n := calls.Add(1); n == 1 || n == 3 || n == 4 {
			panic("clock")
		}
		return time.Unix(0, 0)
	}})
	if status, answer, _ := s.post("/v1/messages", "", "{}"); status != 500 || !strings.Contains(answer, "clock") {
		t.Errorf("%d %s", status, answer)
	}
	if _, err := s.send("POST", "/v1/messages", "", "{}"); err == nil { // even the error panics
		t.Error("answered")
	}
	if resp := s.must("GET", "/v1/models", "", ""); resp.Header.Get("Date") != "Thu, 01 Jan 1970 00:00:00 GMT" {
		t.Error(resp.Header)
	}
}

func TestManyAtOnce(t *testing.T) {
	s := start(t, Config{})
	var wg sync.WaitGroup
	faults := []string{"", "pace=1ms,tokens=5", "cut=3", "ttft=2ms,tokens=2", "close", "status=500", "gzip,tokens=3", "reset"}
	for i := range 8 {
		wg.Go(func() {
			for name, c := range every {
				resp, err := s.send("POST", c[0], faults[i], c[1])
				if err != nil {
					continue
				}
				if i%2 == 0 && name > "d" {
					resp.Body.Close() // leaves early
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
			}
		})
	}
	wg.Wait()
	s.until("all over", func(st Stats) bool { return st.Open == 0 && st.Requests >= 64 })
}

// pipes is a listener without a network, for fake time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestClocksAreThoseOfTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(Config{})
		ln := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		go o.Serve(ln)
		client, server := net.Pipe()
		ln.conns <- server
		begin := time.Now()
		go io.WriteString(client, raw("/v1/completions", "head=10m,ttft=20m,pace=30m,tokens=3", `{"stream":true}`))
		resp, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Since(begin); got != 10*time.Minute {
			t.Errorf("head after %v", got)
		}
		readUntil(t, resp.Body, "data:")
		if got := time.Since(begin); got != 30*time.Minute {
			t.Errorf("first token after %v", got)
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Error(err)
		}
		if got := time.Since(begin); got != 90*time.Minute {
			t.Errorf("end after %v", got)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkChat(b *testing.B) {
	for _, body := range []string{`{` + hello + `}`, `{"stream":true,` + hello + `}`} {
		b.Run(fmt.Sprint("stream=", strings.Contains(body, "stream")), func(b *testing.B) {
			s := start(b, Config{})
			b.ReportAllocs()
			for b.Loop() {
				resp, err := s.client.Post("http://"+s.addr+"/v1/chat/completions", "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}
