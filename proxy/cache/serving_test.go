package cache

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tailrace/proxy/exchange"
)

func TestAHitIsTheStoredResponseWithItsAge(t *testing.T) {
	c := New(1 << 20)
	born := date(t0.Add(-10 * time.Second))
	head := response(404, "Date: "+born, "Cache-Control: max-age=60", "X-A: 1", "X-A: 2", "Age: 3", "Connection: close", "Transfer-Encoding: chunked")
	head.Reason = "Not Here"
	mustStore(t, c, get("/"), head, "body", t0)

	now := t0.Add(5*time.Second + 900*time.Millisecond)
	req := get("/")
	got, body := c.Decide(enabled, req, false, now).Object.Answer(req, now)
	want := exchange.Head{
		Status: 404, Reason: "Not Here", Length: 4,
		Header: fields([]string{"Date: " + born, "Cache-Control: max-age=60", "X-A: 1", "X-A: 2", "Age: 15"}),
	}
	if d := cmp.Diff(want, got); d != "" || string(body) != "body" {
		t.Errorf("body %q, head (-want +got):\n%s", body, d)
	}
}

func TestAResponseWithoutDateGetsTheTimeItsHeadCame(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60"), "x", t0)
	now := t0.Add(9 * time.Second)
	head, _ := c.Decide(enabled, get("/"), false, now).Object.Answer(get("/"), now)
	if got := head.Header.Get("Date"); got != date(t0) {
		t.Errorf("Date %q, want %q", got, date(t0))
	}
}

func TestHEADIsAnsweredFromTheObjectOfGET(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/"), response(200, "Cache-Control: max-age=60"), "body", t0)
	req := request("HEAD", "/")
	head, body := expect(t, c, req, t0, "HIT").Object.Answer(req, t0)
	if head.Status != 200 || head.Length != 4 || body != nil {
		t.Errorf("status %d, length %d, body %q", head.Status, head.Length, body)
	}
}

// RFC 9111, section 4.3.2, and RFC 9110, section 13.
func TestAConditionThatTheObjectMeetsIsAnswered304(t *testing.T) {
	modified := t0.Add(-time.Hour)
	const strong, weak = `"a,b"`, `W/"w"`
	tests := []struct {
		name   string
		stored []string
		asked  []string
		want   int
	}{
		{"no condition", []string{"ETag: " + strong}, nil, 200},
		{"same tag", []string{"ETag: " + strong}, []string{`If-None-Match: "a,b"`}, 304},
		{"other tag", []string{"ETag: " + strong}, []string{`If-None-Match: "a"`}, 200},
		{"tag without quotes", []string{"ETag: " + strong}, []string{`If-None-Match: a,b`}, 200},
		{"in a list", []string{"ETag: " + strong}, []string{`If-None-Match: "x", W/"y" , "a,b"`}, 304},
		{"on the second line", []string{"ETag: " + strong}, []string{`If-None-Match: "x"`, `If-None-Match: "a,b"`}, 304},
		{"weak against strong", []string{"ETag: " + strong}, []string{`If-None-Match: W/"a,b"`}, 304},
		{"strong against weak", []string{"ETag: " + weak}, []string{`If-None-Match: "w"`}, 304},
		{"between two tags", []string{`ETag: ", "`}, []string{`If-None-Match: "x", "y"`}, 200},
		{"star", []string{"X: 1"}, []string{`If-None-Match: *`}, 304},
		{"object without tag", []string{"X: 1"}, []string{`If-None-Match: ""`}, 200},
		{"empty tag", []string{`ETag: ""`}, []string{`If-None-Match: ""`}, 304},
		{"quote not closed", []string{"ETag: " + strong}, []string{`If-None-Match: "a,b`}, 200},
		{"not modified since", []string{"Last-Modified: " + date(modified)}, []string{"If-Modified-Since: " + date(modified)}, 304},
		{"modified since", []string{"Last-Modified: " + date(modified)}, []string{"If-Modified-Since: " + date(modified.Add(-time.Second))}, 200},
		{"no Last-Modified: Date stands in", []string{"Date: " + date(t0)}, []string{"If-Modified-Since: " + date(t0)}, 304},
		{"no Last-Modified, older than Date", []string{"Date: " + date(t0)}, []string{"If-Modified-Since: " + date(modified)}, 200},
		{"a date that is none", []string{"Last-Modified: " + date(modified)}, []string{"If-Modified-Since: yesterday"}, 200},
		{"the tag outranks the date", []string{"ETag: " + strong, "Last-Modified: " + date(modified)}, []string{`If-None-Match: "x"`, "If-Modified-Since: " + date(t0)}, 200},
	}
	for _, tt := range tests {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(method+" "+tt.name, func(t *testing.T) {
				c := New(1 << 20)
				mustStore(t, c, get("/"), response(200, append(tt.stored, "Cache-Control: max-age=60")...), "body", t0)
				req := request(method, "/", tt.asked...)
				head, body := expect(t, c, req, t0, "HIT").Object.Answer(req, t0)
				if head.Status != tt.want {
					t.Errorf("status %d, want %d", head.Status, tt.want)
				}
				if whole := head.Status == 200 && method == "GET"; (string(body) == "body") != whole {
					t.Errorf("body %q with %d to %s", body, head.Status, method)
				}
			})
		}
	}
}

func TestA304KeepsWhatUpdatesAClientAndLeavesOutWhatDescribesTheBody(t *testing.T) {
	c := New(1 << 20)
	kept := []string{
		`ETag: "a"`, "Cache-Control: max-age=60", "Content-Location: /x", "Date: " + date(t0), "Expires: " + date(t0), "Vary: Accept",
		"Access-Control-Allow-Origin: *", "Last-Modified: " + date(t0),
	}
	dropped := []string{"Content-Type: a/b", "Content-Encoding: gzip", "Content-Language: de", "Content-Range: bytes 0-1/2"}
	mustStore(t, c, get("/"), response(200, append(dropped, kept...)...), "body", t0)
	req := get("/", `If-None-Match: "a"`)
	now := t0.Add(7 * time.Second)
	head, _ := expect(t, c, req, now, "HIT").Object.Answer(req, now)
	if d := cmp.Diff(fields(append(kept, "Age: 7")), head.Header); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOnlyA200IsTurnedIntoA304(t *testing.T) {
	c := New(1 << 20)
	mustStore(t, c, get("/"), response(404, `ETag: "a"`, "Cache-Control: max-age=60"), "none", t0)
	req := get("/", `If-None-Match: "a"`)
	if head, body := expect(t, c, req, t0, "HIT").Object.Answer(req, t0); head.Status != 404 || string(body) != "none" {
		t.Errorf("%d %q", head.Status, body)
	}
}
