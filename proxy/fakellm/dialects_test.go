package fakellm

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// at walks a decoded JSON value by keys and indexes.
func at(t *testing.T, document string, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[p]
		case int:
			l, _ := v.([]any)
			if p < 0 || p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func str(v any) string { s, _ := v.(string); return s }

func completionText(t *testing.T, data []string) string {
	var b strings.Builder
	for _, d := range data {
		if d != "[DONE]" {
			b.WriteString(str(at(t, d, "choices", 0, "text")))
		}
	}
	return b.String()
}

const hello = `"messages":[{"role":"user","content":"Please describe tidal energy"}]`

func TestOpenAIChat(t *testing.T) {
	s := start(t, Config{})
	plain := s.text("/v1/chat/completions", "tokens=4", `{"model":"m",`+hello+`}`)
	if at(t, plain, "model") != "m" || at(t, plain, "object") != "chat.completion" ||
		at(t, plain, "usage", "completion_tokens") != 4.0 || at(t, plain, "usage", "prompt_tokens") != 4.0 ||
		at(t, plain, "choices", 0, "finish_reason") != "stop" {
		t.Fatal(plain)
	}
	if text := str(at(t, plain, "choices", 0, "message", "content")); len(strings.Fields(text)) != 4 {
		t.Fatalf("text %q", text)
	}
	for _, usage := range []bool{false, true} {
		body := `{"stream":true,` + hello + `}`
		if usage {
			body = `{"stream":true,"stream_options":{"include_usage":true},` + hello + `}`
		}
		_, data := events(s.text("/v1/chat/completions", "tokens=3", body))
		want := 1 + 3 + 1 + 1
		if usage {
			want++
		}
		if len(data) != want || data[want-1] != "[DONE]" {
			t.Fatalf("include_usage=%v: %q", usage, data)
		}
		if at(t, data[0], "choices", 0, "delta", "role") != "assistant" || at(t, data[4], "choices", 0, "finish_reason") != "stop" {
			t.Fatalf("%q", data)
		}
		if got := strings.Contains(data[0], "usage"); got != usage {
			t.Fatalf("usage member in chunks: %v, asked %v", got, usage)
		}
		if usage && at(t, data[5], "usage", "completion_tokens") != 3.0 {
			t.Fatal(data[5])
		}
	}
}

func TestIncludeUsageChangesNothingElse(t *testing.T) {
	s := start(t, Config{})
	one := s.text("/v1/chat/completions", "", `{"stream":true,`+hello+`}`)
	two := s.text("/v1/chat/completions", "", `{"stream":true,`+hello+`,"stream_options":{"include_usage":true}}`)
	two = strings.ReplaceAll(two, `,"usage":null`, "")
	_, a := events(one)
	_, b := events(two)
	if diff := cmp.Diff(a[:len(a)-1], b[:len(b)-2]); diff != "" {
		t.Fatal(diff)
	}
}

func TestOpenAIResponses(t *testing.T) {
	s := start(t, Config{})
	plain := s.text("/v1/responses", "tokens=3", `{"input":"hi"}`)
	if at(t, plain, "status") != "completed" || at(t, plain, "usage", "output_tokens") != 3.0 {
		t.Fatal(plain)
	}
	names, data := events(s.text("/v1/responses", "tokens=2", `{"input":"hi","stream":true}`))
	want := []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
		"response.output_text.delta", "response.output_text.delta", "response.output_text.done", "response.content_part.done",
		"response.output_item.done", "response.completed",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatal(diff)
	}
	for i, d := range data {
		if at(t, d, "sequence_number") != float64(i) || at(t, d, "type") != names[i] {
			t.Fatal(d)
		}
	}
	text := str(at(t, data[4], "delta")) + str(at(t, data[5], "delta"))
	if text != at(t, data[6], "text") || text != at(t, data[9], "response", "output", 0, "content", 0, "text") {
		t.Fatalf("the texts differ: %q", data)
	}
}

