package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// A dependency that nobody can say a word for should not be there.
func TestContributingSaysWhyEachDependencyIsThere(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json", "../../go.mod").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{}
	for _, r := range mod.Require {
		direct[r.Path] = !r.Indirect
		line := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(r.Path) + "` \\| .+ \\|$")
		if !r.Indirect && !line.Match(text) {
			t.Errorf("CONTRIBUTING.md has no line that says why %s is required", r.Path)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.[^` ]+/[^` ]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		if !direct[m[1]] {
			t.Errorf("CONTRIBUTING.md gives a reason for %s, which go.mod does not require", m[1])
		}
	}
}
