package config

import (
	"strings"
	"testing"
)

func TestVariablesAreReplacedInValues(t *testing.T) {
	for value, want := range map[string]string{
		"${TOKEN}":                "sk-test",
		"Bearer ${TOKEN}":         "Bearer sk-test",
		"'${TOKEN}-${N}'":         "sk-test-7",
		`"${TOKEN}"`:              "sk-test",
		"${UNSET:-fallback}":      "fallback",
		"${EMPTY:-fallback}":      "fallback",
		"${EMPTY}":                "",
		"${UNSET:-}":              "",
		"${UNSET:-a, b: c # {d]}": "a, b: c # {d]",
		"${N:-8}":                 "7",
		"a$$b":                    "a$b",
		"$${N}x":                  "${N}x",
		"\"$${TOKEN}\"":           "${TOKEN}",
		"${UNSET:-grüße 🌊}":       "grüße 🌊",
	} {
		// In a flow mapping, where a brace would end it, and in a block.
		texts := []string{document("routes[].request.header_set", "{X: "+value+"}")}
		if strings.HasPrefix(value, "$${") {
			texts = nil // a literal brace in a flow mapping wants quotes, as everywhere in YAML
		}
		texts = append(texts, strings.Replace(document("routes[].request", "HERE"), "HERE", "\n      header_set:\n        X: "+value, 1))
		for _, text := range texts {
			if got := load(t, text).Routes[0].HeaderSet[0].Value; got != want {
				t.Errorf("%s gives %q, want %q", text, got, want)
			}
		}
	}
}

func TestANumberCanComeFromAVariable(t *testing.T) {
	c := load(t, document("routes[].cache.max_fetch_concurrency", "${N}"))
	if c.Routes[0].MaxFetchConcurrency != 7 {
		t.Errorf("concurrency is %d", c.Routes[0].MaxFetchConcurrency)
	}
}

// What a variable holds is text: it can neither add keys nor be expanded again.
func TestAVariableNeverChangesTheStructure(t *testing.T) {
	text := strings.Replace(document("routes[].name", "HERE"), "HERE", "${TRICKY}", 1)
	if got := load(t, text).Routes[0].Name; got != "a: 1\n# } ${N}" {
		t.Errorf("name is %q", got)
	}
}

func TestTheColumnIsRightBehindAVariable(t *testing.T) {
	_, err := Parse("f", []byte("listen: { admin: '${ADDR}', http: nowhere }\n"), Options{Env: environment})
	if err == nil || !strings.Contains(err.Error(), "f:1:35: listen.http") {
		t.Errorf("problems are\n%v", err)
	}
}
