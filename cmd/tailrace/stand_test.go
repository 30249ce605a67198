package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tailrace/proxy"
)

// stand looks at a running program from outside, whichever process it is in: as
// an application through the proxy, as an operator through the admin port.
type stand struct {
	*testing.T
	proxy, admin, token string
	client              *http.Client
}

// stands runs the program in front of an upstream; change may change every
// route, and the pool, first. It is closed at the end of the test.
func stands(t *testing.T, upstream string, change func(*proxy.Route, *proxy.Pool)) (*stand, *running) {
	t.Helper()
	r := begin(t, upstream, t.TempDir(), func(m *Main) {
		for i := range m.Config.Routes {
			if change != nil {
				change(&m.Config.Routes[i], &m.Config.Pools[0])
			}
		}
		m.Config.DrainTimeout = 0
	})
	t.Cleanup(r.end)
	token, err := r.state.token()
	if err != nil {
		t.Fatal(err)
	}
	return newStand(t, r.ProxyURL, r.AdminURL, token), r
}

func newStand(t *testing.T, proxy, admin, token string) *stand {
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	return &stand{T: t, proxy: proxy, admin: admin, token: token, client: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
}

// reply is what a client has seen. err is how the transfer broke.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (r *reply) is(name, want string) bool { return r.header.Get(name) == want }

// say makes a chat completion of a prompt, streamed or not.
func say(prompt string, stream bool) string {
	more := ""
	if stream {
		more = `,"stream":true`
	}
	return `{"model":"gpt-test","messages":[{"role":"user","content":"` + prompt + `"}]` + more + `}`
}

// send posts a chat completion and reads the answer to its end. It may be
// called from any goroutine. fields are names and values of header fields.
func (s *stand) send(ctx context.Context, body string, fields ...string) *reply {
	return s.do(ctx, http.MethodPost, s.proxy+"/v1/chat/completions", body, fields...)
}

func (s *stand) do(ctx context.Context, method, url, body string, fields ...string) *reply {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return &reply{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		return &reply{err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return &reply{res.StatusCode, res.Header, string(b), err}
}

// eventually sends in a goroutine of its own.
func (s *stand) eventually(ctx context.Context, body string, fields ...string) <-chan *reply {
	c := make(chan *reply, 1)
	go func() { c <- s.send(ctx, body, fields...) }()
	return c
}

// operator asks the admin port, and reads JSON into v unless that is nil.
func (s *stand) operator(method, path, body string, v any) *reply {
	s.Helper()
	r := s.do(s.Context(), method, s.admin+path, body, "Authorization", "Bearer "+s.token)
	if r.err != nil {
		s.Fatal(r.err)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(r.body), v); err != nil {
			s.Fatalf("%s %s: %v in %q", method, path, err, r.body)
		}
	}
	return r
}

type eventView struct {
	Event  string          `json:"event"`
	Detail json.RawMessage `json:"detail"`
}

type rowView struct {
	ID          string      `json:"id"`
	State       string      `json:"state"`
	Last        string      `json:"last_event"`
	Attempts    int         `json:"attempts"`
	Accepted    bool        `json:"accepted"`
	Risk        int         `json:"risk"`
	Events      []eventView `json:"events"`
	AttemptList []struct {
		N      int     `json:"n"`
		Status int     `json:"status"`
		Raw    *string `json:"raw"`
	} `json:"attempt_list"`
	Result *struct {
		Body *string `json:"body"`
	} `json:"result"`
}

// row reads one row of the journal.
func (s *stand) row(id string) *rowView {
	s.Helper()
	v := &rowView{}
	s.operator("GET", "/v1/journal/"+id, "", v)
	return v
}

// rows are the journal's, newest first.
func (s *stand) rows() []rowView {
	s.Helper()
	var v struct{ Requests []rowView }
	s.operator("GET", "/v1/journal", "", &v)
	return v.Requests
}

// comes waits until a row is in a state, and returns it.
func (s *stand) comes(id, state string) *rowView {
	s.Helper()
	v := &rowView{}
	late := time.Now().Add(10 * time.Second)
	for v = s.row(id); v.State != state && time.Now().Before(late); v = s.row(id) {
		<-time.After(2 * time.Millisecond)
	}
	if v.State != state {
		s.Fatalf("row %s is %s, want %s; its events are %s", id, v.State, state, v.trail())
	}
	return v
}

// trail is what happened to a row: its events, with their members.
func (v *rowView) trail() string {
	var out []string
	for _, e := range v.Events {
		line := e.Event
		if !bytes.Equal(e.Detail, []byte("null")) {
			line += string(e.Detail)
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// names are those of the events alone.
func (v *rowView) names() string {
	var out []string
	for _, e := range v.Events {
		out = append(out, e.Event)
	}
	return strings.Join(out, " ")
}

// check compares two texts that a test is about.
func check(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
