package fakellm

import "strings"

// voice renders an error body in the words of one provider.
type voice func(status int, message string) []byte

// voiceOf tells the provider by the path alone, as a client would.
func voiceOf(path string) voice {
	switch {
	case strings.HasPrefix(path, "/v1/messages"):
		return anthropicError
	case strings.HasPrefix(path, "/v1beta/"):
		return geminiError
	case strings.HasPrefix(path, "/api/"):
		return ollamaError
	}
	return openaiError
}

func openaiError(status int, message string) []byte {
	kind, code := "server_error", any(nil)
	switch {
	case status == 429:
		kind, code = "rate_limit_exceeded", "rate_limit_exceeded"
	case status == 401:
		kind, code = "invalid_request_error", "invalid_api_key"
	case status < 500:
		kind = "invalid_request_error"
	}
	return doc(obj{"error", obj{"message", message, "type", kind, "param", nil, "code", code}})
}

func anthropicError(status int, message string) []byte {
	return doc(obj{"type", "error", "error", obj{"type", anthropicKind(status), "message", message}})
}

func anthropicKind(status int) string {
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
	case 529:
		return "overloaded_error"
	}
	if status >= 400 && status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}

func geminiError(status int, message string) []byte {
	kinds := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
		404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
	}
	kind := kinds[status]
	if kind == "" {
		kind = "INTERNAL"
	}
	return doc(obj{"error", obj{"code", status, "message", message, "status", kind}})
}

func ollamaError(_ int, message string) []byte {
	return doc(obj{"error", message})
}
