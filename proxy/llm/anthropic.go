package llm

import "tailrace/proxy/exchange"

// askAnthropic reads POST /v1/messages (docs.claude.com/en/api/messages).
func askAnthropic(body value, _ *exchange.Call, talk *conversation) {
	talk.add("system", blocks(body.get("system")))
	for m := range body.get("messages").items() {
		talk.add(m.get("role").text(64), blocks(m.get("content")))
	}
}

// blocks is the text of content: a string, or a list of blocks.
func blocks(content value) string {
	if content.kind() != array {
		return quote(content)
	}
	var s script
	for b := range content.items() {
		switch b.get("type").text(64) {
		case "image", "document":
			src := b.get("source")
			kind := src.get("media_type").text(64)
			if kind == "" {
				kind = b.get("type").text(64)
			}
			data := src.get("data")
			if !data.present() {
				data = src.get("url")
			}
			s.line(attachment(kind, data))
		case "thinking":
			s.line(b.get("thinking").text(talkMessage + 1))
		case "tool_use", "server_tool_use":
			s.call(b.get("name").text(256), quote(b.get("input")))
		case "tool_result":
			s.line(blocks(b.get("content")))
		default:
			s.line(b.get("text").text(talkMessage + 1))
		}
	}
	return s.String()
}

// anthropicEvent reads an event of a stream
// (docs.claude.com/en/docs/build-with-claude/streaming). Usage comes twice: the
// input in message_start, the output, cumulative, in message_delta.
func anthropicEvent(s *said, name string, data value) {
	if t := data.get("type").text(64); t != "" {
		name = t
	}
	switch name {
	case "message_start":
		anthropicUsage(s, data.find("message", "usage"))
		s.usage.Exact = false // its output_tokens is only a beginning
	case "content_block_start":
		switch b := data.get("content_block"); b.get("type").text(64) {
		case "tool_use", "server_tool_use":
			s.call(b.get("name").text(256), "")
		default:
			s.say(answered, b.get("text").text(pieceMax))
		}
	case "content_block_delta":
		d := data.get("delta")
		s.say(answered, d.get("text").text(pieceMax))
		s.say(thought, d.get("thinking").text(pieceMax))
		s.say(tool, d.get("partial_json").text(pieceMax))
	case "message_delta":
		anthropicUsage(s, data.get("usage"))
	case "message_stop":
		s.complete = true
	case "error":
		message, _ := errorIn(data)
		s.fail(message)
	}
}

// anthropicUsage reads a usage object; what it leaves out stays as it was.
// input_tokens does not count what was read from or written to the prompt
// cache; Usage.Input does, as it does for the other dialects.
func anthropicUsage(s *said, u value) {
	if u.kind() != object {
		return
	}
	if in := u.get("input_tokens"); in.kind() == integer {
		s.usage.Cached = u.get("cache_read_input_tokens").int()
		s.usage.Input = in.int() + s.usage.Cached + u.get("cache_creation_input_tokens").int()
	}
	if out := u.get("output_tokens"); out.kind() == integer {
		s.usage.Output, s.usage.Exact = out.int(), true
	}
}

func anthropicAnswer(s *said, body value) {
	for b := range body.get("content").items() {
		switch b.get("type").text(64) {
		case "thinking":
			s.say(thought, b.get("thinking").text(pieceMax))
		case "tool_use", "server_tool_use":
			s.call(b.get("name").text(256), string(b.get("input").source()))
		default:
			s.say(answered, b.get("text").text(pieceMax))
		}
	}
	anthropicUsage(s, body.get("usage"))
}
