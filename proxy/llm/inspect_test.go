package llm

import (
	"bytes"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"tailrace/proxy/exchange"
)

// post is a request as SDKs send it.
func post(target, body string, fields ...string) *exchange.Request {
	r := &exchange.Request{Method: "POST", Target: target, Body: []byte(body)}
	r.Header = exchange.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"}}
	for i := 0; i < len(fields); i += 2 {
		r.Header = r.Header.With(fields[i], fields[i+1])
	}
	return r
}

func TestThePathTellsTheDialectWhateverStandsBeforeIt(t *testing.T) {
	for target, want := range map[string]string{
		"/v1/chat/completions":                                   "openai chat",
		"/v1/v1/chat/completions":                                "openai chat",
		"/chat/completions":                                      "openai chat",
		"/chat/completions/":                                     "openai chat",
		"/openrouter/api/v1/chat/completions?x=/v1/messages":     "openai chat",
		"/openai/deployments/gpt/chat/completions?api-version=2": "openai chat",
		"/v1/completions":                                        "openai completions",
		"/v1/responses":                                          "openai responses",
		"/responses":                                             "openai responses",
		"/openai/responses":                                      "openai responses",
		"/v1/embeddings":                                         "openai embeddings",
		"/openai/deployments/e/embeddings":                       "openai embeddings",
		"/v1/messages":                                           "anthropic messages",
		"/anthropic/v1/v1/messages":                              "anthropic messages",
		"/v1beta/models/gemini-2.5-flash:generateContent":        "gemini generate",
		"/gemini/v1beta/models/m:streamGenerateContent?alt=sse":  "gemini generate",
		"/v1beta/models/m%3AstreamGenerateContent":               "gemini generate",
		"/api/chat":                                              "ollama chat",
		"/ollama/api/generate":                                   "ollama generate",
		"/v1/models":                                             " ",
		"/v1/messages/count_tokens":                              " ",
		"/v1/threads/t1/messages":                                " ",
		"/v1/responses/resp_1":                                   " ",
		"/surveys/42/responses":                                  " ",
		"/api/embed":                                             " ",
		"/generate":                                              " ",
		"/v1beta/models/m:countTokens":                           " ",
		"/":                                                      " ",
		"":                                                       " ",
		"/t/TOKEN/v1/chat/completions":                           "openai chat",
		"/v1/chat/completions%2f":                                " ",
		"/api/paas/v4/chat/completions":                          "openai chat",
		"/v1beta1/projects/p/locations/l/models/m:generateContent": "gemini generate",
	} {
		c := Inspect(post(target, `{"messages":[]}`), false)
		if got := string(c.Dialect) + " " + c.API; got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
		if (c.Key != "") != (want != " ") {
			t.Errorf("%s: key %q", target, c.Key)
		}
	}
}

func TestOnlyAnAcceptThatNamesEventStreamDeclaresOne(t *testing.T) {
	for accept, want := range map[string]bool{
		"text/event-stream":                                true,
		"TEXT/Event-Stream; charset=utf-8":                 true,
		"application/json, text/event-stream":              true,
		"text/event-stream;q=0.1":                          true,
		"application/json;q=0.9 , text/event-stream ; q=1": true,
		"text/event-stream;q=0":                            false,
		"text/event-stream; Q=0.000":                       false,
		"*/*":                                              false,
		"text/*":                                           false,
		"application/x-ndjson":                             false,
		"text/event-streams":                               false,
		"":                                                 false,
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT"} {
			r := &exchange.Request{Method: method, Target: "/x", Header: exchange.Header{{Name: "accept", Value: accept}}}
			for _, strict := range []bool{false, true} {
				c := Inspect(r, strict)
				if c.WantsSSE != want || c.Stream() != want || want && c.Declared != exchange.DeclaredAccept {
					t.Errorf("%s with Accept %q, strict %v: %q", method, accept, strict, c.Declared)
				}
			}
		}
	}
	two := exchange.Header{{Name: "Accept", Value: "a/b"}, {Name: "Accept", Value: "text/event-stream"}}
	if !Inspect(&exchange.Request{Method: "GET", Target: "/", Header: two}, true).WantsSSE {
		t.Error("a second field line is not read")
	}
}

