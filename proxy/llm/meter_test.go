package llm

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

func TestAMeterReadsEachDialectHoweverItIsSliced(t *testing.T) {
	for _, name := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			c, h, body := transcript(t, name)
			golden := filepath.Join("testdata/answers", name+".golden")
			whole := measure(c, h, body, func() int { return len(body) })
			if *update {
				b, err := json.MarshalIndent(whole, "", "\t")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, append(b, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			raw, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			var want outcome
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, whole); d != "" {
				t.Errorf("in one piece (-want +got):\n%s", d)
			}
			for n := 1; n <= 7; n++ {
				if d := cmp.Diff(want, measure(c, h, body, func() int { return n })); d != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", n, d)
				}
			}
			r := rand.New(rand.NewPCG(3, 4))
			for range 20 {
				if d := cmp.Diff(want, measure(c, h, body, func() int { return 1 + r.IntN(200) })); d != "" {
					t.Fatalf("in random pieces (-want +got):\n%s", d)
				}
			}
			usage, complete := Complete(c, h, body)
			if usage != want.Usage || complete != want.Complete {
				t.Errorf("stored: %+v, %v", usage, complete)
			}
		})
	}
}

func TestACompleteStreamIsIncompleteWithoutItsLastByte(t *testing.T) {
	for _, name := range transcripts(t) {
		c, h, body := transcript(t, name)
		if _, complete := Complete(c, h, body); !complete {
			continue
		}
		trimmed := strings.TrimRight(string(body), "\n")
		for cut := 1; cut < len(trimmed); cut++ {
			if _, complete := Complete(c, h, []byte(trimmed[:cut])); complete {
				t.Errorf("%s: complete after %d of %d bytes", name, cut, len(trimmed))
				break
			}
		}
	}
}

func TestAStreamIsCompleteBeforeItsTransferEnds(t *testing.T) {
	for _, name := range []string{"openai-chat.sse", "openai-responses.sse", "anthropic.sse", "ollama-chat.ndjson"} {
		c, h, body := transcript(t, name)
		m := NewMeter(c, h)
		m.Feed(body)
		if !m.Complete() {
			t.Errorf("%s: not complete at its marker", name)
		}
	}
	c, h, body := transcript(t, "gemini.sse") // has no marker: its end is one
	m := NewMeter(c, h)
	if m.Feed(body); m.Complete() {
		t.Error("gemini.sse: complete before the end of the transfer")
	}
}

