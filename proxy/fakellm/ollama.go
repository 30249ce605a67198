package fakellm

import "time"

// ollamaDialect is POST /api/chat and /api/generate: NDJSON, and a stream
// unless the body says "stream": false.
type ollamaDialect struct {
	*ask
	chat bool
}

func ollamaChat(q *ask) reply {
	return reply{dialect: &ollamaDialect{ask: q, chat: true}, stream: q.streams(true)}
}

func ollamaGenerate(q *ask) reply {
	return reply{dialect: &ollamaDialect{ask: q}, stream: q.streams(true)}
}

// pace is the time a token took; never 0, as no model is that fast.
func (d *ollamaDialect) pace() time.Duration { return max(d.fault.pace, time.Millisecond) }

// line begins a document; said is the number of tokens so far.
func (d *ollamaDialect) line(text string, said int, finished bool) obj {
	at := time.Unix(d.created(), 0).UTC().Add(time.Duration(said) * d.pace())
	o := obj{"model", d.model("fake-brook"), "created_at", at.Format(time.RFC3339Nano)}
	if d.chat {
		o = append(o, "message", obj{"role", "assistant", "content", text})
	} else {
		o = append(o, "response", text)
	}
	return append(o, "done", finished)
}

// last is the document that ends an answer, with the figures in nanoseconds.
func (d *ollamaDialect) last(text string) []byte {
	load, prompt := 10*time.Millisecond, max(d.fault.ttft, time.Millisecond)
	eval := time.Duration(d.tokens) * d.pace()
	o := append(d.line(text, d.tokens, true), "done_reason", "stop",
		"total_duration", int64(load+prompt+eval), "load_duration", int64(load),
		"prompt_eval_count", d.promptTokens, "prompt_eval_duration", int64(prompt),
		"eval_count", d.tokens, "eval_duration", int64(eval))
	return doc(o)
}

func (d *ollamaDialect) plain(text string) []byte { return d.last(text) }
func (d *ollamaDialect) open() [][]byte           { return nil }

func (d *ollamaDialect) token(i int, word string) []byte {
	return append(doc(d.line(word, i, false)), '\n')
}

func (d *ollamaDialect) close(string) [][]byte { return [][]byte{append(d.last(""), '\n')} }
func (d *ollamaDialect) fail() []byte          { return append(ollamaError(500, failMessage), '\n') }

// beat is a token without text: clients parse every line, also an empty one.
func (d *ollamaDialect) beat() []byte  { return append(doc(d.line("", 0, false)), '\n') }
func (d *ollamaDialect) media() string { return "application/x-ndjson" }

func ollamaTags() []byte {
	return doc(obj{"models", list{obj{
		"name", "fake-brook:latest", "model", "fake-brook:latest",
		"modified_at", "2025-06-15T12:00:00Z", "size", 1, "digest", "fakellm",
		"details",
		obj{
			"parent_model", "", "format", "gguf", "family", "river", "families",
			list{"river"},
			"parameter_size", "1B", "quantization_level", "Q4_0",
		},
	}}})
}

func ollamaVersion() []byte { return doc(obj{"version", "0.0.0-fakellm"}) }
