package llm

import "tailrace/proxy/exchange"

// The verbs of a Gemini path (ai.google.dev/api/generate-content).
const (
	generate       = "generateContent"
	generateStream = "streamGenerateContent"
)

// either returns the member under its JSON name, or under its proto name,
// which Google's parsers accept as well.
func (v value) either(name, proto string) value {
	if m := v.get(name); m.kind() != absent {
		return m
	}
	return v.get(proto)
}

func askGemini(body value, c *exchange.Call, talk *conversation) {
	c.Tools = 0
	for t := range body.get("tools").items() {
		c.Tools += t.either("functionDeclarations", "function_declarations").count()
	}
	talk.add("system", geminiParts(body.either("systemInstruction", "system_instruction")))
	for content := range body.get("contents").items() {
		role := content.get("role").text(64)
		if role == "" {
			role = "user"
		}
		talk.add(role, geminiParts(content))
	}
}

func geminiParts(content value) string {
	var s script
	for p := range content.get("parts").items() {
		s.line(p.get("text").text(talkMessage + 1))
		if d := p.either("inlineData", "inline_data"); d.present() {
			s.line(attachment(d.either("mimeType", "mime_type").text(64), d.get("data")))
		}
		if f := p.either("fileData", "file_data"); f.present() {
			s.line(attachment(f.either("mimeType", "mime_type").text(64), f.either("fileUri", "file_uri")))
		}
		if f := p.either("functionCall", "function_call"); f.present() {
			s.call(f.get("name").text(256), quote(f.get("args")))
		}
		if f := p.either("functionResponse", "function_response"); f.present() {
			s.call(f.get("name").text(256), quote(f.get("response")))
		}
	}
	return s.String()
}

// geminiEvent reads a chunk, which is a whole answer's object with a part of
// its text. There is no marker of its own: the answer is complete when the last
// chunk names a finishReason, or why the prompt was blocked, and the transfer
// then ends.
func geminiEvent(s *said, _ string, data value) {
	if message, ok := errorIn(data); ok {
		s.fail(message)
	}
	first := data.get("candidates").first()
	if first.kind() == object {
		s.finished = false
	}
	if first.get("finishReason").present() || data.find("promptFeedback", "blockReason").present() {
		s.finished = true
	}
	geminiAnswer(s, data)
}

func geminiAnswer(s *said, body value) {
	for p := range body.get("candidates").first().find("content", "parts").items() {
		kind := answered
		if p.get("thought").isTrue() {
			kind = thought
		}
		s.say(kind, p.get("text").text(pieceMax))
		if f := p.get("functionCall"); f.present() {
			s.call(f.get("name").text(256), string(f.get("args").source()))
		}
	}
	// candidatesTokenCount does not count thoughts; Usage.Output does, as it
	// does for the other dialects.
	if u := body.get("usageMetadata"); u.kind() == object {
		thoughts := u.get("thoughtsTokenCount").int()
		s.usage = exchange.Usage{
			Input:     u.get("promptTokenCount").int(),
			Output:    u.get("candidatesTokenCount").int() + thoughts,
			Cached:    u.get("cachedContentTokenCount").int(),
			Reasoning: thoughts,
			Exact:     true,
		}
	}
}
