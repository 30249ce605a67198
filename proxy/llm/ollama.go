package llm

import "tailrace/proxy/exchange"

// askOllama reads POST /api/chat and POST /api/generate
// (docs.ollama.com/api).
func askOllama(body value, _ *exchange.Call, talk *conversation) {
	talk.add("system", body.get("system").text(talkMessage+1))
	talk.add("user", withImages(body.get("prompt").text(talkMessage+1), body))
	for m := range body.get("messages").items() {
		var s script
		s.line(withImages(quote(m.get("content")), m))
		for t := range m.get("tool_calls").items() {
			f := t.get("function")
			s.call(f.get("name").text(256), quote(f.get("arguments")))
		}
		talk.add(m.get("role").text(64), s.String())
	}
}

func withImages(text string, m value) string {
	var s script
	s.line(text)
	for image := range m.get("images").items() {
		s.line(attachment("image", image))
	}
	return s.String()
}

// ollamaEvent reads a line of a stream; the last one says done and carries the
// counts.
func ollamaEvent(s *said, _ string, data value) {
	if message, ok := errorIn(data); ok {
		s.fail(message)
	}
	ollamaAnswer(s, data)
	if data.get("done").isTrue() {
		s.complete = true
	}
}

func ollamaAnswer(s *said, body value) {
	m := body.get("message")
	s.say(thought, m.get("thinking").text(pieceMax))
	s.say(thought, body.get("thinking").text(pieceMax))
	s.say(answered, m.get("content").text(pieceMax))
	s.say(answered, body.get("response").text(pieceMax))
	for t := range m.get("tool_calls").items() {
		f := t.get("function")
		s.call(f.get("name").text(256), string(f.get("arguments").source()))
	}
	if body.get("eval_count").kind() == integer {
		s.usage = exchange.Usage{
			Input:  body.get("prompt_eval_count").int(),
			Output: body.get("eval_count").int(),
			Exact:  true,
		}
	}
}