func TestTokensAreEstimatedUntilTheProviderNamesThem(t *testing.T) {
	c, h, body := transcript(t, "anthropic.sse")
	before, _, _ := strings.Cut(string(body), "event: message_delta")
	m := NewMeter(c, h)
	m.Feed([]byte(before))
	if got, want := m.Usage(), (exchange.Usage{Input: 1125, Output: 6, Cached: 1000}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTextIsTakenInWholeCharacters(t *testing.T) {
	var tr trail
	tr.add("a免费")
	if got := tr.take(3); got != "a" {
		t.Errorf("took %q", got)
	}
	if got := tr.take(4); got != "免" {
		t.Errorf("took %q", got)
	}
	if got := tr.take(100); got != "费" {
		t.Errorf("took %q", got)
	}
	if got := tr.take(100); got != "" {
		t.Errorf("took %q", got)
	}
}

func TestTextThatNobodyTakesIsBounded(t *testing.T) {
	for shift := range 5 { // the cut falls on each byte of x费y once
		var tr trail
		for range 100_000 {
			tr.add("x费y")
		}
		tr.add("12345"[:shift])
		if n := cap(tr.buf); n > 4*trailMax {
			t.Errorf("%d bytes are held", n)
		}
		got := tr.take(1 << 20)
		if len(got) > trailMax || len(got) < trailMax-3 {
			t.Errorf("%d bytes are left", len(got))
		}
		if !strings.HasSuffix(got, "x费y"+"12345"[:shift]) || !utf8.ValidString(got) {
			t.Errorf("begins %q, ends %q", got[:8], got[len(got)-8:])
		}
	}
}

func TestAResponseOfNoDialectIsOnlyCounted(t *testing.T) {
	m := NewMeter(&exchange.Call{}, headOf(200, "Text/Event-Stream"))
	m.Feed([]byte("data: [DONE]\n\n: hi\n\ndata: {\"error\":\"x\"}\n\n"))
	m.End()
	if !m.Stream() || m.Events() != 2 || m.Complete() || m.Content() || m.ProviderError() != "" {
		t.Errorf("%+v", m.said)
	}
}

func TestAnErrorBodyOfAnyDialectIsRead(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"Incorrect API key provided: sk-proj-1234567890abcdef.","type":"invalid_request_error","code":"invalid_api_key"}}`: "Incorrect API key provided: [redacted].",
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:                                                           "Overloaded",
		`{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}`:                                                     "API key not valid.",
		`{"error":"model 'x' not found"}`: "model 'x' not found",
		`{"error":{"code":1}}`:            `{"code":1}`,
		`{"error":null}`:                  "",
		`<html>`:                          "",
	} {
		c := &exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}
		m := NewMeter(c, headOf(400, "application/json; charset=utf-8"))
		m.Feed([]byte(body))
		m.End()
		if got := m.ProviderError(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
		if m.Complete() || m.Stream() {
			t.Errorf("%s: taken for a stream", body)
		}
	}
}

func TestAnEventThatIsTooLargeIsPassedOver(t *testing.T) {
	c, h, body := transcript(t, "openai-chat.sse")
	m := NewMeter(c, h)
	m.Feed([]byte("data: "))
	piece := []byte(strings.Repeat("x", 1<<20))
	for range 10 {
		m.Feed(piece)
	}
	m.Feed([]byte("\n\n"))
	m.Feed(body)
	if !m.Complete() || m.Usage().Output != 7 {
		t.Errorf("complete %v, usage %+v", m.Complete(), m.Usage())
	}
}

func TestTheMarkerDoneNeedsNoBlankLineAtACleanEnd(t *testing.T) {
	c, h, _ := transcript(t, "openai-chat.sse")
	for body, want := range map[string]bool{
		"data: [DONE]": true, "data: [DONE]\n": true, "data:[DONE] \r\n": true, "data: [DONE": false, "data: \"[DONE]\"\n\n": false,
		": [DONE]\n\n": false, "data: {\"choices\":[{\"delta\":{\"content\":\"[DONE]\"}}]}\n\n": false,
	} {
		if _, complete := Complete(c, h, []byte(body)); complete != want {
			t.Errorf("%q: complete %v", body, complete)
		}
	}
}

func TestAnAnswerThatIsTooLargeToKeepIsNotRead(t *testing.T) {
	c, h, body := transcript(t, "openai-chat.json")
	for blanks, want := range map[int]int{wholeMax - len(body): 10, wholeMax - len(body) + 1: 0} {
		m := NewMeter(c, h)
		m.Feed([]byte(strings.Repeat(" ", blanks)))
		m.Feed(body)
		if m.End(); m.Usage().Output != want {
			t.Errorf("behind %d blanks: %+v, want %d", blanks, m.Usage(), want)
		}
	}
}

func TestAnElementOfAnArrayThatIsTooLargeIsPassedOver(t *testing.T) {
	c, h, body := transcript(t, "gemini-stream.json")
	m := NewMeter(c, h)
	m.Feed([]byte("[{\"x\":\""))
	for range 9 {
		m.Feed([]byte(strings.Repeat("x", 1<<20)))
	}
	m.Feed([]byte("\"},"))
	m.Feed(body[1:])
	m.End()
	if !m.Complete() || m.Events() != 2 || cap(m.array.element) > 16<<10 {
		t.Errorf("complete %v, %d events, %d bytes held", m.Complete(), m.Events(), cap(m.array.element))
	}
}
