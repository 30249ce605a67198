package cache

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestCacheControlIsReadConservatively(t *testing.T) {
	none := responseDirectives{maxAge: absent, sMaxAge: absent}
	with := func(f func(*responseDirectives)) responseDirectives {
		d := none
		f(&d)
		return d
	}
	age := func(n seconds) responseDirectives { return with(func(d *responseDirectives) { d.maxAge = n }) }
	noStore := with(func(d *responseDirectives) { d.noStore = true })
	tests := []struct {
		name  string
		lines []string
		want  responseDirectives
	}{
		{"nothing", nil, none},
		{"empty members", []string{" , ,,"}, none},
		{"any case", []string{"No-STORE, MAX-age=5"}, with(func(d *responseDirectives) { d.noStore, d.maxAge = true, 5 })},
		{"on the second line", []string{"max-age=5", "no-store"}, with(func(d *responseDirectives) { d.noStore, d.maxAge = true, 5 })},
		{"a longer name is another directive", []string{"no-store-please, xmax-age=5, max-age-x=5"}, none},
		{"no-store with an argument", []string{"no-store=1"}, noStore},
		{"no-store in quotes that are closed is text", []string{`x="a, no-store", y`}, none},
		{"no-store behind a quote that is not closed", []string{`x="a, no-store`}, noStore},
		{"an escaped quote closes nothing", []string{`x="a\", no-store, b"`}, none},
		{"no-cache for a field", []string{`no-cache="set-cookie"`}, with(func(d *responseDirectives) { d.noCache = true })},
		{"private for a field", []string{`private="x, max-age=9"`}, with(func(d *responseDirectives) { d.private = true })},
		{"a quoted number", []string{`max-age="5"`}, age(5)},
		{"of two the smaller", []string{"max-age=9, max-age=5"}, age(5)},
		{"of two lines the smaller", []string{"max-age=5", "max-age=9"}, age(5)},
		{"one that is garbage makes 0", []string{"max-age=9, max-age=x"}, age(0)},
		{"negative", []string{"max-age=-5"}, age(0)},
		{"plus sign", []string{"max-age=+5"}, age(0)},
		{"fraction", []string{"max-age=5.5"}, age(0)},
		{"unit", []string{"max-age=5s"}, age(0)},
		{"single quotes", []string{"max-age='5'"}, age(0)},
		{"no argument", []string{"max-age"}, age(0)},
		{"empty argument", []string{"max-age="}, age(0)},
		{"blank before =", []string{"max-age =5"}, age(0)},
		{"blank after =", []string{"max-age= 5"}, age(0)},
		{"two numbers", []string{"max-age=5 6"}, age(0)},
		{"something behind the quotes", []string{`max-age="5"6`}, age(0)},
		{"an escape in the quotes", []string{`max-age="\5"`}, age(0)},
		{"blanks around a member", []string{"  max-age=5  ,\tpublic"}, age(5)},
		{"leading zeros", []string{"max-age=0005"}, age(5)},
		{"overflow", []string{"max-age=18446744073709551621"}, age(maxSeconds)},
		{"s-maxage", []string{"s-maxage=7"}, with(func(d *responseDirectives) { d.sMaxAge = 7 })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h exchange.Header
			for _, l := range tt.lines {
				h = append(h, exchange.Field{Name: "cache-control", Value: l})
			}
			if got := readResponse(h); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// FuzzCacheControl: reading ends, numbers stay in their range, a no-store at the
// end is always seen, and without quotes the members are those between commas.
func FuzzCacheControl(f *testing.F) {
	for _, s := range []string{"", "max-age=5, no-store", `a="b, c", no-cache`, `x="`, `x="\`, `x="a"b,c=`, "=,=", " max-age =1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := 0
		for rest := s; rest != ""; n++ {
			name, _, next := cutDirective(rest)
			if len(next) >= len(rest) {
				t.Fatalf("no progress at %q", rest)
			}
			if strings.ContainsAny(name, ",=") {
				t.Fatalf("name %q", name)
			}
			rest = next
		}
		if want := strings.Count(s, ",") + 1; n > want {
			t.Fatalf("%d members in %q, at most %d are there", n, s, want)
		}
		one := func(v string) responseDirectives {
			return readResponse(exchange.Header{{Name: "Cache-Control", Value: v}})
		}
		d := one(s)
		for _, v := range []seconds{d.maxAge, d.sMaxAge} {
			if v < absent || v > maxSeconds {
				t.Fatalf("%d out of range", v)
			}
		}
		if !one(s + ", no-store").noStore {
			t.Fatalf("no-store behind %q was not seen", s)
		}
		if longer := one(s + ",max-age=1"); longer.maxAge > 1 {
			t.Fatalf("max-age=1 behind %q gives %d", s, longer.maxAge)
		}
		if !strings.Contains(s, `"`) {
			naive := false
			for m := range strings.SplitSeq(s, ",") {
				name, _, _ := strings.Cut(m, "=")
				naive = naive || strings.EqualFold(trim(name), "no-store")
			}
			if naive != d.noStore {
				t.Fatalf("%q: no-store %v, member by member %v", s, d.noStore, naive)
			}
		}
		a := readAsked(exchange.Header{{Name: "Cache-Control", Value: s}})
		if a.noStore != d.noStore {
			t.Fatalf("%q: no-store of a request %v, of a response %v", s, a.noStore, d.noStore)
		}
	})
}
