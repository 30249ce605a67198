package llm

import (
	"bytes"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
)

// modelMax bounds the name of a model, in bytes.
const modelMax = 256

// Inspect reads what a request asks. A call is recognised by its path; the
// body is read when it is a POST of JSON, compressed or not. With strict only
// the Accept header declares a stream; else also the body ("stream": true), the
// path (Gemini) or the default of the API (Ollama).
//
// It never fails: what cannot be read is left out of the Call.
func Inspect(req *exchange.Request, strict bool) exchange.Call {
	var c exchange.Call
	c.WantsSSE = acceptsEvents(req.Header)
	if c.WantsSSE {
		c.Declared = exchange.DeclaredAccept
	}
	if req.Method != "POST" {
		return c
	}
	verb := place(req.Path(), &c)
	root, key := readBody(req, c.Dialect != exchange.DialectNone)
	c.Key, c.Digest = key.Short, key.Digest
	if !strict && c.Declared == exchange.DeclaredNot {
		c.Declared = declaredBy(&c, verb, root.get("stream"))
	}
	if d := dialectOf(&c); d != nil && root.kind() == object {
		if m := root.get("model").text(modelMax); m != "" {
			c.Model = m
		}
		c.Tools = root.get("tools").count()
		var talk conversation
		d.ask(root, &c, &talk)
		c.Messages = talk.bounded()
	}
	return c
}

// declaredBy says what declares a stream beside Accept.
func declaredBy(c *exchange.Call, verb string, stream value) exchange.DeclaredBy {
	switch {
	case verb == generateStream:
		return exchange.DeclaredPath
	case stream.isTrue() && c.Dialect != exchange.DialectGemini:
		return exchange.DeclaredBody
	case c.Dialect == exchange.DialectOllama && stream.kind() != falsity:
		return exchange.DeclaredPath
	}
	return exchange.DeclaredNot
}

// readBody parses the body of a POST. The key is set when the body is JSON and
// names asks for one, also when the JSON is broken: then by its bytes.
func readBody(req *exchange.Request, keyed bool) (value, Key) {
	isJSON := jsonType(req.Header.Get("Content-Type"))
	if len(req.Body) == 0 {
		return value{}, Key{}
	}
	body, err := Decode(req.Header, req.Body, decodeLimit)
	if err == nil && !isJSON && !looksLikeJSON(body) {
		return value{}, Key{}
	}
	var d document
	if err == nil {
		err = d.parse(body, maxDepth)
	}
	switch {
	case err != nil && isJSON && keyed:
		return value{}, digest(rawKey(req.Body))
	case err != nil:
		return value{}, Key{}
	case keyed:
		return d.root(), digest(func(p *printer) { identity(p, d.root()) })
	default:
		return d.root(), Key{}
	}
}

// jsonType reports whether a Content-Type is application/json or one of its
// relatives (RFC 6839, "+json").
func jsonType(contentType string) bool {
	t := mediaType(contentType)
	return t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json")
}

// looksLikeJSON lets curl -d through, which says that its JSON is a form.
func looksLikeJSON(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// mediaType is a Content-Type without its parameters, in lower case.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// acceptsEvents reports whether Accept names text/event-stream, with a weight
// that is not zero (RFC 9110, section 12.5.1). A wildcard names nothing.
func acceptsEvents(h exchange.Header) bool {
	for _, line := range h.Values("Accept") {
		for item := range strings.SplitSeq(line, ",") {
			if mediaType(item) == "text/event-stream" && weighs(item) {
				return true
			}
		}
	}
	return false
}

func weighs(item string) bool {
	for p := range strings.SplitSeq(item, ";") {
		name, v, ok := strings.Cut(strings.TrimSpace(p), "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			return err != nil || q > 0
		}
	}
	return true
}

// IsStream says whether a response head begins a stream: text/event-stream,
// application/x-ndjson or application/vnd.amazon.eventstream.
func IsStream(head *exchange.Head) bool { return framingOf(head) != framingNone }

type framing int

const (
	framingNone framing = iota
	framingEvents
	framingLines
	framingArray  // a JSON array that is sent element by element (Gemini)
	framingBinary // not looked into
)

func framingOf(head *exchange.Head) framing {
	switch mediaType(head.Header.Get("Content-Type")) {
	case "text/event-stream":
		return framingEvents
	case "application/x-ndjson":
		return framingLines
	case "application/vnd.amazon.eventstream":
		return framingBinary
	}
	return framingNone
}
