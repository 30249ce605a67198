package llm

import (
	"bytes"
	"encoding/json"

	"tailrace/proxy/exchange"
	"tailrace/proxy/sse"
)

// openAIError is error of an OpenAI answer, and of most who imitate it.
type openAIError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

type typedError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type googleError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
}

// ErrorBody is the body of an error of ours, as JSON in the form that the
// dialect's SDKs read. code is a word for programs ("shed", "killed"), message a
// sentence for people.
func ErrorBody(d exchange.Dialect, status int, code, message string) []byte {
	switch d {
	case exchange.DialectOpenAI:
		return encode(map[string]any{"error": openAIError{message, openAIType(status), nil, code}})
	case exchange.DialectAnthropic:
		return encode(struct {
			Type  string     `json:"type"`
			Error typedError `json:"error"`
		}{"error", typedError{anthropicType(status), message}})
	case exchange.DialectGemini:
		return encode(map[string]any{"error": googleError{status, message, googleStatus(status)}})
	case exchange.DialectOllama:
		return encode(map[string]any{"error": message})
	default:
		return encode(map[string]any{"error": typedError{code, message}})
	}
}

// ErrorEvent is what is sent before a stream of ours is aborted, so that the
// client's SDK raises with this message: a clean end without terminal marker is
// a success to most of them, and a bare abort says nothing. It is a whole
// event and must stand at the start of one; Meter.ErrorEvent sees to that.
// Nil when the call speaks no dialect.
func ErrorEvent(call *exchange.Call, code, message string) []byte {
	const broken = 502
	body := ErrorBody(call.Dialect, broken, code, message)
	switch {
	case dialectOf(call) == nil:
		return nil
	case call.Dialect == exchange.DialectOllama:
		return append(body, '\n')
	case call.Dialect == exchange.DialectAnthropic:
		return sse.AppendEvent(nil, "error", body)
	case call.Dialect == exchange.DialectOpenAI && call.API == "responses":
		return sse.AppendEvent(nil, "error", responsesError(code, message))
	default:
		return sse.AppendEvent(nil, "", body)
	}
}

// responsesError is the Responses API's event "error". The reference gives its
// members flat; a member "error" beside them is what the OpenAI SDKs raise for,
// and the form that the Vercel AI SDK reads.
func responsesError(code, message string) []byte {
	return encode(struct {
		Type     string      `json:"type"`
		Code     string      `json:"code"`
		Message  string      `json:"message"`
		Param    *string     `json:"param"`
		Sequence int         `json:"sequence_number"`
		Error    openAIError `json:"error"`
	}{"error", code, message, nil, 0, openAIError{message, openAIType(502), nil, code}})
}

// ErrorEvent is what to write right behind the bytes fed so far, before an
// abort: the package's ErrorEvent, and before it what ends an event that was
// cut. Nil where nothing can be added: the dialect is unknown, or the stream
// is compressed or framed in another way.
func (m *Meter) ErrorEvent(call *exchange.Call, code, message string) []byte {
	event := ErrorEvent(call, code, message)
	lines := call.Dialect == exchange.DialectOllama
	switch {
	case event == nil, m.unpack != nil:
		return nil
	case m.framing == framingEvents && !lines:
		return append([]byte(m.breach()), event...)
	case m.framing == framingLines && lines:
		if n := len(m.tail); n > 0 && m.tail[n-1] != '\n' {
			return append([]byte("\n"), event...)
		}
		return event
	}
	return nil
}

// breach is what ends the event under way: nothing behind a blank line.
func (m *Meter) breach() string {
	rest, ended := cutLineEnd(m.tail)
	if _, blank := cutLineEnd(rest); len(m.tail) == 0 || ended && blank {
		return ""
	}
	return "\n\n"
}

func cutLineEnd(b []byte) ([]byte, bool) {
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if rest, ok := bytes.CutSuffix(b, []byte(end)); ok {
			return rest, true
		}
	}
	return b, false
}

func openAIType(status int) string {
	switch {
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// anthropicType follows docs.claude.com/en/api/errors.
func anthropicType(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 503, 529:
		return "overloaded_error"
	case 504:
		return "timeout_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// googleStatus follows google.rpc.Code's mapping to HTTP.
func googleStatus(status int) string {
	switch status {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 409:
		return "ABORTED"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case 500:
		return "INTERNAL"
	case 502, 503:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	return "INVALID_ARGUMENT"
}

// encode never fails: its values are strings and numbers.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
