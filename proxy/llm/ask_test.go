package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

func TestWhatIsAskedIsReadInEveryDialect(t *testing.T) {
	png := strings.Repeat("A", 64<<10) // 48 KiB in base64
	for name, c := range map[string]struct {
		target, body string
		model        string
		tools        int
		usage        bool
		messages     []exchange.Message
	}{
		"openai chat": {
			target: "/v1/chat/completions",
			body: `{"model":"gpt-4o-mini","stream_options":{"include_usage":true},"tools":[{},{}],"messages":[
				{"role":"system","content":"Be brief."},
				{"role":"user","content":[{"type":"text","text":"What is \u4f60?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}},
					{"type":"image_url","image_url":{"url":"https://x.test/a.png"}},{"type":"input_audio","input_audio":{"format":"wav","data":"AAAA"}}]},
				{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
				{"role":"tool","tool_call_id":"c","content":"42"}]}`,
			model: "gpt-4o-mini", tools: 2, usage: true,
			messages: []exchange.Message{
				{Role: "system", Text: "Be brief."},
				{Role: "user", Text: "What is 你?\n[image/png, 48 KiB]\n[image, https://x.test/a.png]\n[audio/wav, 3 B]"},
				{Role: "assistant", Text: `f {"a":1}`},
				{Role: "tool", Text: "42"},
			},
		},
		"openai responses": {
			target: "/v1/responses",
			body: `{"model":"gpt-5","instructions":"Be kind.","input":[{"role":"user","content":[{"type":"input_text","text":"Hi"},{"type":"input_image","image_url":"data:image/jpeg;base64,AAAA"}]},
				{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":"ok"}]}`,
			model: "gpt-5",
			messages: []exchange.Message{
				{Role: "system", Text: "Be kind."},
				{Role: "user", Text: "Hi\n[image/jpeg, 3 B]"},
				{Role: "assistant", Text: "Hm."},
				{Role: "assistant", Text: "f {}"},
				{Role: "tool", Text: "ok"},
			},
		},
		"openai responses, a sentence": {
			target: "/v1/responses", body: `{"model":"m","input":"Hi"}`, model: "m", messages: []exchange.Message{{Role: "user", Text: "Hi"}},
		},
		"openai completions": {
			target: "/v1/completions", body: `{"model":"m","prompt":["a","b",[1,2,3]]}`, model: "m",
			messages: []exchange.Message{{Role: "user", Text: "a"}, {Role: "user", Text: "b"}, {Role: "user", Text: "[3 tokens]"}},
		},
		"openai embeddings": {
			target: "/v1/embeddings", body: `{"model":"m","input":"a"}`, model: "m", messages: []exchange.Message{{Role: "input", Text: "a"}},
		},
		"anthropic": {
			target: "/v1/messages",
			body: `{"model":"claude-sonnet-4-5","max_tokens":9,"system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"f"}],"messages":[
				{"role":"user","content":"Hi"},
				{"role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"tool_use","name":"f","input":{"a": 1}}]},
				{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"42"}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}},
					{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"}}]}]}`,
			model: "claude-sonnet-4-5", tools: 1,
			messages: []exchange.Message{
				{Role: "system", Text: "Be brief."},
				{Role: "user", Text: "Hi"},
				{Role: "assistant", Text: "Hm.\nf {\"a\": 1}"},
				{Role: "user", Text: "42\n[image/png, 48 KiB]\n[document, https://x.test/a.pdf]"},
			},
		},
		"gemini": {
			target: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
			body: `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{},{}]},{"googleSearch":{}}],"contents":[
				{"parts":[{"text":"Hi"},{"inline_data":{"mime_type":"image/png","data":"` + png + `"}}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"b":2}}},{"fileData":{"mimeType":"video/mp4","fileUri":"https://x.test/v"}}]}]}`,
			model: "gemini-2.5-flash", tools: 2,
			messages: []exchange.Message{
				{Role: "system", Text: "Be brief."},
				{Role: "user", Text: "Hi\n[image/png, 48 KiB]"},
				{Role: "model", Text: `f {"a":1}`},
				{Role: "user", Text: "f {\"b\":2}\n[video/mp4, https://x.test/v]"},
			},
		},
		"ollama chat": {
			target: "/api/chat", body: `{"model":"qwen3","messages":[{"role":"user","content":"Hi","images":["AAAA"]}],"tools":[{}]}`, model: "qwen3", tools: 1,
			messages: []exchange.Message{{Role: "user", Text: "Hi\n[image, 3 B]"}},
		},
		"ollama generate": {
			target: "/api/generate", body: `{"model":"qwen3","system":"Be brief.","prompt":"Hi"}`, model: "qwen3",
			messages: []exchange.Message{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Hi"}},
		},
		"nonsense": {target: "/v1/chat/completions", body: `{"model":7,"messages":{"role":1},"tools":"x","stream_options":[]}`},
	} {
		got := Inspect(post(c.target, c.body), false)
		if got.Model != c.model || got.Tools != c.tools || got.Usage != c.usage {
			t.Errorf("%s: model %q, %d tools, usage %v", name, got.Model, got.Tools, got.Usage)
		}
		if d := cmp.Diff(c.messages, got.Messages); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestALongConversationKeepsItsBeginningAndItsEnd(t *testing.T) {
	turns := func(n, size int) string {
		var b strings.Builder
		b.WriteString(`{"messages":[{"role":"system","content":"first"}`)
		for i := range n {
			fmt.Fprintf(&b, `,{"role":"user","content":"%d %s"}`, i, strings.Repeat("费", size))
		}
		return b.String() + "]}"
	}
	for _, c := range []struct{ n, size int }{{63, 1}, {64, 1}, {1000, 1}, {40, 4000}, {3, 1 << 16}, {100, 1 << 14}} {
		list := Inspect(post("/v1/chat/completions", turns(c.n, c.size)), false).Messages
		total := 0
		for _, m := range list {
			if total += len(m.Text); len(m.Text) > talkMessage || strings.Contains(m.Text, "\ufffd") {
				t.Errorf("%+v: a message of %d bytes", c, len(m.Text))
			}
		}
		left := c.n + 1 - len(list)
		if len(list) > talkMessages || total > talkTotal+64 {
			t.Errorf("%+v: %d messages, %d bytes", c, len(list), total)
		}
		if note := fmt.Sprintf("[%d messages left out]", left+1); left > 0 && list[1].Text != note {
			t.Errorf("%+v: %d of %d are shown, the note says %q", c, len(list), c.n+1, list[1].Text)
		}
		if list[0].Text != "first" || !strings.HasPrefix(list[len(list)-1].Text, fmt.Sprint(c.n-1)) {
			t.Errorf("%+v: from %.20q to %.20q", c, list[0].Text, list[len(list)-1].Text)
		}
	}
}

func TestSizesArePrintedInTheirUnit(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1535: "1 KiB", 1536: "2 KiB", 5 << 20: "5 MiB"} {
		if got := bytesOf(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
