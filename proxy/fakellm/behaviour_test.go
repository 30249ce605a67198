package fakellm

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// contents counts the tokens of a chat stream and looks for its end.
func contents(t *testing.T, stream string) (tokens int, finished bool) {
	t.Helper()
	names, data := events(stream)
	for i, d := range data {
		switch {
		case names[i] == ":":
		case d == "[DONE]":
			finished = true
		case str(at(t, d, "choices", 0, "delta", "content")) != "":
			tokens++
		}
	}
	return tokens, finished
}

func TestCutBreaksTheTransfer(t *testing.T) {
	s := start(t, Config{})
	for _, fault := range []string{"cut=5", "cut=5,pace=1ms", "cut=0", "cut=99", "cut=2,gzip"} {
		for _, calls := range []map[string][2]string{every, plainly} {
			for name, c := range calls {
				if calls["embeddings"][0] != "" && strings.Contains(fault, "gzip") {
					continue
				}
				if _, answer, err := s.post(c[0], fault, c[1]); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s %s: %v after %d bytes", name, fault, err, len(answer))
				}
			}
		}
	}
	_, answer, _ := s.post(every["chat"][0], "cut=5", every["chat"][1])
	if n, finished := contents(t, answer); n != 5 || finished {
		t.Errorf("%d tokens, finished %v", n, finished)
	}
	_, answer, _ = s.post(every["chat"][0], "cut=0", every["chat"][1])
	if answer != "" {
		t.Errorf("cut=0 sent %q", answer)
	}
	if st := s.o.Stats(); st.Aborted != 0 || st.Open != 0 {
		t.Errorf("a cut of ours is no client that left: %+v", st)
	}
}

func TestCutWithResetIsATCPReset(t *testing.T) {
	s := start(t, Config{})
	if _, _, err := s.post(every["chat"][0], "cut=2,pace=20ms,reset", every["chat"][1]); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("got %v", err)
	}
}

func TestCloseAndResetGiveNoAnswer(t *testing.T) {
	s := start(t, Config{})
	for fault, want := range map[string]error{"close": io.EOF, "reset": syscall.ECONNRESET} {
		if _, err := s.send("POST", "/v1/messages", fault, "{}"); !errors.Is(err, want) {
			t.Errorf("%s: %v", fault, err)
		}
	}
	if st := s.o.Stats(); st.Requests != 2 || st.Aborted != 0 {
		t.Errorf("%+v", st)
	}
}

func TestEndIsCleanButWithoutMarker(t *testing.T) {
	s := start(t, Config{})
	markers := map[string]string{
		"chat": "[DONE]", "completions": "[DONE]", "responses": "response.completed",
		"anthropic": "message_stop", "gemini": "finishReason", "gemini-array": "finishReason", "ollama": `"done":true`, "generate": `"done":true`,
	}
	for name, c := range every {
		for _, fault := range []string{"end=5", "end=0", "end=99"} {
			if answer := s.text(c[0], fault, c[1]); strings.Contains(answer, markers[name]) {
				t.Errorf("%s %s: the marker came: %s", name, fault, answer)
			}
		}
		if answer := s.text(c[0], "", c[1]); !strings.Contains(answer, markers[name]) {
			t.Errorf("%s: no marker in a whole answer: %s", name, answer)
		}
	}
	if n, _ := contents(t, s.text(every["chat"][0], "end=5", every["chat"][1])); n != 5 {
		t.Errorf("%d tokens", n)
	}
	for name, c := range plainly {
		if answer := s.text(c[0], "end=3", c[1]); json.Valid([]byte(answer)) {
			t.Errorf("%s: ended early and yet whole: %s", name, answer)
		}
	}
}

func TestErrorEventInEachDialect(t *testing.T) {
	s := start(t, Config{})
	for name, c := range every {
		answer := s.text(c[0], "error=2,tokens=4", c[1])
		var last string
		switch name {
		case "ollama", "generate":
			lines := strings.Split(strings.TrimSpace(answer), "\n")
			last = lines[len(lines)-1]
		case "gemini-array":
			last = string(doc(json.RawMessage(strings.TrimSpace(answer))))
			b, _ := json.Marshal(at(t, last, 2))
			last = string(b)
		default:
			names, data := events(answer)
			last = data[len(data)-1]
			if (name == "anthropic" || name == "responses") && names[len(names)-1] != "error" {
				t.Errorf("%s: event %q", name, names[len(names)-1])
			}
		}
		if !strings.Contains(last, failMessage) {
			t.Errorf("%s: last event %s", name, last)
		}
	}
	if status, answer, _ := s.post(plainly["chat"][0], "error=2,pace=1us", plainly["chat"][1]); status != 500 || at(t, answer, "error") == nil {
		t.Errorf("plain: %d %s", status, answer)
	}
}

