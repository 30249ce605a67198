package fakellm

import (
	"strings"

	"github.com/valyala/fasthttp"
)

// route finds the answer by the exact path.
func (a *answer) route() {
	switch a.path {
	case "/_fakellm/cacheable":
		a.cacheable()
	case "/_fakellm/events":
		a.events()
	case "/_fakellm/echo":
		a.echo()
	case "/v1/models":
		a.get(openaiModels)
	case "/api/tags":
		a.get(ollamaTags)
	case "/api/version":
		a.get(ollamaVersion)
	case "/v1/chat/completions":
		a.post(chat)
	case "/v1/completions":
		a.post(completion)
	case "/v1/responses":
		a.post(responses)
	case "/v1/embeddings":
		a.post(embeddings)
	case "/v1/messages":
		a.post(messages)
	case "/api/chat":
		a.post(ollamaChat)
	case "/api/generate":
		a.post(ollamaGenerate)
	default:
		if model, method, ok := geminiCall(a.path); ok {
			a.post(gemini(model, method, strings.Contains("&"+a.query+"&", "&alt=sse&")))
			return
		}
		a.refuse(fasthttp.StatusNotFound, "fakellm does not know the path "+a.path)
	}
}

func (a *answer) status() int {
	if a.fault.status != 0 {
		return a.fault.status
	}
	return fasthttp.StatusOK
}

func (a *answer) get(document func() []byte) {
	if !a.ctx.IsGet() && !a.ctx.IsHead() {
		a.extra = append(a.extra, field{"Allow", "GET, HEAD"})
		a.refuse(fasthttp.StatusMethodNotAllowed, "use GET on "+a.path)
		return
	}
	a.whole(a.status(), "application/json", document())
}

// reply is what a dialect makes of a request: how it answers, whether as a
// stream, and the headers of its own.
type reply struct {
	dialect dialect
	stream  bool
	extra   []field
}

func (a *answer) post(read func(*ask) reply) {
	if !a.ctx.IsPost() {
		a.extra = append(a.extra, field{"Allow", "POST"})
		a.refuse(fasthttp.StatusMethodNotAllowed, "use POST on "+a.path)
		return
	}
	plain, err := a.ctx.Request.BodyUncompressedWithLimit(maxBody)
	if err != nil {
		a.refuse(fasthttp.StatusBadRequest, "the request body cannot be decompressed: "+err.Error())
		return
	}
	q, err := readAsk(a.path, plain, &a.fault)
	if err != nil {
		a.refuse(fasthttp.StatusBadRequest, "the request body is no JSON object that fits: "+err.Error())
		return
	}
	r := read(q)
	a.extra = append(a.extra, r.extra...)
	if r.stream {
		a.tell(a.status(), r.dialect, q)
		return
	}
	if a.fault.has("error") { // there is no error event in a plain answer
		a.refuse(fasthttp.StatusInternalServerError, failMessage)
		return
	}
	text := q.speech().text()
	document := r.dialect.plain(text)
	a.pieces(a.status(), "application/json", document, func() ([][]byte, []byte) {
		return split(document, text, q.speech())
	})
}

const failMessage = "fakellm was asked to fail here"
