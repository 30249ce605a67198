package journal

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"tailrace/proxy/exchange"
)

// micros is how times are stored: integers compare and index well, and
// microseconds are what the admin API shows. A time that has not come is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// encodeHeader writes field lines as JSON that gives back every octet: a value
// may hold octets that are no UTF-8 (RFC 9110, section 5.5), which JSON would
// replace. Each octet becomes the character of its number.
func encodeHeader(h exchange.Header) string {
	if h == nil {
		return ""
	}
	pairs := make([][2]string, len(h))
	for i, f := range h {
		pairs[i] = [2]string{octetsToText(f.Name), octetsToText(f.Value)}
	}
	return mustJSON(pairs)
}

func decodeHeader(s string) (exchange.Header, error) {
	if s == "" {
		return nil, nil
	}
	var pairs [][2]string
	if err := json.Unmarshal([]byte(s), &pairs); err != nil {
		return nil, err
	}
	h := make(exchange.Header, len(pairs))
	for i, p := range pairs {
		h[i] = exchange.Field{Name: textToOctets(p[0]), Value: textToOctets(p[1])}
	}
	return h, nil
}

func octetsToText(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

func textToOctets(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

// usageJSON is exchange.Usage with the names that stay on disk.
type usageJSON struct {
	Input     int  `json:"input"`
	Output    int  `json:"output"`
	Cached    int  `json:"cached"`
	Reasoning int  `json:"reasoning"`
	Exact     bool `json:"exact"`
}

func encodeUsage(u exchange.Usage) string {
	if u == (exchange.Usage{}) {
		return ""
	}
	return mustJSON(usageJSON(u))
}

func decodeUsage(s string) (exchange.Usage, error) {
	var u usageJSON
	if s == "" {
		return exchange.Usage{}, nil
	}
	err := json.Unmarshal([]byte(s), &u)
	return exchange.Usage(u), err
}

// mustJSON is for values that always marshal.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
