package cache

import (
	"fmt"
	"testing"
	"time"
)

// RFC 9111, section 4.1.
func TestAVariantAnswersOnlyTheRequestsThatSelectIt(t *testing.T) {
	const by = "Accept: a"
	tests := []struct {
		name   string
		vary   []string
		stored []string
		asked  []string
		want   string
	}{
		{"no Vary", nil, []string{by}, []string{"Accept: b"}, "HIT"},
		{"same value", []string{"Vary: Accept"}, []string{by}, []string{by}, "HIT"},
		{"names in any case", []string{"Vary: aCCEPT"}, []string{by}, []string{"ACCEPT: a"}, "HIT"},
		{"other value", []string{"Vary: Accept"}, []string{by}, []string{"Accept: b"}, "MISS vary-miss"},
		{"a prefix of the value", []string{"Vary: Accept"}, []string{"Accept: ab"}, []string{by}, "MISS vary-miss"},
		{"a longer value", []string{"Vary: Accept"}, []string{by}, []string{"Accept: ab"}, "MISS vary-miss"},
		{"absent, then present", []string{"Vary: Accept"}, nil, []string{by}, "MISS vary-miss"},
		{"present, then absent", []string{"Vary: Accept"}, []string{by}, nil, "MISS vary-miss"},
		{"absent is not empty", []string{"Vary: Accept"}, nil, []string{"Accept:"}, "MISS vary-miss"},
		{"absent twice", []string{"Vary: Accept"}, nil, []string{"X: 1"}, "HIT"},
		{"another field does not matter", []string{"Vary: Accept"}, []string{by}, []string{by, "X: 1"}, "HIT"},
		{"second member", []string{"Vary: X, Accept"}, []string{by}, []string{"Accept: b"}, "MISS vary-miss"},
		{"second line", []string{"Vary: X", "Vary: Accept"}, []string{by}, []string{"Accept: b"}, "MISS vary-miss"},
		{"second line, same value", []string{"Vary: X", "Vary: Accept"}, []string{by}, []string{by}, "HIT"},
		{"lines joined", []string{"Vary: Accept"}, []string{"Accept: a", "Accept: b"}, []string{"Accept: a, b"}, "HIT"},
		{"lines split", []string{"Vary: Accept"}, []string{"Accept: a, b"}, []string{"Accept: a", "Accept: b"}, "HIT"},
		{"lines in other order", []string{"Vary: Accept"}, []string{"Accept: a", "Accept: b"}, []string{"Accept: b", "Accept: a"}, "MISS vary-miss"},
		{"one line less", []string{"Vary: Accept"}, []string{"Accept: a", "Accept: b"}, []string{by}, "MISS vary-miss"},
		{"white space around a value", []string{"Vary: Accept"}, []string{"Accept:  a "}, []string{by}, "HIT"},
		{"empty members", []string{"Vary: , ,"}, []string{by}, []string{"Accept: b"}, "HIT"},
		{"Cookie", []string{"Vary: Cookie"}, []string{"Cookie: u=1"}, []string{"Cookie: u=2"}, "MISS vary-miss"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(1 << 20)
			req := get("/", tt.stored...)
			d := c.Decide(enabled, req, false, t0)
			pl := c.Plan(enabled, &d, req, response(200, append(tt.vary, "Cache-Control: max-age=60")...), t0, t0)
			if shares := pl.Shares(get("/", tt.asked...)); shares != (tt.want == "HIT") {
				t.Errorf("shared with a rider: %v", shares)
			}
			if !c.Store(&pl, []byte("x")) {
				t.Fatalf("not stored: %q", pl.Reason)
			}
			expect(t, c, get("/", tt.asked...), t0, tt.want)
		})
	}
}

func TestVariantsLiveSideBySideAndTheNewestThatIsSelectedAnswers(t *testing.T) {
	c := New(1 << 20)
	head := response(200, "Cache-Control: max-age=60", "Vary: Accept-Language")
	mustStore(t, c, get("/", "Accept-Language: de"), head, "deutsch", t0)
	mustStore(t, c, get("/", "Accept-Language: en"), head, "english", t0)
	expectBody(t, c, get("/", "Accept-Language: de"), t0, "deutsch")
	expectBody(t, c, get("/", "Accept-Language: en"), t0, "english")
	mustStore(t, c, get("/", "Accept-Language: de", "Cache-Control: no-cache"), head, "neu", t0)
	expectBody(t, c, get("/", "Accept-Language: de"), t0, "neu")
	if n := c.Stats().Entries; n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
	mustStore(t, c, get("/", "Accept-Language: de", "Cache-Control: no-cache"), response(200, "Cache-Control: max-age=60"), "for all", t0)
	expectBody(t, c, get("/", "Accept-Language: en"), t0, "for all") // newer than english
}

func TestOfTooManyVariantsTheOldestGoes(t *testing.T) {
	c := New(1 << 20)
	head := response(200, "Cache-Control: max-age=60", "Vary: X")
	for i := range maxVariants + 3 {
		mustStore(t, c, get("/", fmt.Sprintf("X: %d", i)), head, fmt.Sprint(i), t0.Add(time.Duration(i)))
	}
	if n := c.Stats().Entries; n != maxVariants {
		t.Errorf("%d entries, want %d", n, maxVariants)
	}
	expect(t, c, get("/", "X: 2"), t0, "MISS vary-miss")
	expectBody(t, c, get("/", "X: 3"), t0, "3")
}
