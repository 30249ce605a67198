package exchange

import (
	"strings"
	"testing"
)

func TestNoCredentialSurvivesRedaction(t *testing.T) {
	const secret = "sk-CANARY0123456789abcdef"
	h := RedactHeader(Header{
		{"Authorization", "Bearer " + secret}, {"x-api-key", secret}, {"Cookie", "session=" + secret}, {"X-Odd", "mine is " + secret}, {"Accept", "a/b"},
	})
	for _, f := range h {
		if strings.Contains(f.Value, "CANARY") {
			t.Errorf("%s: %s", f.Name, f.Value)
		}
	}
	if h.Get("accept") != "a/b" {
		t.Error("an innocent field was redacted")
	}
	for _, target := range []string{"/v1beta/x?alt=sse&key=" + secret, "/x?q=" + secret, "/" + secret + "/x", "/x?API_KEY=short"} {
		got := RedactTarget(target)
		if strings.Contains(got, "CANARY") || strings.Contains(got, "short") {
			t.Errorf("%s -> %s", target, got)
		}
	}
	if got := RedactTarget("/v1/models?limit=2"); got != "/v1/models?limit=2" {
		t.Errorf("an innocent target became %s", got)
	}
	body := []byte(`{"messages":[{"content":"my key is ` + secret + `"}]}`)
	out, intact := RedactBody(body)
	if intact || strings.Contains(string(out), "CANARY") || !strings.Contains(string(body), "CANARY") {
		t.Errorf("%v %s", intact, out)
	}
	plain := []byte(`{"messages":[{"content":"a plain prompt about task-planning and sk-ills"}]}`)
	if out, intact := RedactBody(plain); !intact || &out[0] != &plain[0] {
		t.Error("a body without a secret was copied or changed")
	}
}

func TestHeaderKeepsOrderSpellingAndRepetition(t *testing.T) {
	h := Header{{"b", "1"}, {"A", "2"}, {"B", "3"}}
	if got := h.Values("b"); len(got) != 2 || got[1] != "3" || h.Get("a") != "2" || !h.Has("A") || h.Has("c") {
		t.Errorf("%v", got)
	}
	w := h.Without("B")
	if len(w) != 1 || len(h) != 3 {
		t.Errorf("%v %v", w, h)
	}
	if x := h.With("a", "9"); x.Get("A") != "9" || h.Get("A") != "2" {
		t.Errorf("%v %v", x, h)
	}
}

func TestSecretMembersOfBodiesAreRedactedAndWordsAreNot(t *testing.T) {
	for body, want := range map[string]string{
		`{"api_key":"a\"b","x":1}`:                           `{"api_key":"[redacted]","x":1}`,
		`{"metadata":{"Password" : "hunter2"}}`:              `{"metadata":{"Password" : "[redacted]"}}`,
		`{"content":"pk_customer_orders_id is a column"}`:    `{"content":"pk_customer_orders_id is a column"}`,
		`{"content":"Authorization: Bearer my.secret.word"}`: `{"content":"Authorization: [redacted]"}`,
		`{"max_tokens":5,"token":"cat"}`:                     `{"max_tokens":5,"token":"cat"}`,
	} {
		got, intact := RedactBody([]byte(body))
		if string(got) != want || intact != (body == want) {
			t.Errorf("%s -> %s (intact %v), want %s", body, got, intact, want)
		}
	}
	if got := RedactTarget("/x?%6bey=VALUE"); strings.Contains(got, "VALUE") {
		t.Errorf("an escaped name hides a secret: %s", got)
	}
}
