package fakellm

import (
	"encoding/json"
	"strconv"
)

// obj is a JSON object whose members keep their order: key, value, key, value.
// Providers' documents are compared by eye, and a map would sort them.
type obj []any

// list is a JSON array.
type list []any

// doc renders a JSON document of obj, list, strings, numbers, bools, nil and
// json.RawMessage.
func doc(v any) []byte { return appendJSON(nil, v) }

func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return appendString(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case json.RawMessage:
		return append(dst, v...)
	case list:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	case obj:
		dst = append(dst, '{')
		for i := 0; i+1 < len(v); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, v[i].(string))
			dst = append(dst, ':')
			dst = appendJSON(dst, v[i+1])
		}
		return append(dst, '}')
	}
	panic("fakellm: no JSON form for this value")
}

// appendString quotes s. Text without anything to escape, nearly all of ours,
// is copied; the rest takes the long way.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			b, _ := json.Marshal(s)
			return append(dst, b...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
