package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"tailrace/cmd/internal/config"
	"tailrace/proxy"
)

const examples = "../../scripts/examples/"

// noVariables is an environment in which nothing is set but the credentials
// that an example names with auth.
func noVariables(name string) (string, bool) {
	if strings.HasSuffix(name, "_KEY") {
		return "sk-example", true
	}
	return "", false
}

func TestEveryExampleFileLoadsAndMakesAProxy(t *testing.T) {
	files, err := filepath.Glob(examples + "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		c, err := config.Load(file, config.Options{Env: noVariables})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		p, err := proxy.New(proxy.Config{Routes: c.Routes, Pools: c.Pools})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What full.yaml says of a default is what a file without that key gets.
func TestTheFullExampleSaysTheDefaults(t *testing.T) {
	full, err := config.Load(examples+"full.yaml", config.Options{Env: noVariables})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := config.Parse("bare.yaml", []byte(`{
		upstream_pools: [{name: llm, targets: ["https://api.example.com"]}],
		routes: [{match: {path_prefix: /v1/}, pool: llm}]}`), config.Options{Env: noVariables})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*proxy.Route{&full.Routes[0], &bare.Routes[0]} { // an empty list is none
		r.Match.Methods, r.HeaderSet, r.HeaderRemove = append([]string{}, r.Match.Methods...), append(r.HeaderSet, r.HeaderSet...), append([]string{}, r.HeaderRemove...)
	}
	full.Listen.AllowOrigins, bare.Listen.AllowOrigins = append([]string{}, full.Listen.AllowOrigins...), append([]string{}, bare.Listen.AllowOrigins...)
	if diff := cmp.Diff(bare, full); diff != "" {
		t.Errorf("full.yaml differs from the defaults (-default +file):\n%s", diff)
	}
}

// The loader lists the keys that it knows when it meets one that it does not;
// so one is put into each mapping of the file.
func TestTheFullExampleHasEveryKey(t *testing.T) {
	text, err := os.ReadFile(examples + "full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	mappings := map[string][]string{} // the keys of each mapping, by its path
	plant("", root, mappings)
	planted, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	var problems config.Problems
	if _, err = config.Parse("full.yaml", planted, config.Options{Env: noVariables}); !errors.As(err, &problems) {
		t.Fatalf("unknown keys are taken: %v", err)
	}
	looked := 0
	for _, p := range problems {
		place, known, ok := strings.Cut(p.Text, "; known here: ")
		if !ok {
			t.Errorf("%s", p)
			continue
		}
		looked++
		_, at, _ := strings.Cut(place, " in ")
		for _, key := range strings.Split(known, ", ") {
			if !slices.Contains(mappings[at], key) {
				t.Errorf("full.yaml does not show the key %s of %q", key, at)
			}
		}
	}
	if looked != len(mappings) {
		t.Errorf("%d of %d mappings were looked into: %v", looked, len(mappings), slices.Sorted(maps.Keys(mappings)))
	}
}

// plant puts a key that nobody knows into a mapping and all that are in it, and
// notes the keys that were there, by the path that the loader would name.
func plant(at string, v any, mappings map[string][]string) {
	switch v := v.(type) {
	case map[string]any:
		if strings.HasSuffix(at, ".header_set") { // its keys are names of header fields
			return
		}
		mappings[at] = slices.Collect(maps.Keys(v))
		for k, inner := range v {
			plant(strings.TrimPrefix(at+"."+k, "."), inner, mappings)
		}
		v["no_such_key_anywhere"] = 1
	case []any:
		for _, inner := range v {
			plant(at+"[0]", inner, mappings)
		}
	}
}
