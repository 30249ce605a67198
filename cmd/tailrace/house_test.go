package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// The top level is fixed: a reader finds five folders and the papers.
func TestTheTopLevelHoldsWhatItMay(t *testing.T) {
	may := []string{
		"cmd", "tui", "proxy", "store", "scripts", "go.mod", "go.sum", "LICENSE", "README.md", "README.zh-CN.md",
		"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
		"tailrace", "tailrace.exe", // of go build; never committed
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(may, e.Name()) {
			t.Errorf("%s stands at the top level, which is fixed: put it under cmd, tui, proxy, store or scripts", e.Name())
		}
	}
}

// room is a part of the house: what it may import besides the standard library,
// and why no more.
type room struct {
	path string
	may  []string
	why  string
}

// rooms is the table of ARCHITECTURE.md. The longest path that fits holds; a
// name that ends in "/" stands for all below it.
var rooms = []room{
	{"cmd/tailrace", []string{"cmd/", "proxy/", "store/", "tui/", "*"}, ""},
	{"cmd/internal/", []string{"proxy/", "store/", "tui/", "*"}, "the parts of cmd do not know each other: cmd/tailrace ties them"},
	{"proxy", []string{"proxy/", "github.com/valyala/fasthttp"}, "the proxy does and states facts; it knows neither who remembers nor who shows"},
	{"proxy/exchange", nil, "the shared words are plain values: nothing stands below them"},
	{"proxy/queue", nil, "slots know nothing of HTTP or of models"},
	{"proxy/sse", nil, "framing knows nothing of who speaks"},
	{"proxy/cache", []string{"proxy/exchange"}, "RFC 9111 is decided on plain values"},
	{"proxy/flight", []string{"proxy/exchange"}, "a flight does not know what flies"},
	{"proxy/origin", []string{"proxy/exchange", "github.com/valyala/fasthttp", "golang.org/x/sys/"}, "a connection knows neither routes nor models"},
	{"proxy/llm", []string{"proxy/exchange", "proxy/sse", "github.com/klauspost/compress/", "github.com/andybalholm/brotli"}, "what a model said is read from bytes alone"},
	{"proxy/fakellm", []string{"proxy/sse", "github.com/valyala/fasthttp"}, "an origin that shared the proxy's code would share its mistakes"},
	{"proxy/proxytest", []string{"proxy/", "go.uber.org/goleak"}, "it is for tests of the proxy"},
	{"store/live", []string{"proxy/exchange"}, "the present is a fold of facts"},
	{"store/journal", []string{"proxy/exchange", "database/sql", "modernc.org/sqlite", "golang.org/x/sys/"}, "the journal is told steps; it does not know who takes them"},
	{"tui", []string{
		"tui/", "store/live", "proxy/exchange", "github.com/charmbracelet/", "github.com/muesli/termenv", "github.com/rivo/uniseg",
	}, "the screen shows what it is handed: traffic and files are out of its reach"},
	{"scripts", []string{"proxy/", "store/", "tui/", "*"}, ""},
}

const module = "tailrace/"

// wrong says why a package may not import another, or nothing.
func wrong(from, imported string) string {
	r := roomOf(from)
	if r == nil {
		return fmt.Sprintf("%s is no room of the house: name it in rooms, with what it may import", from)
	}
	own, ours := strings.CutPrefix(imported, module)
	first, _, _ := strings.Cut(imported, "/")
	if !ours && !strings.Contains(first, ".") && imported != "database/sql" {
		return "" // the standard library
	}
	for _, may := range r.may {
		switch {
		case may == "*" && !ours, own == may, own+"/" == may, strings.HasSuffix(may, "/") && strings.HasPrefix(own, may):
			return ""
		}
	}
	return fmt.Sprintf("%s may not import %s: %s", from, own, r.why)
}

func roomOf(pkg string) *room {
	var best *room
	for i := range rooms {
		r := &rooms[i]
		below := strings.HasPrefix(pkg+"/", strings.TrimSuffix(r.path, "/")+"/")
		if below && (best == nil || len(r.path) > len(best.path)) {
			best = r
		}
	}
	return best
}

func TestEachRoomImportsWhatItMay(t *testing.T) {
	seen := map[string]bool{}
	sources(t, func(file, pkg string) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Error(err)
			}
			if why := wrong(pkg, name); why != "" {
				t.Errorf("%s: %s", file, why)
			}
		}
		seen[roomOf(pkg).path] = true
	})
	for _, r := range rooms {
		if !seen[r.path] && r.path != "scripts" {
			t.Errorf("the room %s is empty: take it out of rooms", r.path)
		}
	}
}

func TestAWrongImportIsNamedWithItsReason(t *testing.T) {
	for _, w := range [][2]string{
		{"proxy", "tailrace/store/journal"},
		{"proxy", "tailrace/tui"},
		{"proxy", "modernc.org/sqlite"},
		{"tui", "tailrace/proxy"},
		{"tui", "tailrace/store/journal"},
		{"tui/cell", "tailrace/proxy/llm"},
		{"store/journal", "tailrace/proxy"},
		{"store/live", "database/sql"},
		{"store/live", "tailrace/store/journal"},
		{"proxy/queue", "tailrace/proxy/exchange"},
		{"proxy/exchange", "github.com/valyala/fasthttp"},
		{"proxy/cache", "tailrace/proxy/flight"},
		{"proxy/fakellm", "tailrace/proxy/llm"},
		{"cmd/internal/admin", "tailrace/cmd/internal/config"},
		{"proxy/new", "tailrace/store/live"},
	} {
		if why := wrong(w[0], w[1]); !strings.Contains(why, " may not import ") || strings.HasSuffix(why, ": ") {
			t.Errorf("%s importing %s: %q", w[0], w[1], why)
		}
	}
	if wrong("elsewhere", "fmt") == "" {
		t.Error("a package outside the house is let pass")
	}
}

func TestNoFileIsLongerThan300Lines(t *testing.T) {
	sources(t, func(file, _ string) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte("\n")); n > 300 {
			t.Errorf("%s has %d lines: two rooms share it", file, n)
		}
	})
}

// sources calls visit for each Go file of the module, tests left out.
func sources(t *testing.T, visit func(file, pkg string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err == nil {
			visit(file, path.Dir(filepath.ToSlash(rel)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
