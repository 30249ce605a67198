package llm

import "tailrace/proxy/exchange"

// askResponses reads POST /v1/responses
// (platform.openai.com/docs/api-reference/responses/create).
func askResponses(body value, _ *exchange.Call, talk *conversation) {
	talk.add("system", body.get("instructions").text(talkMessage+1))
	input := body.get("input")
	if input.kind() != array {
		talk.add("user", quote(input))
		return
	}
	for item := range input.items() {
		switch item.get("type").text(64) {
		case "function_call":
			var s script
			s.call(item.get("name").text(256), item.get("arguments").text(talkMessage))
			talk.add("assistant", s.String())
		case "function_call_output":
			talk.add("tool", parts(item.get("output")))
		case "reasoning":
			talk.add("assistant", summary(item))
		default:
			talk.add(item.get("role").text(64), parts(item.get("content")))
		}
	}
}

func summary(item value) string {
	var s script
	for p := range item.get("summary").items() {
		s.line(p.get("text").text(pieceMax))
	}
	return s.String()
}

// responsesEvent reads an event of a responses stream. Its type stands in the
// data too, which is what SDKs go by. response.incomplete is an answer that
// met its token limit: like finish_reason "length", a proper end.
func responsesEvent(s *said, name string, data value) {
	if t := data.get("type").text(128); t != "" {
		name = t
	}
	switch name {
	case "response.output_text.delta", "response.refusal.delta":
		s.say(answered, data.get("delta").text(pieceMax))
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		s.say(thought, data.get("delta").text(pieceMax))
	case "response.output_item.added":
		if item := data.get("item"); item.get("type").text(64) == "function_call" {
			s.call(item.get("name").text(256), "")
		}
	case "response.function_call_arguments.delta":
		s.say(tool, data.get("delta").text(pieceMax))
	case "response.completed", "response.incomplete":
		responsesUsage(s, data.find("response", "usage"))
		s.complete = true
	case "response.failed":
		responsesUsage(s, data.find("response", "usage"))
		message, _ := errorIn(data.get("response"))
		s.fail(message)
	case "error":
		message, ok := errorIn(data)
		if !ok {
			message = data.get("message").text(faultMax)
		}
		s.fail(message)
	}
}

func responsesUsage(s *said, u value) {
	if u.kind() != object {
		return
	}
	s.usage = exchange.Usage{
		Input:     u.get("input_tokens").int(),
		Output:    u.get("output_tokens").int(),
		Cached:    u.find("input_tokens_details", "cached_tokens").int(),
		Reasoning: u.find("output_tokens_details", "reasoning_tokens").int(),
		Exact:     true,
	}
}

func responsesAnswer(s *said, body value) {
	for item := range body.get("output").items() {
		switch item.get("type").text(64) {
		case "message":
			for p := range item.get("content").items() {
				s.say(answered, p.get("text").text(pieceMax))
				s.say(answered, p.get("refusal").text(pieceMax))
			}
		case "function_call":
			s.call(item.get("name").text(256), item.get("arguments").text(pieceMax))
		case "reasoning":
			s.say(thought, summary(item))
		}
	}
	responsesUsage(s, body.get("usage"))
}
