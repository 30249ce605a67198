package fakellm

import (
	"bytes"

	"tailrace/proxy/sse"
)

// messagesDialect is Anthropic's POST /v1/messages.
type messagesDialect struct {
	*ask
	before, after []byte
}

func messages(q *ask) reply {
	d := &messagesDialect{ask: q}
	delta := d.event("content_block_delta", "index", 0, "delta", obj{"type", "text_delta", "text", "\x00"})
	d.before, d.after, _ = bytes.Cut(delta, []byte(`"\u0000"`))
	return reply{dialect: d, stream: q.streams(false), extra: []field{{"request-id", q.id("req_", 24)}}}
}

// message is the message object; output counts the tokens said so far.
func (d *messagesDialect) message(content list, stop any, output int) obj {
	return obj{
		"id", d.id("msg_", 24), "type", "message", "role", "assistant", "model", d.model("fake-heron-1"),
		"content", content, "stop_reason", stop, "stop_sequence", nil,
		"usage",
		obj{
			"input_tokens", d.promptTokens, "cache_creation_input_tokens", 0, "cache_read_input_tokens", 0,
			"output_tokens", output, "service_tier", "standard",
		},
	}
}

func (d *messagesDialect) plain(text string) []byte {
	return doc(d.message(list{obj{"type", "text", "text", text}}, "end_turn", d.tokens))
}

func (d *messagesDialect) event(name string, members ...any) []byte {
	return sse.AppendEvent(nil, name, doc(append(obj{"type", name}, members...)))
}

func (d *messagesDialect) open() [][]byte {
	return [][]byte{
		d.event("message_start", "message", d.message(list{}, nil, 1)),
		d.event("content_block_start", "index", 0, "content_block", obj{"type", "text", "text", ""}),
		d.event("ping"),
	}
}

func (d *messagesDialect) token(_ int, word string) []byte {
	return splice(d.before, word, d.after)
}

func (d *messagesDialect) close(string) [][]byte {
	return [][]byte{
		d.event("content_block_stop", "index", 0),
		d.event("message_delta", "delta", obj{"stop_reason", "end_turn", "stop_sequence", nil},
			"usage", obj{"output_tokens", d.tokens}),
		d.event("message_stop"),
	}
}

func (d *messagesDialect) fail() []byte {
	return sse.AppendEvent(nil, "error", anthropicError(529, failMessage))
}

func (d *messagesDialect) beat() []byte  { return d.event("ping") }
func (d *messagesDialect) media() string { return eventStream }
