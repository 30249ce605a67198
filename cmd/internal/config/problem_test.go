package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var placed = regexp.MustCompile(`^[^:]+:[0-9]+:[0-9]+: .{20,}$`)

func TestABrokenFileIsToldWithAllItsMistakesAndTheirPlaces(t *testing.T) {
	t.Chdir("testdata/broken") // so that the names in the golden files are the same everywhere
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no broken files: %v", err)
	}
	for _, file := range files {
		_, err := Load(file, Options{Env: environment})
		problems := Problems(nil)
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v, want problems", file, err)
			continue
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !placed.MatchString(line) {
				t.Errorf("%s: %q has no place or says little", file, line)
			}
		}
		golden := strings.TrimSuffix(file, ".yaml") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, readErr := os.ReadFile(golden)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if d := cmp.Diff(string(want), err.Error()+"\n"); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

func TestAMissingFileIsNoProblemOfItsContent(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), Options{Env: environment})
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}

func TestKeysOfLaterVersionsAreUnknownToo(t *testing.T) {
	for _, key := range []string{
		"routes[].cache.stale_while_revalidate", "routes[].stream.on_client_gone", "routes[].stream.ids",
		"routes[].journal.envelope", "upstream_pools[].health", "upstream_pools[].connect.hedge_timeout",
		"journal.keep_for", "journal.keep_bytes", "metrics", "routes[].llm",
	} {
		_, err := Parse("f", []byte(document(key, "1")), Options{Env: environment})
		if err == nil || !strings.Contains(err.Error(), "unknown key") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestACredentialThatWouldBreakAHeaderIsRefusedWithoutRepeatingIt(t *testing.T) {
	_, err := Parse("f", []byte(document("routes[].auth", "env:TRICKY")), Options{Env: environment})
	if err == nil || !strings.Contains(err.Error(), "TRICKY holds a line break") || strings.Contains(err.Error(), "a: 1") {
		t.Errorf("%v", err)
	}
}

func TestASuggestionIsMadeOnlyWhenAWordIsNear(t *testing.T) {
	for word, want := range map[string]string{"lisen": "listen", "rutes": "routes", "zzz": "", "p": ""} {
		if got := nearest(word, []string{"listen", "routes", "upstream_pools"}); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

// Whatever stands in a file, it is answered with problems or a configuration.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/broken/*.yaml")
	for _, name := range append(files, "testdata/documented.yaml") {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("a: &a [*a]\n<<: *a\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Parse("f", b, Options{Env: environment})
		if (c == nil) == (err == nil) {
			t.Errorf("configuration %v and error %v", c, err)
		}
	})
}
