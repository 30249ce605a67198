package llm

import (
	"fmt"

	"tailrace/proxy/exchange"
)

// askChat reads POST /v1/chat/completions
// (platform.openai.com/docs/api-reference/chat/create).
func askChat(body value, c *exchange.Call, talk *conversation) {
	c.Usage = body.find("stream_options", "include_usage").isTrue()
	if c.Tools == 0 {
		c.Tools = body.get("functions").count() // before tools there were functions
	}
	for m := range body.get("messages").items() {
		var s script
		s.line(parts(m.get("content")))
		for t := range m.get("tool_calls").items() {
			f := t.get("function")
			s.call(f.get("name").text(256), f.get("arguments").text(talkMessage))
		}
		talk.add(m.get("role").text(64), s.String())
	}
}

// parts is the text of a message's content: a string, or a list of parts as
// chat and responses spell them.
func parts(content value) string {
	if content.kind() != array {
		return quote(content)
	}
	var s script
	for p := range content.items() {
		switch p.get("type").text(64) {
		case "image_url":
			s.line(attachment("image", p.find("image_url", "url")))
		case "input_image":
			s.line(attachment("image", p.get("image_url")))
		case "input_audio":
			a := p.get("input_audio")
			s.line(attachment("audio/"+a.get("format").text(32), a.get("data")))
		case "file":
			s.line(attachment("file", p.find("file", "file_data")))
		case "input_file":
			s.line(attachment("file", p.get("file_data")))
		case "refusal":
			s.line(p.get("refusal").text(talkMessage + 1))
		default:
			s.line(p.get("text").text(talkMessage + 1))
		}
	}
	return s.String()
}

// askCompletion reads POST /v1/completions, whose prompt is a string, several,
// or tokens.
func askCompletion(body value, c *exchange.Call, talk *conversation) {
	c.Usage = body.find("stream_options", "include_usage").isTrue()
	inputs(body.get("prompt"), "user", talk)
}

// askEmbeddings reads POST /v1/embeddings.
func askEmbeddings(body value, _ *exchange.Call, talk *conversation) {
	inputs(body.get("input"), "input", talk)
}

func inputs(v value, role string, talk *conversation) {
	if v.kind() != array {
		talk.add(role, quote(v))
		return
	}
	if v.first().kind() == integer {
		talk.add(role, fmt.Sprintf("[%d tokens]", v.count()))
		return
	}
	for item := range v.items() {
		inputs(item, role, talk)
	}
}

// chatEvent reads a chunk of a chat or a completion. Of several choices, which
// come interleaved, the first is the one shown; all count.
func chatEvent(s *said, _ string, data value) {
	if message, ok := errorIn(data); ok {
		s.fail(message)
	}
	for c := range data.get("choices").items() {
		if c.get("index").int() > 0 {
			if d := c.get("delta"); d.get("content").text(1) != "" || c.get("text").text(1) != "" {
				s.pieces++
			}
			continue
		}
		s.say(answered, c.get("text").text(pieceMax)) // completions
		chatMessage(s, c.get("delta"))
	}
	chatUsage(s, data.get("usage"))
}

// chatMessage says what a message, or a delta of one, holds.
func chatMessage(s *said, m value) {
	// DeepSeek and vLLM call it reasoning_content, OpenRouter reasoning.
	s.say(thought, m.get("reasoning_content").text(pieceMax))
	s.say(thought, m.get("reasoning").text(pieceMax))
	s.say(answered, m.get("content").text(pieceMax))
	s.say(answered, m.get("refusal").text(pieceMax))
	for t := range m.get("tool_calls").items() {
		f := t.get("function")
		name, arguments := f.get("name").text(256), f.get("arguments").text(pieceMax)
		if name != "" {
			s.call(name, arguments)
		} else {
			s.say(tool, arguments)
		}
	}
}

// chatUsage reads the usage object, which a stream's chunks carry as null until
// the last (and some servers carry, growing, on each).
func chatUsage(s *said, u value) {
	if u.kind() != object {
		return
	}
	s.usage = exchange.Usage{
		Input:     u.get("prompt_tokens").int(),
		Output:    u.get("completion_tokens").int(),
		Cached:    u.find("prompt_tokens_details", "cached_tokens").int(),
		Reasoning: u.find("completion_tokens_details", "reasoning_tokens").int(),
		Exact:     true,
	}
}

func chatAnswer(s *said, body value) {
	c := body.get("choices").first()
	s.say(answered, c.get("text").text(pieceMax))
	chatMessage(s, c.get("message"))
	chatUsage(s, body.get("usage"))
}

func embeddingsAnswer(s *said, body value) { chatUsage(s, body.get("usage")) }
