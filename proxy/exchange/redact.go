package exchange

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
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
		plain, err := url.QueryUnescape(name)
		if ok && (IsSecret(name) || err == nil && IsSecret(plain)) {
			parts[i] = name + "=" + Redacted
		} else {
			parts[i] = RedactText(p)
		}
	}
	return path + "?" + strings.Join(parts, "&")
}

// secretMembers are members of JSON bodies whose values are credentials, with
// their values.
var secretMembers = regexp.MustCompile(`("(?i:(?:x[-_])?(?:goog[-_])?api[-_]?key|access[-_]?token|refresh[-_]?token|auth[-_]?token|client[-_]?secret|password|secret|authorization)"\s*:\s*)"(?:[^"\\]|\\.)+"`)

// RedactBody removes what has the shape of a key, and the values of JSON members
// that are credentials by their name, from a body. It returns the body itself,
// not a copy, when there is none, and whether there was none.
func RedactBody(b []byte) (out []byte, intact bool) {
	out, intact = b, true
	if suspect(b) && hasKey(keyShapes.FindAll(b, -1)) {
		out, intact = keyShapes.ReplaceAllFunc(b, blot), false
	}
	if named(out) && secretMembers.Match(out) {
		out, intact = secretMembers.ReplaceAll(out, []byte(`${1}"`+Redacted+`"`)), false
	}
	return out, intact
}

// RedactText removes what has the shape of a key.
func RedactText(s string) string {
	if !suspect(s) {
		return s
	}
	return string(keyShapes.ReplaceAllFunc([]byte(s), blot))
}

// blot replaces a match that is a key. Words joined by "_" or "-" may begin like
// one ("pk_customer_orders_id"); a key has a digit, but for the oldest prefix,
// which stands in no other word, and what follows "Bearer".
func blot(match []byte) []byte {
	if isKey(match) {
		return []byte(Redacted)
	}
	return match
}

func isKey(match []byte) bool {
	return bytes.HasPrefix(match, []byte("sk-")) || bytes.ContainsAny(match[:1], "bB") || bytes.ContainsAny(match, "0123456789")
}

func hasKey(matches [][]byte) bool { return slices.ContainsFunc(matches, isKey) }

// named is a quick look for a name that secretMembers might take.
func named(b []byte) bool {
	for _, part := range [...]string{"key", "KEY", "Key", "oken", "OKEN", "ecret", "ECRET", "assword", "ASSWORD", "uthorization", "UTHORIZATION"} {
		if bytes.Contains(b, []byte(part+`"`)) {
			return true
		}
	}
	return false
}
