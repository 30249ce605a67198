package fakellm

import (
	"bytes"
	"strconv"

	"tailrace/proxy/sse"
)

// chatDialect is POST /v1/chat/completions.
type chatDialect struct {
	*ask
	before, after []byte // what stands around the text of a chunk
}

func chat(q *ask) reply {
	d := &chatDialect{ask: q}
	// Chunks differ in one string; the rest of the document is made once.
	chunk := d.chunk(obj{"content", "\x00"}, nil)
	d.before, d.after, _ = bytes.Cut(chunk, []byte(`"\u0000"`))
	return reply{dialect: d, stream: q.streams(false), extra: openaiHeaders(q)}
}

func openaiHeaders(q *ask) []field {
	spent := q.fault.head + q.fault.ttft // asked for, not measured: two answers must be equal
	return []field{
		{"x-request-id", q.id("req_", 32)},
		{"openai-processing-ms", strconv.FormatInt(max(spent.Milliseconds(), 1), 10)},
		{"openai-version", "2020-10-01"},
	}
}

func (d *chatDialect) usage() obj {
	return obj{
		"prompt_tokens", d.promptTokens, "completion_tokens", d.tokens, "total_tokens", d.promptTokens + d.tokens,
		"prompt_tokens_details",
		obj{"cached_tokens", 0, "audio_tokens", 0},
		"completion_tokens_details",
		obj{
			"reasoning_tokens", 0, "audio_tokens", 0,
			"accepted_prediction_tokens", 0, "rejected_prediction_tokens", 0,
		},
	}
}

func (d *chatDialect) plain(text string) []byte {
	return doc(obj{
		"id", d.id("chatcmpl-", 28), "object", "chat.completion", "created", d.created(), "model", d.model("fake-river-1"),
		"choices",
		list{obj{
			"index", 0,
			"message",
			obj{"role", "assistant", "content", text, "refusal", nil, "annotations", list{}},
			"logprobs", nil, "finish_reason", "stop",
		}},
		"usage", d.usage(), "service_tier", "default", "system_fingerprint", d.id("fp_", 10),
	})
}

// envelope is what all chunks have in common. With include_usage every chunk
// has a usage member, null but for the last.
func (d *chatDialect) envelope(choices list, usage any) []byte {
	o := obj{
		"id", d.id("chatcmpl-", 28), "object", "chat.completion.chunk", "created", d.created(), "model", d.model("fake-river-1"),
		"service_tier", "default", "system_fingerprint", d.id("fp_", 10), "choices", choices,
	}
	if d.withUsage {
		o = append(o, "usage", usage)
	}
	return sse.AppendEvent(nil, "", doc(o))
}

func (d *chatDialect) chunk(delta obj, finish any) []byte {
	return d.envelope(list{obj{"index", 0, "delta", delta, "logprobs", nil, "finish_reason", finish}}, nil)
}

func (d *chatDialect) open() [][]byte {
	return [][]byte{d.chunk(obj{"role", "assistant", "content", "", "refusal", nil}, nil)}
}

func (d *chatDialect) token(_ int, word string) []byte {
	return splice(d.before, word, d.after)
}

func (d *chatDialect) close(string) [][]byte {
	events := [][]byte{d.chunk(obj{}, "stop")}
	if d.withUsage {
		events = append(events, d.envelope(list{}, d.usage()))
	}
	return append(events, done)
}

func (d *chatDialect) fail() []byte  { return sse.AppendEvent(nil, "", openaiError(500, failMessage)) }
func (d *chatDialect) beat() []byte  { return comment }
func (d *chatDialect) media() string { return eventStream }

const eventStream = "text/event-stream; charset=utf-8"

var (
	done    = []byte("data: [DONE]\n\n")
	comment = []byte(": keep-alive\n\n")
)

// splice puts one JSON string between two constant parts.
func splice(before []byte, word string, after []byte) []byte {
	b := make([]byte, 0, len(before)+len(word)+len(after)+2)
	b = append(b, before...)
	b = appendString(b, word)
	return append(b, after...)
}

func openaiModels() []byte {
	models := list{}
	for _, name := range []string{"fake-river-1", "fake-brook-1-mini", "fake-embedding-1"} {
		models = append(models, obj{"id", name, "object", "model", "created", 1_750_000_000, "owned_by", "fakellm"})
	}
	return doc(obj{"object", "list", "data", models})
}