func TestTruncateIsAWholeTransferOfHalfADocument(t *testing.T) {
	s := start(t, Config{})
	for name, c := range plainly {
		if answer := s.text(c[0], "truncate", c[1]); json.Valid([]byte(answer)) || !strings.HasPrefix(answer, "{") {
			t.Errorf("%s: %s", name, answer)
		}
	}
	answer := s.text(every["chat"][0], "truncate", every["chat"][1])
	if strings.HasSuffix(answer, "\n\n") || strings.Contains(answer, "[DONE]") {
		t.Errorf("stream: %s", answer)
	}
}

func TestShortAnnouncesMoreThanItSends(t *testing.T) {
	s := start(t, Config{})
	for name, c := range plainly {
		resp := s.must("POST", c[0], "short", c[1])
		b, err := io.ReadAll(resp.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || int64(len(b)) != resp.ContentLength/2 {
			t.Errorf("%s: %d of %d, %v", name, len(b), resp.ContentLength, err)
		}
	}
}

func TestStatusAndRetryAfterInTheDialect(t *testing.T) {
	s := start(t, Config{})
	kinds := map[string][]any{
		"chat": {"rate_limit_exceeded", "error", "type"}, "anthropic": {"rate_limit_error", "error", "type"},
		"gemini": {"RESOURCE_EXHAUSTED", "error", "status"}, "ollama": {"fakellm was asked for status 429", "error"},
	}
	for name, kind := range kinds {
		for _, calls := range []map[string][2]string{every, plainly} {
			c := calls[name]
			resp := s.must("POST", c[0], "status=429,retry-after=7", c[1])
			b, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" || at(t, string(b), kind[1:]...) != kind[0] {
				t.Errorf("%s: %s %v %s", name, resp.Status, resp.Header, b)
			}
		}
	}
	if status, answer, _ := s.post("/v1/messages", "status=529", `{}`); status != 529 || at(t, answer, "error", "type") != "overloaded_error" {
		t.Errorf("%d %s", status, answer)
	}
	if status, _, _ := s.post("/v1/messages", "status=201", `{}`); status != 201 {
		t.Errorf("%d", status)
	}
	if resp := s.must("POST", "/v1/messages", "status=204", `{}`); resp.StatusCode != 204 {
		t.Errorf("%s", resp.Status)
	}
}

func TestEnvelope(t *testing.T) {
	s := start(t, Config{})
	for _, c := range plainly {
		status, answer, err := s.post(c[0], "envelope", c[1])
		if status != 200 || err != nil || at(t, answer, "error") == nil || at(t, answer, "choices") != nil {
			t.Errorf("%d %v %s", status, err, answer)
		}
	}
}

func TestTimesLiftsTheFaultForTheSameBody(t *testing.T) {
	s := start(t, Config{})
	const fault = "status=503,head=1ms,tokens=3,times=2"
	for i, want := range []int{503, 503, 200, 200} {
		status, answer, _ := s.post("/v1/completions", fault, `{"prompt":"a"}`)
		if status != want {
			t.Errorf("send %d: %d, want %d", i+1, status, want)
		}
		if want == 200 && at(t, answer, "usage", "completion_tokens") != 3.0 {
			t.Errorf("the shape was lifted too: %s", answer)
		}
	}
	if status, _, _ := s.post("/v1/completions", fault, `{"prompt":"b"}`); status != 503 {
		t.Errorf("another body: %d", status)
	}
}

func TestTimesOfTheDefaultLiftsTheDefault(t *testing.T) {
	s := start(t, Config{Default: MustParseFault("close,times=1")})
	if _, err := s.send("POST", "/v1/messages", "", "{}"); err == nil {
		t.Error("the first send was answered")
	}
	if status, _, err := s.post("/v1/messages", "", "{}"); status != 200 || err != nil {
		t.Errorf("%d %v", status, err)
	}
}

