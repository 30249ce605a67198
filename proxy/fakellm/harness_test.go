package fakellm

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/proxy/sse"
)

// site is an origin under test and a client for it.
type site struct {
	t      testing.TB
	o      *Origin
	addr   string
	client *http.Client
}

// start serves an origin; after the test nothing of it may be left.
func start(t testing.TB, config Config) *site {
	t.Helper()
	before := goleak.IgnoreCurrent()
	o, addr, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		if open := o.Stats().Open; open != 0 {
			t.Errorf("%d requests are still open after Close", open)
		}
		goleak.VerifyNone(t, before)
	})
	return &site{t: t, o: o, addr: addr, client: &http.Client{Transport: transport}}
}

// send makes a request; the body of the answer is closed with the test.
func (s *site) send(method, target, fault, body string, headers ...string) (*http.Response, error) {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://"+s.addr+target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if fault != "" {
		req.Header.Set("X-Fakellm", fault)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.client.Do(req)
	if err == nil {
		s.t.Cleanup(func() { resp.Body.Close() })
	}
	return resp, err
}

// must sends and expects an answer.
func (s *site) must(method, target, fault, body string, headers ...string) *http.Response {
	s.t.Helper()
	resp, err := s.send(method, target, fault, body, headers...)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// post sends and reads the whole answer.
func (s *site) post(target, fault, body string) (status int, answer string, err error) {
	s.t.Helper()
	resp := s.must("POST", target, fault, body)
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// text is post for an answer that must be whole.
func (s *site) text(target, fault, body string) string {
	s.t.Helper()
	status, answer, err := s.post(target, fault, body)
	if err != nil || status != 200 {
		s.t.Fatalf("%s: status %d, %v", target, status, err)
	}
	return answer
}

// dial opens a raw connection and writes a request on it.
func (s *site) dial(request string) *net.TCPConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		s.t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// raw is a request as it goes over the wire.
func raw(target, fault, body string) string {
	return "POST " + target + " HTTP/1.1\r\nHost: x\r\nX-Fakellm: " + fault +
		"\r\nContent-Length: " + itoa(len(body)) + "\r\n\r\n" + body
}

func itoa(n int) string { return string(doc(n)) }

// until polls a condition that another goroutine brings about.
func (s *site) until(what string, ok func(Stats) bool) {
	s.t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok(s.o.Stats()) {
		if time.Now().After(deadline) {
			s.t.Fatalf("never came true: %s; stats %+v", what, s.o.Stats())
		}
		<-tick.C
	}
}

// events parses an event stream.
func events(stream string) (names, data []string) {
	sc := sse.NewEvents(64 << 20)
	yield := func(e sse.Event) {
		if e.Comment {
			names, data = append(names, ":"), append(data, string(e.Data))
			return
		}
		names, data = append(names, e.Name), append(data, string(e.Data))
	}
	sc.Feed([]byte(stream), yield)
	sc.End(yield)
	return names, data
}

// readUntil reads a body until it holds want.
func readUntil(t testing.TB, r io.Reader, want string) string {
	t.Helper()
	var got bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(got.String(), want) {
		n, err := r.Read(buf)
		got.Write(buf[:n])
		if err != nil && !strings.Contains(got.String(), want) {
			t.Fatalf("%v before %q came; got %q", err, want, got.String())
		}
	}
	return got.String()
}
