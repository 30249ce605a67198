package sse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show turns events into text, so that a difference can be read.
func show(e Event) string {
	if e.Comment {
		return fmt.Sprintf("comment %q", e.Data)
	}
	s := fmt.Sprintf("%q %q", e.Name, e.Data)
	if e.ID != "" || e.HasID {
		s += fmt.Sprintf(" id=%q set=%v", e.ID, e.HasID)
	}
	if e.Retry != -1 {
		s += fmt.Sprintf(" retry=%d", e.Retry)
	}
	return s
}

// run feeds the pieces and returns the events, then the count of dropped ones.
func run(s *Scanner, pieces ...string) []string {
	out := []string{}
	for _, p := range pieces {
		b := []byte(p)
		s.Feed(b, func(e Event) { out = append(out, show(e)) })
		for i := range b {
			b[i] = '!' // the scanner must not read what its caller reuses
		}
	}
	s.End(func(e Event) { out = append(out, show(e)) })
	if s.Dropped() > 0 {
		out = append(out, fmt.Sprintf("dropped %d", s.Dropped()))
	}
	return out
}

var eventRules = []struct {
	name, in string
	want     []string
}{
	{"one event", "data: a\n\n", []string{`"" "a"`}},
	{"CR alone ends a line", "data: a\r\rdata: b\r\r", []string{`"" "a"`, `"" "b"`}},
	{"CRLF ends a line once", "data: a\r\n\r\ndata: b\r\n\r\n", []string{`"" "a"`, `"" "b"`}},
	{"line ends may be mixed", "data: a\r\ndata: b\rdata: c\n\r", []string{`"" "a\nb\nc"`}},
	{"LF CR is two line ends", "data: a\n\rdata: b\n\n", []string{`"" "a"`, `"" "b"`}},
	{"CR CRLF is two line ends", "data: a\r\r\ndata: b\n\n", []string{`"" "a"`, `"" "b"`}},
	{"a leading BOM is left out", "\xef\xbb\xbfdata: a\n\n", []string{`"" "a"`}},
	{"a second BOM is part of the name", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", []string{}},
	{"half a BOM is part of the name", "\xef\xbbdata: a\n\ndata: b\n\n", []string{`"" "b"`}},
	{
		"comments are reported at once", ": hi\ndata: a\n:\ndata: b\n\n",
		[]string{`comment " hi"`, `comment ""`, `"" "a\nb"`},
	},
	{"event names the type for one event", "event: x\ndata: 1\n\ndata: 2\n\n", []string{`"x" "1"`, `"" "2"`}},
	{"the last event field wins", "event: x\nevent: y\ndata: 1\n\n", []string{`"y" "1"`}},
	{"data lines are joined by LF", "data: a\ndata:\ndata: b\n\n", []string{`"" "a\n\nb"`}},
	{"an empty data line is an event", "data:\n\n", []string{`"" ""`}},
	{"a field without colon has an empty value", "data\n\ndata\ndata\n\n", []string{`"" ""`, `"" "\n"`}},
	{"one leading space is removed", "data:a\ndata:  b\n\n", []string{`"" "a\n b"`}},
	{"a tab is kept", "data:\ta\n\n", []string{`"" "\ta"`}},
	{"a colon in the value is kept", "data: a: b\n\n", []string{`"" "a: b"`}},
	{"without data there is no event", "event: x\n\nid: 1\n\n\n\ndata: a\n\n", []string{`"" "a" id="1" set=false`}},
	{
		"an id stays in force", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
		[]string{`"" "a" id="1" set=true`, `"" "b" id="1" set=false`, `"" "c" id="" set=true`},
	},
	{
		"an id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n",
		[]string{`"" "a" id="1" set=true`, `"" "b" id="1" set=false`},
	},
	{
		"retry takes digits only", "retry: 30\ndata: a\n\nretry: -1\nretry: 1s\nretry:\ndata: b\n\n",
		[]string{`"" "a" retry=30`, `"" "b"`},
	},
	{"unknown fields are ignored", "foo: 1\ndatax: 2\nDATA: 3\n data: 4\ndata: a\n\n", []string{`"" "a"`}},
	{"an unterminated event is discarded", "data: a\n\ndata: b\n", []string{`"" "a"`}},
	{"an unterminated line is discarded", "data: a\n\ndata: b", []string{`"" "a"`}},
	{"nothing is nothing", "", []string{}},
}

var lineRules = []struct {
	name, in string
	want     []string
}{
	{"a line is a document", "{}\n[1]\n", []string{`"" "{}"`, `"" "[1]"`}},
	{"CRLF is a line end", "{}\r\n1\r\n", []string{`"" "{}"`, `"" "1"`}},
	{"blank lines are left out", "\n{}\n\n \r\n1\n", []string{`"" "{}"`, `"" "1"`}},
	{"an unterminated last line counts", "{}\n{\"a\"", []string{`"" "{}"`, `"" "{\"a\""`}},
	{"CR inside is kept", "a\rb\n", []string{`"" "a\rb"`}},
}

func TestEventRules(t *testing.T) {
	for _, c := range eventRules {
		t.Run(c.name, func(t *testing.T) {
			slicings(t, func() *Scanner { return NewEvents(1 << 20) }, c.in, c.want)
		})
	}
}

func TestLineRules(t *testing.T) {
	for _, c := range lineRules {
		t.Run(c.name, func(t *testing.T) {
			slicings(t, func() *Scanner { return NewLines(1 << 20) }, c.in, c.want)
		})
	}
}

// slicings asserts that the events are the same whole, at every split into
// two, in every split into three when that is cheap, and byte by byte.
func slicings(t *testing.T, make func() *Scanner, in string, want []string) {
	t.Helper()
	check := func(pieces ...string) {
		t.Helper()
		if diff := cmp.Diff(want, run(make(), pieces...)); diff != "" {
			t.Fatalf("pieces %q (-want +got):\n%s", pieces, diff)
		}
	}
	check(in)
	check(strings.Split(in, "")...)
	for i := range in {
		check(in[:i], in[i:])
		check(in[:i], "", in[i:])
		for j := i; j < len(in) && len(in) < 64; j++ {
			check(in[:i], in[i:j], in[j:])
		}
	}
}

func TestAnEventAboveTheLimitIsDroppedAndScanningGoesOn(t *testing.T) {
	in := "data: a\n\ndata: 0123456789\n: c\ndata: more\n\nid: 7\ndata: b\n\n"
	slicings(t, func() *Scanner { return NewEvents(12) }, in,
		[]string{`"" "a"`, `"" "b" id="7" set=true`, "dropped 1"})
}

func TestManySmallDataLinesAreBoundedToo(t *testing.T) {
	in := strings.Repeat("data: 1234\n", 10) + "\ndata: b\n\n"
	slicings(t, func() *Scanner { return NewEvents(20) }, in, []string{`"" "b"`, "dropped 1"})
}

func TestAnOversizedEventWithoutEndIsCountedAtTheEnd(t *testing.T) {
	slicings(t, func() *Scanner { return NewEvents(8) }, "data: 0123456789", []string{"dropped 1"})
}

func TestALineAboveTheLimitIsDropped(t *testing.T) {
	slicings(t, func() *Scanner { return NewLines(4) }, "12345\n1234\n\n123456",
		[]string{`"" "1234"`, "dropped 2"})
}

func TestBuffersStayWithinTheLimit(t *testing.T) {
	const limit = 1 << 16
	s := NewEvents(limit)
	piece := bytes.Repeat([]byte("x"), 1000)
	s.Feed([]byte("data: "), nil)
	for range 10_000 {
		s.Feed(piece, nil)
		if got := cap(s.line) + cap(s.buf); got > 4*limit {
			t.Fatalf("buffers hold %d bytes at a limit of %d", got, limit)
		}
	}
	s.End(nil)
	if s.Dropped() != 1 {
		t.Fatalf("dropped %d, want 1", s.Dropped())
	}
}

func TestALargeEventComesOutWhole(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	in := AppendEvent(nil, "big", data)
	s := NewEvents(8 << 20)
	var got []byte
	for len(in) > 0 {
		n := min(len(in), 1447)
		s.Feed(in[:n], func(e Event) { got = bytes.Clone(e.Data) })
		in = in[n:]
	}
	if !bytes.Equal(got, data) {
		t.Fatalf("got %d bytes, want %d", len(got), len(data))
	}
	s.Feed(nil, nil)
	if cap(s.line)+cap(s.buf) > 32<<10 {
		t.Fatalf("the room of the large event is kept: %d", cap(s.line)+cap(s.buf))
	}
}

func TestDataIsValidUntilTheNextFeed(t *testing.T) {
	s := NewEvents(1 << 20)
	var kept []Event
	s.Feed([]byte("data: one\n\n: note\n\ndata: two\n\ndata: thr"), func(e Event) { kept = append(kept, e) })
	var got []string
	for _, e := range kept {
		got = append(got, string(e.Data))
	}
	if diff := cmp.Diff([]string{"one", " note", "two"}, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestLastID(t *testing.T) {
	s := NewEvents(100)
	s.Feed([]byte("id: 1-4\n\n"), nil)
	if s.LastID() != "1-4" {
		t.Fatalf("got %q", s.LastID())
	}
}

func TestAppendEventIsReadBack(t *testing.T) {
	for data, want := range map[string]string{"a": "a", "": "", "a\nb": "a\nb", "a\r\nb\rc\n": "a\nb\nc\n"} {
		got := run(NewEvents(100), string(AppendEvent(nil, "n", []byte(data))))
		if diff := cmp.Diff([]string{fmt.Sprintf("%q %q", "n", want)}, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, c := range eventRules {
		f.Add([]byte(c.in), uint16(1), uint16(3), uint16(1000))
		f.Add([]byte(c.in), uint16(2), uint16(5), uint16(6))
	}
	f.Fuzz(func(t *testing.T, in []byte, a, b, limit uint16) {
		for _, scanner := range []func(int) *Scanner{NewEvents, NewLines} {
			whole := run(scanner(int(limit)), string(in))
			var pieces []string
			for rest, n := string(in), int(a); len(rest) > 0; n = n*31 + int(b) {
				cut := min(len(rest), 1+n&0xff)
				pieces = append(pieces, rest[:cut])
				rest = rest[cut:]
			}
			if diff := cmp.Diff(whole, run(scanner(int(limit)), pieces...)); diff != "" {
				t.Fatalf("sliced differs (-whole +sliced):\n%s", diff)
			}
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	event := AppendEvent(nil, "content_block_delta",
		[]byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" water"}}`))
	s := NewEvents(8 << 20)
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for b.Loop() {
		s.Feed(event, func(Event) {})
	}
}
