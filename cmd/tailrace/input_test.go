//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tailrace/proxy"
	"tailrace/proxy/proxytest"
)

// The second process says who is there, and the first goes on with what it was
// doing.
func TestASecondProcessOnTheSameStateHarmsNothing(t *testing.T) {
	t.Parallel()
	fake, url := origin(t)
	dir := t.TempDir()
	s, first := process(t, dir, url)
	waits := s.eventually(t.Context(), say("meanwhile", true), "X-Fakellm", "ttft=1s")
	until(t, "the stream", func() bool { return fake.Stats().Open == 1 })
	errs := &output{}
	second := child(t, "serve", url, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
	second.Stdout, second.Stderr = errs, errs
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exit(t, second); code != 1 || !oneSentence(errs.String()) || !strings.Contains(errs.String(), "(process ") || !strings.Contains(errs.String(), "--ephemeral") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	if got := <-waits; got.err != nil || !strings.HasSuffix(got.body, "data: [DONE]\n\n") {
		t.Errorf("the stream of the first process: %q %v", got.body, got.err)
	}
	s.comes("1", "accepted")
	leaves(t, first)
}

func oneSentence(s string) bool {
	return strings.HasPrefix(s, "tailrace: ") && strings.Count(s, "\n") == 1 && strings.HasSuffix(s, "\n")
}

// A file that is no journal is somebody's: it is left as it is.
func TestAFileThatIsNoJournalIsLeftAlone(t *testing.T) {
	t.Parallel()
	_, url := origin(t)
	for name, content := range map[string][]byte{
		"text":       []byte(strings.Repeat("this is no database. ", 500)),
		"cut":        append([]byte("SQLite format 3\x00"), make([]byte, 50)...),
		"from later": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, journalFile)
			if content == nil {
				s, c := process(t, dir, url)
				s.send(t.Context(), say("before", false))
				leaves(t, c)
				content = fromLater(t, file)
			}
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			errs := &output{}
			c := child(t, "serve", url, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", dir)
			c.Stdout, c.Stderr = errs, errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if code := exit(t, c); code != 1 || !oneSentence(errs.String()) || !strings.Contains(errs.String(), file) {
				t.Errorf("exit code %d, %q", code, errs)
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

// fromLater is a journal of which SQLite's user_version, at byte 60 of its
// header, says that a later program made it.
func fromLater(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[60], b[61] = 0x7f, 0xff
	return b
}

// An upstream that is not there, has no name, or is no HTTP server is one clear
// 502 in the words of the client's provider.
func TestAnUpstreamThatCannotAnswerIsOneClear502(t *testing.T) {
	other := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Say("SSH-2.0-OpenSSH_9.9\r\n")
		c.Gone()
	})
	unnamed := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nobody.invalid", IsNotFound: true}}
	}
	for name, c := range map[string]struct {
		addr string
		dial func(context.Context, string, string) (net.Conn, error)
		sent string
		why  string
	}{
		"refuses":         {nobody(t), nil, "no", "refused the connection"},
		"has no name":     {"nobody.invalid:80", unnamed, "no", "does not resolve"},
		"speaks no HTTP":  {other.Addr, nil, "yes", "speaks no HTTP"},
		"speaks no HTTPS": {other.Addr, nil, "no", "speaks no TLS"},
	} {
		rig := proxytest.Start(t, c.addr, func(cfg *proxy.Config) {
			cfg.Dial = c.dial
			if name == "speaks no HTTPS" {
				cfg.Pools[0].Targets = []string{"https://" + c.addr}
			}
		})
		s := newStand(t, rig.URL, "", "")
		for path, member := range map[string]string{completions: "code", "/v1/messages": "type", "/api/chat": "", "/v1beta/models/m:generateContent": "status"} {
			got := s.do(t.Context(), "POST", s.proxy+path, say("x", false))
			if got.status != 502 || !got.is("X-Tailrace-Sent", c.sent) || !strings.Contains(got.body, c.why) {
				t.Errorf("%s, %s: %d %v %s", name, path, got.status, got.header, got.body)
			}
			var v struct{ Error json.RawMessage }
			var members map[string]any
			err := json.Unmarshal([]byte(got.body), &v)
			if member != "" && err == nil {
				err = json.Unmarshal(v.Error, &members)
			}
			if _, ok := members[member]; err != nil || ok != (member != "") {
				t.Errorf("%s, %s: not in the provider's form: %s", name, path, got.body)
			}
		}
	}
}

// A prompt above the 4 MiB that fasthttp takes by default, and an answer that came
// compressed are journaled and pass byte for byte, also when they are replayed.
func TestALargePromptAndACompressedAnswerAreUntouched(t *testing.T) {
	t.Parallel()
	body := say(strings.Repeat("words and more words ", 1<<18), false)
	sums := make(chan [32]byte, 1)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		if text, ok := c.Request(); ok {
			_, sent, _ := strings.Cut(text, "\r\n\r\n")
			sums <- sha256.Sum256([]byte(sent))
			c.Gone()
		}
	})
	s, _ := stands(t, "http://"+o.Addr, nil)
	ctx, leave := context.WithCancel(t.Context())
	waits := s.eventually(ctx, body)
	if <-sums != sha256.Sum256([]byte(body)) {
		t.Errorf("the %d bytes of the prompt were changed", len(body))
	}
	leave()
	<-waits

	_, url := origin(t)
	s, _ = stands(t, url, nil)
	direct := s.do(t.Context(), "POST", url+completions, say("zip", false), "X-Fakellm", "gzip")
	for _, x := range []string{"MISS", "HIT"} {
		got := s.send(t.Context(), say("zip", false), "X-Fakellm", "gzip")
		if got.body != direct.body || !got.is("Content-Encoding", "gzip") || !got.is("X-Cache", x) {
			t.Errorf("%s: %v, %d bytes, direct %d", x, got.header, len(got.body), len(direct.body))
		}
	}
}
