package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tailrace/cmd/internal/config"
	"tailrace/proxy/fakellm"
)

func TestMain(m *testing.M) {
	fleeting = func(string) string { return "" }                  // whatever these tests run on
	if args, child := os.LookupEnv("TAILRACE_TEST_ARGS"); child { // this binary is the program, in a process of its own
		os.Exit(run(strings.Split(args, "\n"), os.Stdin, os.Stdout, os.Stderr))
	}
	// fasthttp's cleaner of idle workers sleeps on for up to ten seconds.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// output is a stream that a test may read while the program writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// running is a program on free ports.
type running struct {
	*Main
	*testing.T
	out, errs *output
	client    *http.Client
}

// begin runs the program in front of an upstream with a journal in dir.
func begin(t *testing.T, upstream, dir string, change ...func(*Main)) *running {
	t.Helper()
	c, err := config.Single(upstream, config.BillingOwn)
	if err != nil {
		t.Fatal(err)
	}
	c.Listen.HTTP, c.Listen.Admin = "127.0.0.1:0", "127.0.0.1:0"
	r := &running{T: t, out: &output{}, errs: &output{}, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	r.Main = &Main{Config: c, State: dir, Headless: true, Stdout: r.out, Stderr: r.errs, Version: "test"}
	for _, f := range change {
		f(r.Main)
	}
	if err := r.Main.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// end closes the program, and is fine with nothing else.
func (r *running) end() {
	r.Helper()
	if err := r.Close(); err != nil {
		r.Errorf("closing: %v", err)
	}
}

// origin is a fake provider for one test.
func origin(t *testing.T) (*fakellm.Origin, string) {
	t.Helper()
	o, addr, err := fakellm.Start(fakellm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o, "http://" + addr
}

const chat = `{"model":"gpt-test","messages":[{"role":"user","content":"hello"}]}`

// ask sends a chat completion and returns the answer, read to its end.
func (r *running) ask(body, behaviour string) (*http.Response, string) {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, r.ProxyURL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-test-0123456789abcdef")
	if behaviour != "" {
		req.Header.Set("X-Fakellm", behaviour)
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.Fatalf("%v after %q", err, b)
	}
	return res, string(b)
}

// admin asks the admin port with the token and reads the JSON into v.
func (r *running) api(method, path, body string, v any) int {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), method, r.AdminURL+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	token, err := r.state.token()
	if err != nil {
		r.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := r.client.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	return res.StatusCode
}

// until waits for something that other goroutines bring about.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
