package exchange

import (
	"regexp"
	"strings"
)

// Redacted is what stands in place of a secret.
const Redacted = "[redacted]"

// secretNames are header fields and query parameters whose values are
// credentials at one provider or another.
var secretNames = map[string]bool{
	"authorization": true, "proxy-authorization": true, "x-api-key": true, "x-goog-api-key": true,
	"api-key": true, "cookie": true, "set-cookie": true, "x-tailrace-token": true, "key": true,
	"api_key": true, "apikey": true, "access_token": true, "token": true, "openai-api-key": true,
	"anthropic-api-key": true, "x-auth-token": true, "x-amz-security-token": true, "x-csrf-token": true,
	"client_secret": true, "password": true, "secret": true,
}

// keyShapes are the forms in which providers issue keys; they are removed from
// texts wherever they stand (error messages like to repeat them).
var keyShapes = regexp.MustCompile(`\b(sk|pk|rk|xai|gsk|hf|ghp|gho|pplx|fw|r8|nvapi|tgp)[-_][A-Za-z0-9_\-]{12,}|\bAIza[A-Za-z0-9_\-]{20,}|(?i:bearer)\s+[A-Za-z0-9._~+/\-]{12,}=*`)

// IsSecret reports whether a header field or query parameter of that name
// carries a credential.
func IsSecret(name string) bool { return secretNames[strings.ToLower(name)] }

// RedactHeader returns a copy without the values of credentials.
func RedactHeader(h Header) Header {
	out := make(Header, len(h))
	for i, f := range h {
		if IsSecret(f.Name) {
			f.Value = Redacted
		} else {
			f.Value = RedactText(f.Value)
		}
		out[i] = f
	}
	return out
}

// RedactTarget returns the target without the values of query parameters that
// are credentials ("?key=..." at Gemini), and without keys in its path.
func RedactTarget(target string) string {
	path, query, found := strings.Cut(target, "?")
	path = RedactText(path)
	if !found {
		return path
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, ok := strings.Cut(p, "=")
		if ok && IsSecret(name) {
			parts[i] = name + "=" + Redacted
		} else {
			parts[i] = RedactText(p)
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// RedactBody removes what has the shape of a key from a body. It returns the
// body itself, not a copy, when there is none, and whether there was none.
func RedactBody(b []byte) (out []byte, intact bool) {
	if !suspect(b) || !keyShapes.Match(b) {
		return b, true
	}
	return keyShapes.ReplaceAll(b, []byte(Redacted)), false
}

// RedactText removes what has the shape of a key.
func RedactText(s string) string {
	if !suspect(s) {
		return s
	}
	return keyShapes.ReplaceAllString(s, Redacted)
}
