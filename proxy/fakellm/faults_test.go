package fakellm

import (
	"strings"
	"testing"
	"time"
)

func TestParseFaultReadsAllMembers(t *testing.T) {
	f, err := ParseFault("ttft=200ms, head=300ms,pace=20ms,tokens=7,cut=1,end=2,stall=3,silent,truncate,short,status=429," +
		"retry-after=1,error=0,size=1MiB,heartbeat=15s,times=4,gzip,envelope,close,reset=true,")
	if err != nil {
		t.Fatal(err)
	}
	want := Fault{
		set: f.set, ttft: 200 * time.Millisecond, head: 300 * time.Millisecond, pace: 20 * time.Millisecond, tokens: 7,
		cut: 1, end: 2, stall: 3, silent: true, truncate: true, short: true, status: 429, retryAfter: 1, fail: 0,
		size: 1 << 20, heartbeat: 15 * time.Second, times: 4, gzip: true, envelope: true, close: true, reset: true,
	}
	if f != want {
		t.Fatalf("got %+v", f)
	}
	for _, m := range Members() {
		if !f.has(m.Name) {
			t.Errorf("%s is not covered here", m.Name)
		}
		if m.Help == "" {
			t.Errorf("%s has no help", m.Name)
		}
	}
}

func TestParseFaultNamesWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"tokens=3,tofu=1": `"tofu"`, "ttft=5": "ttft=5", "pace=-1s": "pace=-1s", "tokens=x": "tokens=x", "tokens": "tokens",
		"status=99": "status=99", "size=5MB": "size=5MB", "size=9999GiB": "size=9999GiB", "silent=maybe": "silent=maybe",
		"cut=-1": "cut=-1", "=": `""`,
	} {
		_, err := ParseFault(in)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

func TestAHeaderReplacesSingleMembersOfTheDefault(t *testing.T) {
	s := start(t, Config{Default: MustParseFault("tokens=3,size=30")})
	_, data := events(s.text("/v1/completions", "tokens=5", `{"stream":true}`))
	if len(data) != 5+2 { // tokens, finish, [DONE]
		t.Fatalf("got %d events", len(data))
	}
	if got := completionText(t, data); len(got) != 30 {
		t.Fatalf("the size of the default is lost: %q", got)
	}
}

func TestAWrongHeaderIsAnsweredWithOneClearSentence(t *testing.T) {
	s := start(t, Config{})
	status, answer, _ := s.post("/v1/messages", "tofu=1", `{}`)
	if status != 400 || !strings.Contains(answer, `\"tofu\" is unknown`) || !strings.Contains(answer, "invalid_request_error") {
		t.Fatalf("%d %s", status, answer)
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "1024": 1024, "64KiB": 65536, "1MiB": 1 << 20, "1GiB": 1 << 30} {
		if got, err := parseSize(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
}