func TestOpenAICompletions(t *testing.T) {
	s := start(t, Config{})
	if got := s.text("/v1/completions", "tokens=3", `{"prompt":"x"}`); at(t, got, "object") != "text_completion" {
		t.Fatal(got)
	}
	_, data := events(s.text("/v1/completions", "tokens=3", `{"prompt":"x","stream":true,"stream_options":{"include_usage":true}}`))
	if len(data) != 6 || data[5] != "[DONE]" || at(t, data[4], "usage", "completion_tokens") != 3.0 {
		t.Fatalf("%q", data)
	}
}

func TestOpenAIEmbeddings(t *testing.T) {
	s := start(t, Config{})
	got := s.text("/v1/embeddings", "", `{"input":["a","b"],"dimensions":5}`)
	if at(t, got, "data", 1, "index") != 1.0 || at(t, got, "data", 0, "embedding", 4) == nil || at(t, got, "data", 0, "embedding", 5) != nil {
		t.Fatal(got)
	}
	got = s.text("/v1/embeddings", "", `{"input":[1,2,3],"encoding_format":"base64"}`)
	b, err := base64.StdEncoding.DecodeString(str(at(t, got, "data", 0, "embedding")))
	if err != nil || len(b) != 4*defaultDimensions || at(t, got, "data", 1) != nil {
		t.Fatal(got)
	}
}

func TestAnthropicMessages(t *testing.T) {
	s := start(t, Config{})
	plain := s.text("/v1/messages", "tokens=3", `{`+hello+`}`)
	if at(t, plain, "type") != "message" || at(t, plain, "usage", "output_tokens") != 3.0 || at(t, plain, "stop_reason") != "end_turn" {
		t.Fatal(plain)
	}
	names, data := events(s.text("/v1/messages", "tokens=2", `{"stream":true,`+hello+`}`))
	want := []string{
		"message_start", "content_block_start", "ping", "content_block_delta", "content_block_delta",
		"content_block_stop", "message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatal(diff)
	}
	if at(t, data[0], "message", "usage", "input_tokens") != 4.0 || at(t, data[6], "usage", "output_tokens") != 2.0 {
		t.Fatalf("%q", data)
	}
}

func TestGemini(t *testing.T) {
	s := start(t, Config{})
	body := `{"contents":[{"role":"user","parts":[{"text":"two words"}]}]}`
	plain := s.text("/v1beta/models/g-1:generateContent", "tokens=3", body)
	if at(t, plain, "candidates", 0, "finishReason") != "STOP" || at(t, plain, "usageMetadata", "totalTokenCount") != 5.0 || at(t, plain, "modelVersion") != "g-1" {
		t.Fatal(plain)
	}
	_, data := events(s.text("/v1beta/models/g-1:streamGenerateContent?alt=sse", "tokens=2", body))
	if len(data) != 3 || at(t, data[2], "candidates", 0, "finishReason") != "STOP" || at(t, data[0], "candidates", 0, "finishReason") != nil {
		t.Fatalf("%q", data)
	}
	for _, tokens := range []string{"0", "1", "2"} {
		array := s.text("/v1beta/models/g-1:streamGenerateContent", "tokens="+tokens, body)
		if !json.Valid([]byte(array)) || !strings.HasPrefix(array, "[{") {
			t.Fatal(array)
		}
	}
}

func TestOllama(t *testing.T) {
	s := start(t, Config{})
	for path, member := range map[string][]any{"/api/chat": {"message", "content"}, "/api/generate": {"response"}} {
		resp := s.must("POST", path, "tokens=2,pace=1ms", `{"model":"m"}`)
		b, _ := io.ReadAll(resp.Body)
		if got := resp.Header.Get("Content-Type"); got != "application/x-ndjson" {
			t.Fatal(got)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		if len(lines) != 3 || at(t, lines[0], "done") != false || at(t, lines[2], "done") != true || at(t, lines[2], "eval_count") != 2.0 {
			t.Fatalf("%q", lines)
		}
		if str(at(t, lines[0], member...)) == "" {
			t.Fatal(lines[0])
		}
		plain := s.text(path, "tokens=2", `{"model":"m","stream":false}`)
		if at(t, plain, "done") != true || str(at(t, plain, member...)) == "" {
			t.Fatal(plain)
		}
	}
	if resp := s.must("GET", "/api/tags", "", ""); resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
}

func TestModelsAndUnknownThings(t *testing.T) {
	s := start(t, Config{})
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/v1/models", 200},
		{"HEAD", "/v1/models", 200},
		{"POST", "/v1/models", 405},
		{"GET", "/v1/messages", 405},
		{"POST", "/openai/v1/messages", 404},
		{"POST", "/v1//messages", 404},
		{"POST", "/v1beta/models/g:tune", 404},
		{"GET", "/api/version", 200},
	} {
		if resp := s.must(c.method, c.target, "", ""); resp.StatusCode != c.status {
			t.Errorf("%s %s: %s", c.method, c.target, resp.Status)
		}
	}
	if status, answer, _ := s.post("/api/chat", "", "no JSON"); status != 400 || str(at(t, answer, "error")) == "" {
		t.Errorf("%d %s", status, answer)
	}
}