func TestWhatRealClientsSendDeclaresAStreamUnlessStrict(t *testing.T) {
	const chat = "/v1/chat/completions"
	for _, c := range []struct {
		req  *exchange.Request
		want exchange.DeclaredBy
	}{
		{post(chat, `{"stream":true}`), exchange.DeclaredBody},
		{post(chat, `{"\u0073tream": true}`), exchange.DeclaredBody},
		{post(chat, `{"stream":false,"stream":true}`), exchange.DeclaredBody},
		{post(chat, `{"stream":true,"stream":false}`), exchange.DeclaredNot},
		{post(chat, `{"stream":1}`), exchange.DeclaredNot},
		{post(chat, `{"stream":"true"}`), exchange.DeclaredNot},
		{post(chat, `{"messages":[{"stream":true}]}`), exchange.DeclaredNot},
		{post(chat, `[{"stream":true}]`), exchange.DeclaredNot},
		{post(chat, `{"stream":true`), exchange.DeclaredNot},
		{post(chat, `{"stream":true}`, "Accept", "text/event-stream"), exchange.DeclaredAccept},
		{post(chat, `{"stream":true}`, "Content-Type", "application/x-www-form-urlencoded"), exchange.DeclaredBody},
		{post(chat, `{"stream":true}`, "Content-Type", "application/vnd.x+json; charset=utf-8"), exchange.DeclaredBody},
		{post(chat, `stream=true`, "Content-Type", "application/x-www-form-urlencoded"), exchange.DeclaredNot},
		{post("/anything", `{"stream":true}`), exchange.DeclaredBody},
		{post("/v1beta/models/m:streamGenerateContent", `{}`), exchange.DeclaredPath},
		{post("/v1beta/models/m:generateContent", `{"stream":true}`), exchange.DeclaredNot},
		{post("/api/chat", `{}`), exchange.DeclaredPath},
		{post("/api/generate", `{"stream":null}`), exchange.DeclaredPath},
		{post("/api/chat", `{"stream":true}`), exchange.DeclaredBody},
		{post("/api/chat", `{"stream":false}`), exchange.DeclaredNot},
	} {
		if got := Inspect(c.req, false).Declared; got != c.want {
			t.Errorf("%s %s: %q, want %q", c.req.Target, c.req.Body, got, c.want)
		}
		strict := c.want
		if strict != exchange.DeclaredAccept {
			strict = exchange.DeclaredNot
		}
		if got := Inspect(c.req, true).Declared; got != strict {
			t.Errorf("%s %s, strict: %q, want %q", c.req.Target, c.req.Body, got, strict)
		}
		get := *c.req
		get.Method = "GET"
		if got := Inspect(&get, false); got.Declared != strict || got.Key != "" || got.Dialect != exchange.DialectNone {
			t.Errorf("GET %s: %+v", c.req.Target, got)
		}
	}
}

func TestACompressedBodyIsReadAsIfItWereNot(t *testing.T) {
	body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	want := Inspect(post("/v1/chat/completions", body), false)
	for coding, compress := range encoders {
		got := Inspect(post("/v1/chat/completions", string(compress([]byte(body))), "Content-Encoding", coding), false)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", coding, d)
		}
	}
	for _, coding := range []string{"gzip", "snappy"} {
		got := Inspect(post("/v1/chat/completions", body, "Content-Encoding", coding), false)
		if raw := spell(rawKey([]byte(body))).Short; got.Stream() || got.Key != raw {
			t.Errorf("%s that is none: key %q, want that of the bytes, %q; %+v", coding, got.Key, raw, got)
		}
	}
}

func TestAKeyNeedsAPostOfJSONToAKnownPath(t *testing.T) {
	for name, c := range map[string]struct {
		req *exchange.Request
		key string
	}{
		"JSON":                 {post("/v1/embeddings", `{"input":"x"}`), KeyOf([]byte(`{"input":"x"}`)).Short},
		"curl's form":          {post("/api/chat", `{"a":1}`, "Content-Type", "application/x-www-form-urlencoded"), KeyOf([]byte(`{"a":1}`)).Short},
		"broken JSON":          {post("/v1/embeddings", `{"input`), KeyOf([]byte(`{"input`)).Short},
		"a form with brackets": {post("/api/chat", `{"a":`, "Content-Type", "text/plain"), ""},
		"no body":              {post("/v1/embeddings", ``), ""},
		"multipart":            {post("/v1/embeddings", "--x\r\n\r\n--x--", "Content-Type", "multipart/form-data; boundary=x"), ""},
		"another path":         {post("/v1/files", `{"input":"x"}`), ""},
	} {
		got := Inspect(c.req, false)
		if got.Key != c.key || got.Journalable() != (c.key != "") || (got.Digest != [32]byte{}) != (c.key != "") {
			t.Errorf("%s: key %q, want %q", name, got.Key, c.key)
		}
	}
}

// encoders compress, by content coding.
var encoders = map[string]func([]byte) []byte{
	"gzip": func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	},
	"deflate": func(b []byte) []byte {
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	},
	"br": func(b []byte) []byte {
		var out bytes.Buffer
		w := brotli.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	},
	"zstd": func(b []byte) []byte {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		defer w.Close()
		return w.EncodeAll(b, nil)
	},
}
