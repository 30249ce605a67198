package journal

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestPagesFollowOneAnotherNewestFirst(t *testing.T) {
	j := open(t, newPath(t), Options{})
	var want []int64
	for i := range 23 {
		c := claim(t, j, string(rune('a'+i%3)))
		if i%4 == 0 {
			if err := j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		want = append([]int64{c.Row}, want...)
	}
	all := func(p exchange.Page) (ids []int64) {
		for {
			page := list(t, j, p)
			for _, e := range page {
				ids = append(ids, e.ID)
			}
			if len(page) < p.Limit {
				return ids
			}
			p.Before = page[len(page)-1].ID
		}
	}
	pick := func(keep func(i int64) bool) (ids []int64) {
		for _, id := range want {
			if keep(id - 1) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	key := intent("b").Key
	same(t, "all", want, all(exchange.Page{Limit: 5}))
	same(t, "accepted", pick(func(i int64) bool { return i%4 == 0 }), all(exchange.Page{Limit: 2, State: exchange.Accepted}))
	same(t, "of a key", pick(func(i int64) bool { return i%3 == 1 }), all(exchange.Page{Limit: 2, Key: key}))
	same(t, "both", pick(func(i int64) bool { return i%3 == 1 && i%4 == 0 }), all(exchange.Page{Limit: 2, Key: key, State: exchange.Accepted}))
	if n := len(list(t, j, exchange.Page{State: exchange.Killed})); n != 0 {
		t.Errorf("%d killed rows", n)
	}
}

func TestEveryPageIsReadAlongAnIndex(t *testing.T) {
	j := open(t, newPath(t), Options{})
	for _, p := range []exchange.Page{
		{},
		{Before: 9},
		{State: exchange.Killed},
		{State: exchange.Killed, Before: 9},
		{Key: "k"},
		{Key: "k", Before: 9},
		{Key: "k", State: exchange.Killed, Before: 9},
	} {
		query, args := listQuery(p)
		var plan []string
		err := j.readers.view(func(s *session) error {
			return s.each(func(scan func(...any) error) error {
				var id, parent, unused int
				var step string
				err := scan(&id, &parent, &unused, &step)
				plan = append(plan, step)
				return err
			}, "EXPLAIN QUERY PLAN "+query, args...)
		})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "; ")
		unfiltered := p == exchange.Page{}
		if strings.Contains(text, "TEMP B-TREE") || (strings.Contains(text, "SCAN") && !unfiltered) || strings.Contains(text, "SCAN i") ||
			(p.Key != "" && !strings.Contains(text, "requests_by_key")) {
			t.Errorf("%+v: %s", p, text)
		}
	}
}
