package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARequestGoesTheWholeWayAndIsAnsweredFromTheJournalTheSecondTime(t *testing.T) {
	fake, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()

	first, body := r.ask(chat, "")
	second, again := r.ask(chat, "")
	if first.StatusCode != 200 || first.Header.Get("X-Cache") != "MISS" || second.Header.Get("X-Cache") != "HIT" || second.Header.Get("X-Cache-Source") != "journal" {
		t.Errorf("first %v, second %v", first.Header, second.Header)
	}
	if body != again || !strings.Contains(body, "chat.completion") {
		t.Errorf("answers differ:\n%s\n%s", body, again)
	}
	if n := fake.Stats().Requests; n != 1 {
		t.Errorf("the origin has seen %d requests", n)
	}

	var journal struct {
		Requests []struct{ ID, State, LastEvent string }
	}
	if code := r.api("GET", "/v1/journal", "", &journal); code != 200 || len(journal.Requests) != 1 || journal.Requests[0].State != "accepted" {
		t.Errorf("%d %+v", code, journal)
	}
	var row struct{ Events []struct{ Event string } }
	r.api("GET", "/v1/journal/"+journal.Requests[0].ID, "", &row)
	names := ""
	for _, e := range row.Events {
		names += e.Event + " "
	}
	if !strings.HasPrefix(names, "ATTEMPT SENT ") || !strings.HasSuffix(names, "COMPLETE CACHE_HIT ") {
		t.Errorf("events are %s", names)
	}
	var live struct {
		Exchanges []struct {
			XCache string `json:"x_cache"`
		}
	}
	until(t, "both exchanges on the board", func() bool {
		r.api("GET", "/v1/exchanges", "", &live)
		return len(live.Exchanges) == 2 && live.Exchanges[0].XCache == "HIT" && live.Exchanges[1].XCache == "MISS"
	})
}

func TestTheFirstLineSaysWhereEverythingIs(t *testing.T) {
	_, url := origin(t)
	dir := filepath.Join(t.TempDir(), "with a space")
	r := begin(t, url, dir)
	defer r.end()
	until(t, "the first line", func() bool { return strings.Contains(r.out.String(), "\n") })
	want := "tailrace ready proxy=" + r.ProxyURL + " admin=" + r.AdminURL +
		` token="` + filepath.Join(dir, "admin.token") + `" journal="` + filepath.Join(dir, "journal.db") + `"`
	if got, _, _ := strings.Cut(r.out.String(), "\n"); got != want {
		t.Errorf("first line is\n%s, want\n%s", got, want)
	}
	if strings.HasSuffix(r.ProxyURL, ":0") || r.ProxyURL == r.AdminURL {
		t.Errorf("proxy %s, admin %s", r.ProxyURL, r.AdminURL)
	}
}

func TestEachFinishedRequestIsOneLineWithoutSecrets(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		_, url := origin(t)
		r := begin(t, url, t.TempDir(), func(m *Main) { m.JSON = asJSON })
		r.ask(chat, "")
		r.ask(`{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"sk-proj-0123456789abcdef"}]}`, "")
		r.end() // writes what is left
		lines := strings.Split(strings.TrimSpace(r.out.String()), "\n")
		if len(lines) != 3 {
			t.Fatalf("json=%v: %q", asJSON, lines)
		}
		for i, want := range [][]string{{"POST", "/v1/chat/completions", "200", "MISS", "completed", "gpt-test"}, {"POST", "200", "BYPASS", "completed", "declared-stream-body"}} {
			for _, w := range want {
				if !strings.Contains(lines[i+1], w) {
					t.Errorf("json=%v: no %s in %s", asJSON, w, lines[i+1])
				}
			}
			if asJSON && !json.Valid([]byte(lines[i+1])) {
				t.Errorf("no JSON: %s", lines[i+1])
			}
		}
		if all := r.out.String() + r.errs.String(); strings.Contains(all, "0123456789abcdef") || strings.Contains(all, "hello") {
			t.Errorf("json=%v: a secret or a prompt in %s", asJSON, all)
		}
	}
}

func TestMetricsCountWhatWasServed(t *testing.T) {
	_, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()
	r.ask(chat, "")
	until(t, "the count", func() bool {
		res, err := r.client.Get(r.AdminURL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(b), `tailrace_requests_total{cache="MISS",route="upstream",status="200"} 1`) &&
			strings.Contains(string(b), "bouine_fetch_shed_total") && strings.Contains(string(b), "tailrace_journal_events_total")
	})
}

