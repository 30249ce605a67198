package exchange

import "strings"

// keyPrefixes are what keyShapes lets a key begin with.
var keyPrefixes = []string{"sk", "pk", "rk", "xai", "gsk", "hf", "ghp", "gho", "pplx", "fw", "r8", "nvapi", "tgp"}

// suspect reports whether keyShapes may match: never false where it does. A
// regular expression reads some 10 MB/s, which made a prompt of 20 MiB wait for
// seconds; this reads it in milliseconds, and hardly any text is suspect.
func suspect[T string | []byte](s T) bool {
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case '-', '_':
			if keyed(s[max(0, i-6):i], s[i+1:]) {
				return true
			}
		case 'z':
			if s[i-1] == 'I' && s[i-2] == 'A' {
				return true
			}
		case 'r', 'R':
			if i >= 5 && i+1 < len(s) && s[i+1] <= ' ' && strings.EqualFold(string(s[i-5:i]), "beare") {
				return true
			}
		}
	}
	return false
}

// keyed reports whether a dash between two texts joins a prefix of a key and
// what may be the rest of one.
func keyed[T string | []byte](before, after T) bool {
	for i := range 12 {
		if i >= len(after) || after[i] != '-' && !word(after[i]) {
			return false
		}
	}
	for _, p := range keyPrefixes {
		n := len(before) - len(p)
		if n >= 0 && string(before[n:]) == p && (n == 0 || !word(before[n-1])) {
			return true
		}
	}
	return false
}

// word is \w of a regular expression.
func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
