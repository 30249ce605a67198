package fakellm

import "strings"

// geminiDialect is Google's POST /v1beta/models/NAME:generateContent and
// :streamGenerateContent, the latter as events with alt=sse, else as one JSON
// array that grows.
type geminiDialect struct {
	*ask
	served string // the model of the path
	events bool
	begun  bool // an element of the array has gone out
}

// geminiCall takes the model and the method out of a path.
func geminiCall(path string) (model, method string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/v1beta/models/")
	if !ok {
		return "", "", false
	}
	model, method, _ = strings.Cut(rest, ":")
	return model, method, model != "" && (method == "generateContent" || method == "streamGenerateContent")
}

func gemini(model, method string, events bool) func(*ask) reply {
	return func(q *ask) reply {
		return reply{dialect: &geminiDialect{ask: q, served: model, events: events}, stream: method == "streamGenerateContent"}
	}
}

// response is one GenerateContentResponse; said is the number of tokens so far.
func (d *geminiDialect) response(text string, finish string, said int) []byte {
	candidate := obj{"content", obj{"parts", list{obj{"text", text}}, "role", "model"}}
	if finish != "" {
		candidate = append(candidate, "finishReason", finish)
	}
	candidate = append(candidate, "index", 0)
	return doc(obj{
		"candidates",
		list{candidate},
		"usageMetadata",
		obj{
			"promptTokenCount", d.promptTokens, "candidatesTokenCount", said,
			"totalTokenCount", d.promptTokens + said,
		},
		"modelVersion", d.served, "responseId", d.id("", 22),
	})
}

func (d *geminiDialect) plain(text string) []byte { return d.response(text, "STOP", d.tokens) }

// frame wraps a response for the wire. Google ends its lines with CRLF.
func (d *geminiDialect) frame(response []byte) []byte {
	if d.events {
		return append(append([]byte("data: "), response...), "\r\n\r\n"...)
	}
	before := "["
	if d.begun {
		before = ",\r\n"
	}
	d.begun = true
	return append([]byte(before), response...)
}

func (d *geminiDialect) open() [][]byte { return nil }

func (d *geminiDialect) token(i int, word string) []byte {
	return d.frame(d.response(word, "", i+1))
}

func (d *geminiDialect) close(string) [][]byte {
	last := d.frame(d.response("", "STOP", d.tokens))
	if d.events {
		return [][]byte{last}
	}
	return [][]byte{append(last, "]\n"...)}
}

func (d *geminiDialect) fail() []byte {
	b := d.frame(geminiError(503, failMessage))
	if !d.events {
		b = append(b, "]\n"...)
	}
	return b
}

// beat: white space is allowed between the elements of an array.
func (d *geminiDialect) beat() []byte {
	if d.events {
		return []byte(": keep-alive\r\n\r\n")
	}
	return []byte("\n")
}

func (d *geminiDialect) media() string {
	if d.events {
		return "text/event-stream"
	}
	return "application/json; charset=UTF-8"
}