// every is one streaming call of each dialect.
var every = map[string][2]string{
	"chat":         {"/v1/chat/completions", `{"stream":true,` + hello + `}`},
	"completions":  {"/v1/completions", `{"stream":true,"prompt":"x"}`},
	"responses":    {"/v1/responses", `{"stream":true,"input":"x"}`},
	"anthropic":    {"/v1/messages", `{"stream":true,` + hello + `}`},
	"gemini":       {"/v1beta/models/g:streamGenerateContent?alt=sse", `{}`},
	"gemini-array": {"/v1beta/models/g:streamGenerateContent", `{}`},
	"ollama":       {"/api/chat", `{` + hello + `}`},
	"generate":     {"/api/generate", `{}`},
}

// plainly is one call of each dialect that is answered by a document.
var plainly = map[string][2]string{
	"chat":        {"/v1/chat/completions", `{` + hello + `}`},
	"completions": {"/v1/completions", `{"prompt":"x"}`},
	"responses":   {"/v1/responses", `{"input":"x"}`},
	"embeddings":  {"/v1/embeddings", `{"input":"x"}`},
	"anthropic":   {"/v1/messages", `{` + hello + `}`},
	"gemini":      {"/v1beta/models/g:generateContent", `{}`},
	"ollama":      {"/api/chat", `{"stream":false,` + hello + `}`},
}

func TestTheSameBodyGetsTheSameBytes(t *testing.T) {
	answers := map[string]string{}
	for _, fault := range []string{"", "", "pace=1us"} { // each on an origin of its own
		t.Run("fault "+fault, func(t *testing.T) {
			s := start(t, Config{})
			for _, calls := range []map[string][2]string{every, plainly} {
				for name, c := range calls {
					got := s.text(c[0], fault, c[1])
					if before, ok := answers[name+c[0]+c[1]]; ok && got != before {
						t.Errorf("%s: %s", name, cmp.Diff(before, got))
					}
					answers[name+c[0]+c[1]] = got
				}
			}
			if s.text("/v1/completions", "", `{"prompt":"a"}`) == s.text("/v1/completions", "", `{"prompt":"b"}`) {
				t.Error("another prompt got the same answer")
			}
		})
	}
}

func TestTheTextEchoesTheTopicAndIsPlain(t *testing.T) {
	for prompt, want := range map[string]string{
		"Please tell me about tidal energy":  "tidal energy",
		"What is a \"tail\x1b[31mrace\"?":    "31mrace",
		"请解释潮汐发电":                            "请解释潮汐发电",
		"hi":                                 "",
		strings.Repeat("word \xff ", 100000): "word",
	} {
		topic := topicOf(prompt)
		if !strings.Contains(topic, want) || want == "" && topic != "" {
			t.Errorf("%.40q: topic %q", prompt, topic)
		}
		text := newSpeech(1, topic, 300, 0).text()
		if got := appendString(nil, text); len(topic) == len([]rune(topic)) && string(got[1:len(got)-1]) != text {
			t.Errorf("the text needs escapes: %q", text)
		}
		if strings.ContainsAny(text, "{}\"\\\x1b") {
			t.Errorf("odd text %q", text)
		}
	}
}
