package cache

import (
	"testing"
	"time"
)

func TestLifetimeComesFromTheFirstSourceThatNamesOne(t *testing.T) {
	d := date(t0)
	tests := []struct {
		name   string
		head   []string
		status int
		def    time.Duration
		want   time.Duration
		why    string
	}{
		{"s-maxage outranks the rest", []string{"Cache-Control: max-age=10, s-maxage=20", "Expires: " + date(t0.Add(time.Hour))}, 200, time.Minute, 20 * time.Second, ""},
		{"s-maxage=0 outranks max-age", []string{"Cache-Control: max-age=10, s-maxage=0"}, 200, time.Minute, 0, whyStale},
		{"max-age outranks Expires", []string{"Date: " + d, "Cache-Control: max-age=10", "Expires: " + date(t0.Add(time.Hour))}, 200, time.Minute, 10 * time.Second, ""},
		{"max-age outranks an Expires of the past", []string{"Date: " + d, "Cache-Control: max-age=10", "Expires: 0"}, 200, 0, 10 * time.Second, ""},
		{"Expires is counted from Date", []string{"Date: " + d, "Expires: " + date(t0.Add(time.Hour))}, 200, time.Minute, time.Hour, ""},
		{"Expires without Date is counted from the arrival", []string{"Expires: " + date(t0.Add(time.Hour))}, 200, 0, time.Hour, ""},
		{"Expires in the RFC 850 form", []string{"Date: " + d, "Expires: Wednesday, 04-Mar-26 05:07:07 GMT"}, 200, 0, time.Minute, ""},
		{"Expires in the asctime form", []string{"Date: " + d, "Expires: Wed Mar  4 05:07:07 2026"}, 200, 0, time.Minute, ""},
		{"Expires in another zone is no date", []string{"Date: " + d, "Expires: Wed, 04 Mar 2026 05:07:07 CET"}, 200, time.Minute, 0, whyStale},
		{"Expires: 0 is the past, default or not", []string{"Date: " + d, "Expires: 0"}, 200, time.Minute, 0, whyStale},
		{"of two Expires the earlier holds", []string{"Date: " + d, "Expires: " + date(t0.Add(time.Hour)), "Expires: " + date(t0.Add(time.Minute))}, 200, 0, time.Minute, ""},
		{"one Expires that cannot be read spoils the other", []string{"Date: " + d, "Expires: " + date(t0.Add(time.Hour)), "Expires: soon"}, 200, 0, 0, whyStale},
		{"the default comes last", []string{"Date: " + d}, 200, time.Minute, time.Minute, ""},
		{"no default, no lifetime", []string{"Date: " + d, "Last-Modified: " + date(t0.Add(-time.Hour))}, 200, 0, 0, whyNoFreshness},
		{"404 may live by default", nil, 404, time.Minute, time.Minute, ""},
		{"302 may not", nil, 302, time.Minute, 0, whyNoFreshness},
		{"500 may not", nil, 500, time.Minute, 0, whyNoFreshness},
		{"302 may when it says so", []string{"Cache-Control: max-age=10"}, 302, 0, 10 * time.Second, ""},
		{"500 may when it says so", []string{"Cache-Control: max-age=10"}, 500, 0, 10 * time.Second, ""},
		{"max-age=0 outranks the default", []string{"Cache-Control: max-age=0"}, 200, time.Minute, 0, whyStale},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Policy{Enabled: true, TTLDefault: tt.def}
			pl, stored := fetch(New(1<<20), p, get("/"), response(tt.status, tt.head...), "x", t0)
			if pl.TTL != tt.want || pl.Reason != tt.why || pl.Store != (tt.why == "") || stored != pl.Store {
				t.Errorf("TTL %v, reason %q, store %v, stored %v; want %v, %q", pl.TTL, pl.Reason, pl.Store, stored, tt.want, tt.why)
			}
		})
	}
}

