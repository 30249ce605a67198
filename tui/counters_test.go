package tui

import (
	"strings"
	"testing"

	"tailrace/store/live"
)

func TestShedAndFailedAreBothSeenInTheHead(t *testing.T) {
	for _, w := range []int{60, 72, 80, 81, 100, 120} {
		for _, n := range []uint64{1, 12, 345, 12_345, 999_999} {
			s := newScreen(t, w, 24, nil)
			s.m.snap.Live, s.m.snap.Streams = int(min(n, 200)), 3
			s.m.snap.Counts = live.Counts{Requests: n, Hit: n, Miss: n, Bypass: n, Shed: n, Failed: n, Killed: n, Stale: n, Refused: n, TokensIn: 9, TokensOut: int64(n)}
			head := strings.Join(s.m.drawHead(), "\n")
			for _, want := range []string{"HIT ", "shed ", "fail", "MISS "} {
				if n > 9999 && want == "MISS " {
					continue // the room is for what went wrong
				}
				if !strings.Contains(head, want) {
					t.Errorf("%d wide, %d each: no %q:\n%s", w, n, want, head)
				}
			}
			s.fits("counters")
		}
	}
}

func TestWordsAreShortenedOnlyWhereTheyMust(t *testing.T) {
	for _, c := range []struct {
		w    int
		c    live.Counts
		want string
	}{
		{40, live.Counts{}, "HIT 0  MISS 0  BYPASS 0"},
		{40, live.Counts{Shed: 3}, "HIT 0  MISS 0  BYPASS 0  shed 3"},
		{40, live.Counts{Hit: 1, Bypass: 20, Shed: 3, Failed: 4}, "HIT 1 MISS 0 BYPASS 20 shed 3 failed 4"},
		{36, live.Counts{Hit: 1, Bypass: 20, Shed: 3, Failed: 4}, "HIT 1 BYPASS 20 shed 3 failed 4"},
		{36, live.Counts{Hit: 1, Bypass: 20, Shed: 3, Failed: 4, Killed: 5}, "HIT 1 BYPASS 20 shed 3 failed 4"},
		{37, live.Counts{Hit: 7, Miss: 16, Bypass: 7, Shed: 2, Failed: 2}, "HIT 7 MISS 16 BYPASS 7 shed 2 fail 2"},
		{35, live.Counts{Hit: 7, Miss: 16, Bypass: 7, Shed: 2, Failed: 2}, "HIT 7 MISS 16 BYP 7 shed 2 fail 2"},
		{34, live.Counts{Hit: 10, Miss: 20, Bypass: 30, Shed: 3, Failed: 4}, "HIT 10 MISS 20 shed 3 fail 4"},
		{58, live.Counts{Hit: 1, Bypass: 20, Shed: 3, Failed: 4, Killed: 5, ClientGone: 6}, "HIT 1 MISS 0 BYPASS 20 shed 3 failed 4 killed 5 left 6"},
	} {
		s := newScreen(t, 80, 24, nil)
		s.m.snap.Counts = c.c
		r := s.m.t.row(c.w)
		s.m.verdicts(r)
		if got := r.end(); got != c.want {
			t.Errorf("in %d cells %q, want %q", c.w, got, c.want)
		}
	}
}