func TestSizeIsTheLengthOfTheText(t *testing.T) {
	s := start(t, Config{})
	const mib = 1 << 20
	_, data := events(s.text("/v1/completions", "size=1MiB,tokens=7", `{"stream":true,"prompt":"tidal energy"}`))
	if got := completionText(t, data); len(got) != mib || len(data) != 7+2 {
		t.Errorf("stream: %d bytes in %d events", len(got), len(data))
	}
	plain := s.text("/v1/completions", "size=24MiB", `{"prompt":"x"}`)
	if got := str(at(t, plain, "choices", 0, "text")); len(got) != 24*mib {
		t.Errorf("plain: %d bytes", len(got))
	}
}

func TestHeadDelaysTheHeadAndTTFTDoesNot(t *testing.T) {
	s := start(t, Config{})
	begin := time.Now()
	s.text(every["chat"][0], "head=60ms,pace=20ms,tokens=3", every["chat"][1])
	if took := time.Since(begin); took < 100*time.Millisecond {
		t.Errorf("took %v, want 60 + 2*20 ms at least", took)
	}
	for _, calls := range []map[string][2]string{every, plainly} {
		for name, c := range calls {
			resp := s.must("POST", c[0], "ttft=1h", c[1]) // returns with the head, or never
			if resp.StatusCode != 200 {
				t.Errorf("%s: %s", name, resp.Status)
			}
			resp.Body.Close()
		}
	}
	want := int64(len(every) + len(plainly))
	s.until("all have been seen to leave", func(st Stats) bool { return st.Aborted == want && st.Open == 0 })
}

func TestEachEventIsFlushedAsItIsWritten(t *testing.T) {
	s := start(t, Config{})
	for name, c := range every {
		resp := s.must("POST", c[0], "stall=2,tokens=4", c[1])
		q, _ := readAsk(strings.Split(c[0], "?")[0], []byte(c[1]), &Fault{})
		speech := q.speech()
		speech.next()
		readUntil(t, resp.Body, string(doc(speech.next()))) // the second token
		if name == "chat" {
			s.until("stalled", func(st Stats) bool { return st.Open == 1 })
		}
		resp.Body.Close()
		s.until(name+" left", func(st Stats) bool { return st.Open == 0 })
	}
	if st := s.o.Stats(); st.Aborted != int64(len(every)) {
		t.Errorf("%+v", st)
	}
}

func TestPlainAnswersArriveInPiecesToo(t *testing.T) {
	s := start(t, Config{})
	for name, c := range plainly {
		resp := s.must("POST", c[0], "stall=20", c[1])
		if resp.ContentLength <= 0 {
			t.Errorf("%s: no length announced", name)
		}
		buf := make([]byte, 10)
		if _, err := io.ReadFull(resp.Body, buf); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		resp.Body.Close()
		s.until(name+" left", func(st Stats) bool { return st.Open == 0 })
	}
}

func TestHeartbeatsInSilence(t *testing.T) {
	s := start(t, Config{})
	beats := map[string]string{"anthropic": "event: ping", "ollama": `"content":""`, "generate": `"response":""`, "gemini-array": "\n"}
	for name, c := range every {
		beat := beats[name]
		if beat == "" {
			beat = ": keep-alive"
		}
		for _, fault := range []string{"stall=1,heartbeat=2ms", "ttft=1h,heartbeat=2ms"} {
			resp := s.must("POST", c[0], fault, c[1])
			readUntil(t, resp.Body, beat)
			readUntil(t, resp.Body, beat)
			resp.Body.Close()
		}
	}
}

func TestHeartbeatsAddNothingToTheTime(t *testing.T) {
	s := start(t, Config{})
	answer := s.text(every["chat"][0], "ttft=25ms,heartbeat=10ms,tokens=2", every["chat"][1])
	if got := strings.Count(answer, ": keep-alive"); got != 2 {
		t.Errorf("%d beats in 25 ms at 10 ms", got)
	}
	if n, finished := contents(t, answer); n != 2 || !finished {
		t.Errorf("%d tokens, finished %v", n, finished)
	}
}

func TestGzipStreamsEventByEvent(t *testing.T) {
	s := start(t, Config{})
	c := every["chat"]
	want := s.text(c[0], "", c[1])
	for _, call := range [][2]string{c, plainly["chat"]} {
		resp := s.must("POST", call[0], "gzip", call[1])
		z, err := gzip.NewReader(resp.Body)
		if err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
			t.Fatal(err, resp.Header)
		}
		if got, err := io.ReadAll(z); err != nil || call == c && string(got) != want {
			t.Errorf("%v: %s", err, got)
		}
	}
	resp := s.must("POST", c[0], "gzip,stall=2", c[1])
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	readUntil(t, z, `"role":"assistant"`)
}
