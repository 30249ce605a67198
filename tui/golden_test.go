package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden screens anew; look at them before you commit them")

var sizes = [][2]int{{60, 20}, {80, 24}, {120, 36}, {160, 50}}

// golden compares the screen with the one that was looked at and found good.
func (s *screen) golden(name string) {
	s.t.Helper()
	got := ""
	for l := range strings.SplitSeq(s.m.View(), "\n") {
		got += strings.TrimRight(l, " ") + "\n"
	}
	path := filepath.Join("testdata", fmt.Sprintf("%s_%dx%d.txt", name, s.m.w, s.m.h))
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatalf("no golden screen; go test ./tui -update writes it: %v", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		s.t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func TestScreensLookAsTheyDid(t *testing.T) {
	for _, size := range sizes {
		for name, keys := range map[string][]string{
			"requests": {"j", "j", "j"},
			"streams":  {"2"},
			"queue":    {"3"},
			"journal":  {"4", "j", "j"},
			"help":     {"?"},
			"filtered": {"/", "g", "p", "t", "enter"},
		} {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				s := newScreen(t, size[0], size[1], fixture())
				s.press(keys...)
				s.golden(name)
			})
		}
	}
}

func TestDetailLooksAsItDid(t *testing.T) {
	for i, name := range tabNames {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, 80, 24, fixture())
			s.press("/", "c", "l", "a", "u", "d", "e", "enter", "j", "enter", fmt.Sprint(i+1))
			s.golden("detail_" + strings.ToLower(name))
		})
	}
}

func TestTheFirstScreenTellsANewcomerWhatToDo(t *testing.T) {
	try := []string{"2 shows streams as they grow; x kills one", "4, then r on the INTERRUPTED row, completes it", "/ filters, ? explains", "one line more than there is room for at 80x24"}
	for _, size := range sizes {
		s := newScreen(t, size[0], size[1], nil, func(o *Options) {
			o.Demo, o.Try = true, try
			o.Notices = func() []string {
				return []string{"an older notice", "the journal lies on a temporary file system and will vanish with this machine"}
			}
		})
		s.shows("OPENAI_BASE_URL=http://127.0.0.1:8245/v1", "Point a client here", try[0], "the journal lies on a temporary")
		s.golden("first")
		s.press("t")
		s.hides(try[0])
	}
}

func TestAQuestionLooksAsItDid(t *testing.T) {
	for _, size := range sizes {
		s := newScreen(t, size[0], size[1], fixture())
		s.press("q")
		s.shows("4 exchanges are live", "y quit", "n no")
		s.golden("question")
	}
}
