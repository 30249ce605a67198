package llm

import (
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

const sentence = `killed "by" <you>`

func TestErrorsOfOursSpeakTheClientsDialect(t *testing.T) {
	for d, want := range map[exchange.Dialect]string{
		exchange.DialectOpenAI:    `{"error":{"message":"killed \"by\" <you>","type":"invalid_request_error","param":null,"code":"killed"}}`,
		exchange.DialectAnthropic: `{"type":"error","error":{"type":"invalid_request_error","message":"killed \"by\" <you>"}}`,
		exchange.DialectGemini:    `{"error":{"code":499,"message":"killed \"by\" <you>","status":"CANCELLED"}}`,
		exchange.DialectOllama:    `{"error":"killed \"by\" <you>"}`,
		exchange.DialectNone:      `{"error":{"type":"killed","message":"killed \"by\" <you>"}}`,
	} {
		if got := string(ErrorBody(d, 499, "killed", sentence)); got != want {
			t.Errorf("%q\n got %s\nwant %s", d, got, want)
		}
	}
}

func TestTheTypeOfAnErrorFollowsItsStatus(t *testing.T) {
	for status, want := range map[int][3]string{
		400: {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
		403: {"invalid_request_error", "permission_error", "PERMISSION_DENIED"},
		404: {"invalid_request_error", "not_found_error", "NOT_FOUND"},
		409: {"invalid_request_error", "invalid_request_error", "ABORTED"},
		413: {"invalid_request_error", "request_too_large", "INVALID_ARGUMENT"},
		429: {"rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"},
		502: {"server_error", "api_error", "UNAVAILABLE"},
		503: {"server_error", "overloaded_error", "UNAVAILABLE"},
		504: {"server_error", "timeout_error", "DEADLINE_EXCEEDED"},
	} {
		for i, d := range []exchange.Dialect{exchange.DialectOpenAI, exchange.DialectAnthropic, exchange.DialectGemini} {
			if got := string(ErrorBody(d, status, "x", "y")); !strings.Contains(got, `"`+want[i]+`"`) {
				t.Errorf("%d in %s: %s", status, d, got)
			}
		}
	}
}

func TestOurErrorEventIsReadAsTheProvidersError(t *testing.T) {
	for _, name := range []string{
		"openai-chat.sse", "openai-completions.sse", "openai-responses.sse", "anthropic.sse", "gemini.sse",
		"ollama-chat.ndjson", "ollama-generate.ndjson",
	} {
		c, h, body := transcript(t, name)
		for cut := range body {
			m := NewMeter(c, h)
			m.Feed(body[:cut])
			before := m.Complete()
			m.Feed(m.ErrorEvent(c, "killed", sentence))
			if before {
				break
			}
			if m.Complete() || m.ProviderError() != sentence {
				t.Fatalf("%s cut at %d: error %q, complete %v", name, cut, m.ProviderError(), m.Complete())
			}
		}
	}
}

func TestAnErrorEventAddsNothingWhereAnEventMayBegin(t *testing.T) {
	c, h, _ := transcript(t, "openai-chat.sse")
	want := string(ErrorEvent(c, "x", "y"))
	for fed, breach := range map[string]string{
		"": "", "data: 1\n\n": "", "data: 1\r\n\r\n": "", "data: 1\r\r": "", ": hi\n\r\n": "",
		"data: 1\n": "\n\n", "data: 1\r\n": "\n\n", "data": "\n\n",
	} {
		for _, slice := range []int{1, 2, 100} {
			m := NewMeter(c, h)
			for rest := fed; rest != ""; {
				n := min(slice, len(rest))
				m.Feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := string(m.ErrorEvent(c, "x", "y")); got != breach+want {
				t.Errorf("behind %q in pieces of %d: %q", fed, slice, got)
			}
		}
	}
}

func TestNoErrorEventGoesIntoWhatIsNoStreamOfTheDialect(t *testing.T) {
	chat := &exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}
	if got := NewMeter(chat, headOf(200, "application/json")).ErrorEvent(chat, "x", "y"); got != nil {
		t.Errorf("into JSON: %q", got)
	}
	if got := NewMeter(chat, headOf(200, "application/x-ndjson")).ErrorEvent(chat, "x", "y"); got != nil {
		t.Errorf("into lines: %q", got)
	}
	if got := ErrorEvent(&exchange.Call{}, "x", "y"); got != nil {
		t.Errorf("without a dialect: %q", got)
	}
}

func TestTheErrorEventOfResponsesHasBothItsForms(t *testing.T) {
	c := &exchange.Call{Dialect: exchange.DialectOpenAI, API: "responses"}
	const want = "event: error\ndata: {\"type\":\"error\",\"code\":\"killed\",\"message\":\"m\",\"param\":null,\"sequence_number\":0," +
		"\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"param\":null,\"code\":\"killed\"}}\n\n"
	if got := string(ErrorEvent(c, "killed", "m")); got != want {
		t.Errorf("got %s", got)
	}
}
