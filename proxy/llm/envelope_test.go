package llm

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestAnEnvelopeIsAnObjectWithTheMemberOfItsAPI(t *testing.T) {
	members := map[api]string{
		{exchange.DialectOpenAI, "chat"}: "choices", {exchange.DialectOpenAI, "completions"}: "choices",
		{exchange.DialectOpenAI, "responses"}: "output", {exchange.DialectOpenAI, "embeddings"}: "data",
		{exchange.DialectAnthropic, "messages"}: "content", {exchange.DialectGemini, "generate"}: "candidates",
		{exchange.DialectOllama, "chat"}: "message", {exchange.DialectOllama, "generate"}: "response",
	}
	for a, member := range members {
		c := &exchange.Call{Dialect: a.dialect, API: a.name}
		m := `"` + member + `"`
		for body, want := range map[string]string{
			`{` + m + `:[]}`:   "",
			`{` + m + `:null}`: "",
			` { "x" : NaN , "y":-Infinity, ` + m + `:1, ` + m + `:{"a":[1,{"b":2}]} } `: "",
			`{"error":1}`:              "unexpected envelope",
			`{"x":{` + m + `:1}}`:      "unexpected envelope",
			`[{` + m + `:1}]`:          "unexpected envelope",
			`[]`:                       "unexpected envelope",
			`"` + member + `"`:         "unexpected envelope",
			`{` + m:                    "not JSON: it ends after",
			``:                         "not JSON: it ends after 0 bytes",
			`{` + m + `:[]} x`:         "not JSON: something follows",
			"{" + m + ":\"a\x01b\"}":   "not JSON: a control character",
			"\xef\xbb\xbf{" + m + ":1": "not JSON",
		} {
			err := CheckEnvelope(c, headOf(200, "application/json"), []byte(body))
			switch {
			case want == "" && err != nil, want != "" && err == nil:
				t.Errorf("%v: %s: %v", a, body, err)
			case want == "unexpected envelope" && err.Error() != want:
				t.Errorf("%v: %s: %q", a, body, err)
			case err != nil && !strings.HasPrefix(err.Error(), want):
				t.Errorf("%v: %s: %q", a, body, err)
			}
		}
	}
}

func TestAnEnvelopeIsReadThroughItsCoding(t *testing.T) {
	c := &exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}
	h := headOf(200, "application/json")
	h.Header = append(h.Header, encoded("gzip")...)
	if err := CheckEnvelope(c, h, encoders["gzip"]([]byte(`{"choices":[]}`))); err != nil {
		t.Error(err)
	}
	if err := CheckEnvelope(c, h, []byte(`{"choices":[]}`)); err == nil {
		t.Error("damaged gzip is an envelope")
	}
}

func TestACallOfNoDialectHasNoEnvelope(t *testing.T) {
	if err := CheckEnvelope(&exchange.Call{}, headOf(200, "text/html"), []byte("<p>")); err != nil {
		t.Error(err)
	}
}

func TestTheArrayThatGeminiStreamsIsAnEnvelopeOnItsPathOnly(t *testing.T) {
	c, h, body := transcript(t, "gemini-stream.json")
	if err := CheckEnvelope(c, h, body); err != nil {
		t.Error(err)
	}
	c.Declared = exchange.DeclaredNot
	if err := CheckEnvelope(c, h, body); err == nil {
		t.Error("an array answers generateContent")
	}
}