func TestEveryStatusThatMayLiveByDefaultDoesAndNoOther(t *testing.T) {
	heuristic := map[int]bool{200: true, 203: true, 204: true, 300: true, 301: true, 308: true, 404: true, 405: true, 410: true, 414: true, 501: true}
	p := &Policy{Enabled: true, TTLDefault: time.Minute}
	for status := 100; status < 600; status++ {
		if pl, _ := fetch(New(1<<20), p, get("/"), response(status), "", t0); pl.Store != heuristic[status] {
			t.Errorf("%d: stored %v, want %v (%s)", status, pl.Store, heuristic[status], pl.Reason)
		}
	}
}

// RFC 9111, section 4.2.3.
func TestInitialAgeIsTheLargerOfDateAndAgeWithTheDelay(t *testing.T) {
	tests := []struct {
		name  string
		head  []string
		delay time.Duration
		want  time.Duration
	}{
		{"neither", nil, 0, 0},
		{"the delay alone", nil, 3 * time.Second, 3 * time.Second},
		{"Age", []string{"Age: 30"}, 0, 30 * time.Second},
		{"Age and the delay", []string{"Age: 30"}, 5 * time.Second, 35 * time.Second},
		{"an old Date", []string{"Date: " + date(t0.Add(-40*time.Second))}, 0, 40 * time.Second},
		{"Date older than Age", []string{"Age: 30", "Date: " + date(t0.Add(-40*time.Second))}, 0, 40 * time.Second},
		{"Date younger than Age", []string{"Age: 50", "Date: " + date(t0.Add(-40*time.Second))}, 0, 50 * time.Second},
		{"a Date of the future", []string{"Date: " + date(t0.Add(time.Hour))}, 0, 0},
		{"the first Age of a list", []string{"Age: 7, 90"}, 0, 7 * time.Second},
		{"the first Age line", []string{"Age: 7", "Age: 90"}, 0, 7 * time.Second},
		{"an Age that is no number", []string{"Age: -5"}, 0, 0},
		{"an Age that overflows", []string{"Age: 99999999999999999999"}, time.Second, longest},
		{"a Date a thousand years ago", []string{"Date: Mon, 01 Jan 1000 00:00:00 GMT"}, 0, longest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := fields(tt.head)
			if got := initialAge(h, dateOf(h, t0), t0.Add(-tt.delay), t0); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestAnObjectIsFreshUntilTheMomentItsAgeReachesItsLifetime(t *testing.T) {
	c := New(1 << 20)
	pl, stored := fetch(c, enabled, get("/"), response(200, "Cache-Control: max-age=60", "Age: 20"), "x", t0)
	if !stored || pl.TTL != 40*time.Second {
		t.Errorf("stored %v for %v", stored, pl.TTL)
	}
	expect(t, c, get("/"), t0, "HIT")
	expect(t, c, get("/"), t0.Add(40*time.Second-1), "HIT")
	expect(t, c, get("/"), t0.Add(40*time.Second), "MISS expired")
	expect(t, c, get("/"), t0.Add(-time.Hour), "HIT") // the clock was set back
}

func TestALifetimeOfMoreThan2To31SecondsIsThatLong(t *testing.T) {
	for _, v := range []string{"2147483648", "2147483649", "9223372036854775808", "99999999999999999999999999999"} {
		c := New(1 << 20)
		pl, _ := fetch(c, enabled, get("/"), response(200, "Cache-Control: max-age="+v), "x", t0)
		if pl.TTL != longest {
			t.Errorf("max-age=%s: %v, want %v", v, pl.TTL, longest)
		}
		expect(t, c, get("/"), t0.Add(67*365*24*time.Hour), "HIT")
	}
}

func TestAResponseThatIsOlderThanItsLifetimeWhenItComesIsNotStored(t *testing.T) {
	if pl, stored := fetch(New(1<<20), enabled, get("/"), response(200, "Cache-Control: max-age=60", "Age: 60"), "x", t0); stored || pl.Reason != whyStale {
		t.Errorf("stored %v, reason %q", stored, pl.Reason)
	}
}