// A running stream is killed by the admin port: its client sees a broken
// transfer, and the journal what it had cost.
func TestAStreamIsKilledFromTheAdminPort(t *testing.T) {
	_, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.ProxyURL+"/v1/chat/completions", strings.NewReader(`{"model":"m","stream":true,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Fakellm", "stall=3")
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var killed struct{ ID, Phase string }
	if code := r.api("POST", "/v1/exchanges/1/kill", "{}", &killed); code != 202 || killed.ID != "1" || killed.Phase != "streaming" {
		t.Errorf("%d %+v", code, killed)
	}
	if b, err := io.ReadAll(res.Body); err == nil || !strings.Contains(string(b), "killed") {
		t.Errorf("the stream ended with %v after %q", err, b)
	}
	var problem struct{ Detail string }
	until(t, "the second kill to be refused", func() bool {
		return r.api("POST", "/v1/exchanges/1/kill", "", &problem) == 409 && strings.Contains(problem.Detail, "already finished")
	})
	until(t, "the journal to know", func() bool {
		var journal struct{ Requests []struct{ State string } }
		r.api("GET", "/v1/journal?state=killed", "", &journal)
		return len(journal.Requests) == 1
	})
}

// What a process leaves is found by the next one, and it says so once.
func TestTheJournalGoesOnWhereItWas(t *testing.T) {
	fake, url := origin(t)
	dir := t.TempDir()
	r := begin(t, url, dir)
	_, body := r.ask(chat, "")
	r.end()
	if !strings.Contains(r.errs.String(), "stay on this disk") {
		t.Errorf("the first start does not say what lies on the disk: %q", r.errs.String())
	}
	r = begin(t, url, dir)
	res, again := r.ask(chat, "")
	r.end()
	if res.Header.Get("X-Cache") != "HIT" || body != again || fake.Stats().Requests != 1 {
		t.Errorf("%v, origin %+v", res.Header, fake.Stats())
	}
	if strings.Contains(r.errs.String(), "stay on this disk") {
		t.Errorf("the second start says it again: %q", r.errs.String())
	}
}

func TestTheProxyDialsNeitherOfItsOwnPorts(t *testing.T) {
	_, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()
	for _, own := range []string{r.ProxyURL, r.AdminURL} {
		other := begin(t, own, t.TempDir()) // its upstream is somebody else: that is allowed
		res, _ := other.ask(chat, "")
		if res.StatusCode == http.StatusBadGateway {
			t.Errorf("another program's port is refused")
		}
		other.end()
	}
	// To itself it is one clear 502, also when the file says so: ports of our
	// own are known only once they are bound, so this one names them.
	free := begin(t, url, t.TempDir())
	addr := strings.TrimPrefix(free.ProxyURL, "http://")
	free.end()
	loop := begin(t, "http://"+addr, t.TempDir(), func(m *Main) { m.Config.Listen.HTTP = addr })
	defer loop.end()
	res, body := loop.ask(chat, "")
	if res.StatusCode != http.StatusBadGateway || res.Header.Get("X-Tailrace-Sent") != "no" {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
}

func TestADoubledVersionIsPassedOnWithAWarning(t *testing.T) {
	fake, url := origin(t)
	r := begin(t, url, t.TempDir())
	defer r.end()
	for range 2 {
		res, err := r.client.Post(r.ProxyURL+"/v1/v1/chat/completions", "application/json", strings.NewReader(chat))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if fake.Stats().ByPath["/v1/chat/completions"] != 1 {
		t.Errorf("the origin has seen %v", fake.Stats().ByPath)
	}
	until(t, "the warning", func() bool { return strings.Contains(r.errs.String(), "/v1/v1/") })
	if n := strings.Count(r.errs.String(), "/v1/v1/"); n != 1 {
		t.Errorf("it is said %d times", n)
	}
}

func TestAnEphemeralStateIsGoneAfterwards(t *testing.T) {
	_, url := origin(t)
	t.Setenv("TMPDIR", t.TempDir())
	r := begin(t, url, "", func(m *Main) { m.Ephemeral = true })
	dir := r.state.dir
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	r.ask(chat, "")
	r.end()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

func TestTheTokenOfTheEnvironmentReplacesTheFile(t *testing.T) {
	_, url := origin(t)
	r := begin(t, url, t.TempDir(), func(m *Main) { m.Token = "from-the-environment" })
	defer r.end()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.AdminURL+"/v1/queue", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer from-the-environment")
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	if _, err := os.Stat(r.state.path(tokenFile)); !os.IsNotExist(err) {
		t.Errorf("a token file was written: %v", err)
	}
}
