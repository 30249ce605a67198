package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStylesGoOnInTheNextLineAndEndWhereTheyAreEnded(t *testing.T) {
	got := read("a\x1b[1m\x1b[38;5;110mb\nc\x1b[0md\x1b[48;2;1;2;3;7me\x1b[27;49mf\n")
	blue := style{front: "#87afd7", bold: true}
	want := [][]piece{
		{{"a", 0, 1, style{}}, {"b", 1, 1, blue}},
		{{"c", 0, 1, blue}, {"d", 1, 1, style{}}, {"e", 2, 1, style{back: "#010203", reversed: true}}, {"f", 3, 1, style{}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(piece{}, style{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestColoursAreThoseOfXterm(t *testing.T) {
	for n, want := range map[int]string{16: "#000000", 110: "#87afd7", 231: "#ffffff", 232: "#080808", 255: "#eeeeee", 256: ""} {
		if got := indexed(n); got != want {
			t.Errorf("colour %d is %q, want %q", n, got, want)
		}
	}
}

func TestForeignSignsAndWideGapsDoNotMoveTheirNeighbours(t *testing.T) {
	var got []piece
	for _, w := range (piece{text: " ✓  ok then  ──│ 世界 x ", at: 10}).words() {
		got = append(got, piece{text: w.text, at: w.at, wide: w.wide})
	}
	want := []piece{
		{text: "✓", at: 11, wide: 1},
		{text: "ok then", at: 14, wide: 7},
		{text: "──", at: 23, wide: 2},
		{text: "│", at: 25, wide: 1},
		{text: "世", at: 27, wide: 2},
		{text: "界", at: 29, wide: 2},
		{text: "x", at: 32, wide: 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(piece{}, style{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestThePictureIsXMLWhateverTheScreenSays(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(draw(read("<&\"'\x1b[7m ]]> \x1b[K\n\x1b[4mé\x1b["), "a <title>")))
	text := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			text += string(c)
		}
	}
	if got := strings.Join(strings.Fields(text), " "); got != `a <title> <&"' ]]> é` {
		t.Errorf("the picture says %q", got)
	}
}
