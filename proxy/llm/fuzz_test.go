package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzCanonical(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Prompt))
		f.Add([]byte(v.Params))
	}
	f.Add([]byte(`{"a":[1,{"b":"\ud83d\ude00"}],"a":-0.0,"":1e5}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		k, err := KeyOfParts([]byte("null"), doc)
		if err != nil {
			// What Go reads and Python does not: long integers, deep nesting.
			if json.Valid(doc) && !strings.Contains(err.Error(), "digits") && !strings.Contains(err.Error(), "deep") &&
				!strings.Contains(err.Error(), "UTF-8") {
				t.Fatalf("%q is JSON: %v", doc, err)
			}
			return
		}
		for i := range len(k.Canonical) {
			if c := k.Canonical[i]; c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, k.Canonical)
			}
		}
		params := strings.TrimSuffix(strings.TrimPrefix(k.Canonical, `{"params": `), `, "prompt": null}`)
		again, err := KeyOfParts([]byte("null"), []byte(params))
		if err != nil || again.Canonical != k.Canonical {
			t.Fatalf("the canonical form of %q is not its own: %q, %v", k.Canonical, again.Canonical, err)
		}
	})
}
