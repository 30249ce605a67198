package llm

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

var update = flag.Bool("update", false, "write the golden results of testdata/answers anew")

// outcome is what a Meter says of a response.
type outcome struct {
	Stream, Complete, Content bool
	Events                    int
	Usage                     exchange.Usage
	Text, Answer, Error       string
}

// transcript is a recorded response, with the call that its name tells.
func transcript(t testing.TB, name string) (*exchange.Call, *exchange.Head, []byte) {
	body, err := os.ReadFile(filepath.Join("testdata/answers", name))
	if err != nil {
		t.Fatal(err)
	}
	kind := map[string]string{".sse": "text/event-stream; charset=utf-8", ".ndjson": "application/x-ndjson", ".json": "application/json"}
	head := headOf(200, kind[filepath.Ext(name)])
	what := strings.Split(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	c := &exchange.Call{Dialect: exchange.Dialect(what[0])}
	switch c.Dialect {
	case exchange.DialectAnthropic:
		c.API = "messages"
	case exchange.DialectGemini:
		c.API = "generate"
		if name != "gemini.json" {
			c.Declared = exchange.DeclaredPath
		}
	default:
		c.API = what[1]
	}
	if dialectOf(c) == nil {
		t.Fatalf("%s names no dialect", name)
	}
	return c, head, body
}

func headOf(status int, contentType string) *exchange.Head {
	return &exchange.Head{Status: status, Header: exchange.Header{{Name: "Content-Type", Value: contentType}}, Length: -1}
}

// measure feeds a body in pieces of the sizes that next gives.
func measure(c *exchange.Call, h *exchange.Head, body []byte, next func() int) outcome {
	m := NewMeter(c, h)
	defer m.Close()
	var text strings.Builder
	for rest := body; len(rest) > 0; {
		n := min(next(), len(rest))
		m.Feed(rest[:n])
		rest = rest[n:]
		text.WriteString(m.TakeText(1 << 20))
	}
	m.End()
	text.WriteString(m.TakeText(1 << 20))
	return outcome{
		m.Stream(), m.Complete(), m.Content(), m.Events(), m.Usage(), text.String(),
		Answer(c, h, body), m.ProviderError(),
	}
}

func transcripts(t testing.TB) []string {
	var names []string
	for _, ext := range []string{"sse", "ndjson", "json"} {
		found, err := filepath.Glob("testdata/answers/*." + ext)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			names = append(names, filepath.Base(f))
		}
	}
	if len(names) < 20 {
		t.Fatalf("only %d transcripts", len(names))
	}
	return names
}
