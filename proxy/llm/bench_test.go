package llm

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

// One event costs about a microsecond: 20 streams of 100 tokens a second cost
// 0.2 % of a core.
func BenchmarkMeterEvent(b *testing.B) {
	m := NewMeter(&exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}, headOf(200, "text/event-stream"))
	event := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"gpt-4o-mini",` +
		`"choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}],"usage":null}` + "\n\n")
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		m.Feed(event)
		if n%5 == 0 {
			m.TakeText(4 << 10)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	for name, content := range map[string]string{"small": "Hello there.", "20MiB": strings.Repeat("hello 费 \\n wörld ", 1<<20)} {
		req := post("/v1/chat/completions", `{"model":"m","temperature":0.7,"stream":true,"messages":[{"role":"user","content":"`+content+`"}]}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(req.Body)))
			b.ReportAllocs()
			for b.Loop() {
				Inspect(req, false)
			}
		})
	}
}
