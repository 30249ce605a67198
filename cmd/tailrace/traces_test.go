//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/proxytest"
)

// trace is a run of the documented module: what its origin did at each send of
// each call, what the calls came to, and the events that it wrote.
type trace struct {
	Name    string
	Max     int `json:"max_attempts"`
	Calls   [][]string
	Results []struct {
		Sent   int64
		Raises string
	}
	Events [][2]json.RawMessage
}

// differs are the traces that are ours in another way, each with the events
// that it has here.
var differs = map[string][]string{
	// What was refused never left this machine: it is tried again within the
	// same request, where the module leaves SENT behind and raises.
	"connection refused, asked again": {`ATTEMPT {"after":null,"n":1}`, `ATTEMPT {"after":"ATTEMPT","n":2}`, "SENT null", "COMPLETE null"},
	"connection reset, asked again":   {`ATTEMPT {"after":null,"n":1}`, "SENT null", `ATTEMPT {"after":"SENT","n":2}`, "SENT null", "COMPLETE null"},
	// A result and its COMPLETE are one transaction here: the state that this
	// trace begins with can only be imported.
	"killed after rename, before COMPLETE": nil,
}

func TestTheDocumentedTracesHoldForTheWholeProgram(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../store/journal/testdata/journal_traces.json")
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte(`{"choices":[NaN]}`), []byte("null")) // what Python returned, and JSON has no word for
	var file struct{ Traces []trace }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Traces) != 21 {
		t.Fatalf("%d traces, want 21", len(file.Traces))
	}
	for _, tr := range file.Traces {
		want, ours := differs[tr.Name]
		if ours && want == nil {
			continue
		}
		if !ours {
			for _, ev := range tr.Events {
				want = append(want, strings.Trim(string(ev[0]), `"`)+" "+members(t, ev[1]))
			}
		}
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			tr.run(t, want, ours)
		})
	}
}

// run plays a trace against the program. Where ours is set the call that raised
// goes on by itself, so it ends as the last one does.
func (tr *trace) run(t *testing.T, want []string, ours bool) {
	var script []string
	targets := 1
	for _, reply := range slices.Concat(tr.Calls...) {
		switch {
		case reply == "ConnectionRefusedError":
			targets = 2
		case strings.HasPrefix(reply, "KILL_"):
			script[len(script)-1] = "KILL " + script[len(script)-1]
		default:
			script = append(script, reply)
		}
	}
	o := scripted(t, func(n int64, c *proxytest.Conn) bool { return play(script, int(n)-1, c) })
	killed := slices.ContainsFunc(script, func(s string) bool { return strings.HasPrefix(s, "K") })
	calls, sent := tr.Results, int64(0)
	if ours {
		calls = calls[len(calls)-1:]
	}
	var s *stand
	if killed {
		s = die(t, o)
		calls, sent = calls[1:], 1
	} else {
		s, _ = stands(t, "http://"+o.Addr, func(r *proxy.Route, p *proxy.Pool) {
			short(true, tr.Max)(r, p)
			if targets == 2 { // taken in turn: the first dial is refused, the second is not
				p.Targets = []string{"http://" + nobody(t), "http://" + o.Addr}
			}
		})
	}
	for i, res := range calls {
		got := s.send(t.Context(), say("trace", false))
		if wants := res.Raises == ""; got.err != nil || wants != (got.status == 200) {
			t.Errorf("call %d: %d %s %v, the module raises %q", i+1, got.status, got.body, got.err, res.Raises)
		}
		if sent += res.Sent; o.Requests.Load() != sent && !ours {
			t.Errorf("%d sends after call %d, want %d", o.Requests.Load(), i+1, sent)
		}
	}
	var have []string
	for _, e := range s.row("1").Events {
		if exchange.EventName(e.Event).Documented() {
			have = append(have, e.Event+" "+members(t, e.Detail))
		}
	}
	check(t, "documented events", strings.Join(have, "\n"), strings.Join(want, "\n"))
	if n := len(s.rows()); n != 1 {
		t.Errorf("%d rows, want one that goes on", n)
	}
}

// play answers a send as the script says, and reports whether the connection
// stays open without an answer.
func play(script []string, i int, c *proxytest.Conn) (open bool) {
	if i >= len(script) {
		return true // a send too many: the count of sends tells
	}
	reply := script[i]
	switch {
	case reply == "TimeoutError", reply == "Kill":
		return true
	case reply == "ConnectionResetError":
		c.Reset()
		return true
	}
	reply, killed := strings.CutPrefix(reply, "KILL ")
	c.Say(okJSON + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(reply), reply[:len(reply)-1]))
	if !killed { // nothing of an answer is kept before all of it is there
		c.Say(reply[len(reply)-1:])
	}
	return killed
}

// die sends the first call of a trace to a process that is killed with SIGKILL
// while the origin has not answered in full, and starts another.
func die(t *testing.T, o *proxytest.Origin) *stand {
	dir := t.TempDir()
	s, c := process(t, dir, "http://"+o.Addr, "--billing", "free")
	waits := s.eventually(t.Context(), say("trace", false))
	until(t, "the send", func() bool { return o.Requests.Load() == 1 })
	dies(t, c)
	if got := <-waits; got.err == nil {
		t.Errorf("a dead process answered %d %s", got.status, got.body)
	}
	s, c = process(t, dir, "http://"+o.Addr, "--billing", "free")
	t.Cleanup(func() { leaves(t, c) })
	return s
}

// members are the documented members of an event's detail. Texts in error are
// our own but for one.
func members(t *testing.T, detail json.RawMessage) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(detail, &all); err != nil {
		t.Fatal(err)
	}
	kept := map[string]any{}
	for _, name := range []string{"n", "after", "error"} {
		if v, ok := all[name]; ok {
			kept[name] = v
		}
	}
	if e, ok := kept["error"]; ok && e != "unexpected envelope" {
		kept["error"] = "in our words"
	}
	if len(kept) == 0 {
		return "null"
	}
	b, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
