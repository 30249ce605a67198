package main

import (
	"errors"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func TestTheDashboardReadsWhatWasAskedAndAnswered(t *testing.T) {
	_, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()
	_, whole := r.ask(chat, "")
	r.ask(`{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"streamed"}]}`, "tokens=5")
	r.ask(`{"model":"gpt-test","messages":[{"role":"user","content":"wrong"}]}`, "status=400")
	view := past{r.journal}
	for row, want := range map[int64]string{1: "hello", 2: "streamed", 3: "wrong"} {
		d, err := view.Detail(row)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Messages) != 1 || d.Messages[0].Role != "user" || d.Messages[0].Text != want || d.Entry.ID != row {
			t.Errorf("row %d: messages %+v of %+v", row, d.Messages, d.Entry)
		}
		if d.Answer == "" || strings.ContainsAny(d.Answer, "{}") {
			t.Errorf("row %d: the answer is %q", row, d.Answer)
		}
		if row == 1 && !strings.Contains(whole, d.Answer) {
			t.Errorf("the answer %q is not in %s", d.Answer, whole)
		}
	}
	if _, err := view.Detail(99); !errors.As(err, new(*exchange.Refusal)) {
		t.Errorf("a row that is not there: %v", err)
	}
}

func TestARowWithoutAnAnswerHasNone(t *testing.T) {
	if s := answerOf(&exchange.Call{}, &exchange.Dossier{Attempts: []exchange.Attempt{{N: 1}}}); s != "" {
		t.Errorf("the answer is %q", s)
	}
}

func TestANoticeIsSaidOnceAndKept(t *testing.T) {
	var told []string
	n := notices{tell: func(s string) { told = append(told, s) }}
	n.say("a")
	n.say("b")
	n.say("a")
	if got := strings.Join(n.all(), " "); got != "a b" || len(told) != 2 {
		t.Errorf("kept %q, told %q", got, told)
	}
	for i := range 2 * mostNotices {
		n.say(strings.Repeat("x", i+1))
	}
	if got := n.all(); len(got) != mostNotices || len(got[mostNotices-1]) != 2*mostNotices {
		t.Errorf("%d notices are kept", len(got))
	}
}

func TestWhatAProcessLeftBehindIsSaid(t *testing.T) {
	rows := []exchange.Entry{{State: exchange.Interrupted}, {State: exchange.Accepted}}
	if s := recovered(rows); !strings.Contains(s, "1 request") || !strings.Contains(s, "nothing is sent again by itself") {
		t.Errorf("%q", s)
	}
	if s := recovered(rows[1:]); !strings.Contains(s, "accepted") || strings.Contains(s, "retry") {
		t.Errorf("%q", s)
	}
}
