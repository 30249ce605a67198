package fakellm

import "tailrace/proxy/sse"

// responsesDialect is POST /v1/responses.
type responsesDialect struct {
	*ask
	sequence int // sequence_number of the next event
}

func responses(q *ask) reply {
	return reply{dialect: &responsesDialect{ask: q}, stream: q.streams(false), extra: openaiHeaders(q)}
}

func (d *responsesDialect) item() string { return d.id("msg_", 40) }

func (d *responsesDialect) part(text string) obj {
	return obj{"type", "output_text", "annotations", list{}, "logprobs", list{}, "text", text}
}

func (d *responsesDialect) message(status string, content list) obj {
	return obj{"id", d.item(), "type", "message", "status", status, "content", content, "role", "assistant"}
}

func (d *responsesDialect) response(status string, output list, usage any) obj {
	return obj{
		"id", d.id("resp_", 40), "object", "response", "created_at", d.created(), "status", status,
		"background", false, "error", nil, "incomplete_details", nil, "instructions", nil, "max_output_tokens", nil,
		"model", d.model("fake-river-1"), "output", output, "parallel_tool_calls", true, "previous_response_id", nil,
		"reasoning",
		obj{"effort", nil, "summary", nil},
		"store", true, "temperature", 1,
		"text",
		obj{"format", obj{"type", "text"}},
		"tool_choice", "auto", "tools",
		list{},
		"top_p", 1,
		"truncation", "disabled", "usage", usage, "user", nil, "metadata",
		obj{},
	}
}

func (d *responsesDialect) finished(text string) obj {
	usage := obj{
		"input_tokens", d.promptTokens, "input_tokens_details",
		obj{"cached_tokens", 0},
		"output_tokens", d.tokens, "output_tokens_details",
		obj{"reasoning_tokens", 0},
		"total_tokens", d.promptTokens + d.tokens,
	}
	return d.response("completed", list{d.message("completed", list{d.part(text)})}, usage)
}

func (d *responsesDialect) plain(text string) []byte { return doc(d.finished(text)) }

// event renders one event; its name and its type are the same word.
func (d *responsesDialect) event(name string, members ...any) []byte {
	o := append(obj{"type", name, "sequence_number", d.sequence}, members...)
	d.sequence++
	return sse.AppendEvent(nil, name, doc(o))
}

func (d *responsesDialect) open() [][]byte {
	begun := d.response("in_progress", list{}, nil)
	return [][]byte{
		d.event("response.created", "response", begun),
		d.event("response.in_progress", "response", begun),
		d.event("response.output_item.added", "output_index", 0, "item", d.message("in_progress", list{})),
		d.event("response.content_part.added", "item_id", d.item(), "output_index", 0, "content_index", 0, "part", d.part("")),
	}
}

func (d *responsesDialect) token(_ int, word string) []byte {
	return d.event("response.output_text.delta", "item_id", d.item(), "output_index", 0, "content_index", 0,
		"delta", word, "logprobs", list{})
}

func (d *responsesDialect) close(text string) [][]byte {
	return [][]byte{
		d.event("response.output_text.done", "item_id", d.item(), "output_index", 0, "content_index", 0,
			"text", text, "logprobs", list{}),
		d.event("response.content_part.done", "item_id", d.item(), "output_index", 0, "content_index", 0, "part", d.part(text)),
		d.event("response.output_item.done", "output_index", 0, "item", d.message("completed", list{d.part(text)})),
		d.event("response.completed", "response", d.finished(text)),
	}
}

func (d *responsesDialect) fail() []byte {
	return d.event("error", "code", "server_error", "message", failMessage, "param", nil)
}

func (d *responsesDialect) beat() []byte  { return comment }
func (d *responsesDialect) media() string { return eventStream }
