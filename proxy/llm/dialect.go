package llm

import (
	"regexp"
	"strings"

	"tailrace/proxy/exchange"
)

// dialect is how one API of a provider is read.
type dialect struct {
	// ask reads a request.
	ask func(body value, c *exchange.Call, talk *conversation)
	// event reads one event of a stream: its name and its data.
	event func(s *said, name string, data value)
	// answer reads a response in one piece.
	answer func(s *said, body value)
	// member is what makes an object an answer of this API.
	member string
	// done is data that is no JSON and ends a stream; "" when there is none.
	done string
}

type api struct {
	dialect exchange.Dialect
	name    string
}

var dialects = map[api]*dialect{
	{exchange.DialectOpenAI, "chat"}:        {askChat, chatEvent, chatAnswer, "choices", "[DONE]"},
	{exchange.DialectOpenAI, "completions"}: {askCompletion, chatEvent, chatAnswer, "choices", "[DONE]"},
	{exchange.DialectOpenAI, "responses"}:   {askResponses, responsesEvent, responsesAnswer, "output", ""},
	{exchange.DialectOpenAI, "embeddings"}:  {askEmbeddings, chatEvent, embeddingsAnswer, "data", ""},
	{exchange.DialectAnthropic, "messages"}: {askAnthropic, anthropicEvent, anthropicAnswer, "content", ""},
	{exchange.DialectGemini, "generate"}:    {askGemini, geminiEvent, geminiAnswer, "candidates", ""},
	{exchange.DialectOllama, "chat"}:        {askOllama, ollamaEvent, ollamaAnswer, "message", ""},
	{exchange.DialectOllama, "generate"}:    {askOllama, ollamaEvent, ollamaAnswer, "response", ""},
}

// dialectOf returns how a call is read, nil when it is no call to a model.
func dialectOf(c *exchange.Call) *dialect { return dialects[api{c.Dialect, c.API}] }

var version = regexp.MustCompile(`^v\d+(alpha|beta)?\d*$`)

// place sets Dialect and API by the end of the path, whatever stands before
// it: a prefix of ours, of a gateway ("/openrouter/api/v1/chat/completions"),
// or a doubled /v1. Gemini names the model in its path; verb is what is asked
// of it.
//
// "/responses", "/embeddings" and "/completions" are common words: they count
// as the whole path, behind a version, or behind a segment "openai" (Azure).
func place(path string, c *exchange.Call) (verb string) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	last := segments[len(segments)-1]
	before := ""
	if len(segments) > 1 {
		before = segments[len(segments)-2]
	}
	if model, verb, ok := cutVerb(last); ok {
		c.Dialect, c.API, c.Model = exchange.DialectGemini, "generate", clip(model, modelMax)
		return verb
	}
	switch last {
	case "completions":
		if before == "chat" {
			c.Dialect, c.API = exchange.DialectOpenAI, "chat"
		} else if standsAlone(segments) {
			c.Dialect, c.API = exchange.DialectOpenAI, last
		}
	case "responses", "embeddings":
		if standsAlone(segments) {
			c.Dialect, c.API = exchange.DialectOpenAI, last
		}
	case "messages":
		if before == "v1" {
			c.Dialect, c.API = exchange.DialectAnthropic, last
		}
	case "chat", "generate":
		if before == "api" {
			c.Dialect, c.API = exchange.DialectOllama, last
		}
	}
	return ""
}

func standsAlone(segments []string) bool {
	n := len(segments)
	if n == 1 || version.MatchString(segments[n-2]) {
		return true
	}
	for _, s := range segments[:n-1] {
		if s == "openai" {
			return true
		}
	}
	return false
}

// cutVerb reads "MODEL:generateContent". Some clients escape the colon.
func cutVerb(segment string) (model, verb string, ok bool) {
	segment = strings.NewReplacer("%3A", ":", "%3a", ":").Replace(segment)
	model, verb, _ = strings.Cut(segment, ":")
	return model, verb, verb == generate || verb == generateStream
}
