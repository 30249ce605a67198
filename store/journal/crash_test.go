package journal

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tailrace/proxy/exchange"
)

func init() {
	children["steps"] = childSteps
	children["load"] = childLoad
}

// child starts this test binary again as a process that a test will kill.
func child(t *testing.T, name, path string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "JOURNAL_TEST_CHILD="+name, "JOURNAL_TEST_PATH="+path), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// kill is kill -9.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}

// childSteps walks through the life of one call and stops for good after the
// step that is asked for.
func childSteps(path string) {
	until := os.Getenv("JOURNAL_TEST_STEP")
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	j, err := Open(path, Options{})
	fail(err)
	at := func(step string) {
		if step == until {
			fmt.Println("at " + step)
			select {}
		}
	}
	at("opened")
	uncommitted := &probe{tell: newTell(j), f: func(s *session) error {
		a := &appending{step: exchange.Step{Intent: intent("a"), Events: send(1)}, now: j.now(), tell: newTell(j)}
		if until == "inside the commit" {
			if err := a.write(s); err != nil {
				return err
			}
		}
		at("inside the commit")
		return nil
	}}
	fail(uncommitted.wait(uncommitted, exchange.Claim{}))
	if until == "shed" {
		_, err := j.Append(exchange.Step{Intent: intent("a"), Events: []exchange.Event{{Name: exchange.NOTSENT, Detail: exchange.Detail{Phase: "queue"}}}})
		fail(err)
		at("shed")
	}
	c, err := j.Append(exchange.Step{Intent: intent("a"), Events: send(1)})
	fail(err)
	at("sent")
	_, err = j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.HEADERS, Detail: exchange.Detail{Status: 200, Stream: true}}}})
	fail(err)
	at("headed")
	j.Record(c, []byte("data: {1}\n\n"))
	childStored(j, 1)
	at("half")
	j.Record(c, []byte("data: [DONE]\n\n"))
	childStored(j, 2)
	at("whole")
	if until == "killed" {
		_, err = j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.KILLED}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeKilled}})
		fail(err)
		at("killed")
	}
	fail(j.Accept(c, exchange.Result{Status: 200, Stream: true}))
	at("accepted")
	fail(errors.New("no step is called " + until))
}

func childStored(j *Journal, n uint64) {
	for j.Stats().Pieces < n {
		runtime.Gosched()
	}
}

func TestAfterAKillAtEachStepTheStateIsAsTheTableSays(t *testing.T) {
	for _, test := range []struct {
		step   string
		state  exchange.RowState
		events []string
	}{
		{"opened", "", nil},
		{"inside the commit", "", nil},
		{"shed", exchange.NotSent, []string{"NOT_SENT/0"}},
		{"sent", exchange.Interrupted, []string{"ATTEMPT/1", "SENT/1", "INTERRUPTED/1"}},
		{"headed", exchange.Interrupted, []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "INTERRUPTED/1"}},
		{"half", exchange.Interrupted, []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "INTERRUPTED/1"}},
		{"whole", exchange.Accepted, []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "COMPLETE/1"}},
		{"killed", exchange.Killed, []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "KILLED/1"}},
		{"accepted", exchange.Accepted, []string{"ATTEMPT/1", "SENT/1", "HEADERS/1", "COMPLETE/1"}},
	} {
		t.Run(test.step, func(t *testing.T) {
			path := newPath(t)
			cmd, out := child(t, "steps", path, "JOURNAL_TEST_STEP="+test.step)
			if !out.Scan() || out.Text() != "at "+test.step {
				t.Errorf("the child said %q", out.Text())
			}
			if _, err := Open(path, Options{}); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "process "+strconv.Itoa(cmd.Process.Pid)) {
				t.Errorf("opened while the other process has it: %v", err)
			}
			kill(t, cmd)
			j := open(t, path, Options{Complete: complete})
			rows := list(t, j, exchange.Page{})
			if test.state == "" {
				if len(rows) != 0 {
					t.Errorf("rows %+v", rows)
				}
				return
			}
			if len(rows) != 1 || rows[0].State != test.state {
				t.Fatalf("rows %+v, want one that is %s", rows, test.state)
			}
			d := dossier(t, j, rows[0].ID)
			same(t, "events", test.events, names(d.Events))
			if (d.Result != nil) != (test.state == exchange.Accepted) {
				t.Errorf("result %+v", d.Result)
			}
			checkFolds(t, j)
		})
	}
}

// childLoad writes from many goroutines, and says of each step that it was
// acknowledged after it was.
func childLoad(path string) {
	j, err := Open(path, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ack := func(c exchange.Claim, name exchange.EventName, err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stdout, "%d %d %s\n", c.Row, c.Attempt, name)
	}
	for w := range 16 {
		go func() {
			for i := 0; ; i++ {
				c, err := j.Append(exchange.Step{Intent: intent(fmt.Sprintf("%d.%d", w, i%5)), Events: send(1)})
				ack(c, exchange.SENT, err)
				for range 1 + i%20 {
					j.Record(c, []byte("data: {1}\n\n"))
				}
				if i%3 == 0 {
					_, err = j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.TIMEOUT}, {Name: exchange.DEADLETTER}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeFailed}})
					ack(c, exchange.DEADLETTER, err)
					continue
				}
				ack(c, exchange.COMPLETE, j.Accept(c, exchange.Result{Status: 200, Stream: true, Usage: exchange.Usage{Output: 1 + i%20}}))
			}
		}()
	}
	select {}
}

func TestNothingAcknowledgedIsLostByTenKillsUnderLoad(t *testing.T) {
	path := newPath(t)
	rnd := rand.New(rand.NewPCG(3, 5))
	var seen int64 // rows of the rounds before, which nobody touches any more
	for round := range 10 {
		cmd, out := child(t, "load", path)
		var acked []string
		for n := 1 + rnd.IntN(150); n > 0 && out.Scan(); n-- {
			acked = append(acked, out.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for out.Scan() { // said before it died
			acked = append(acked, out.Text())
		}
		_ = cmd.Wait()
		if last := len(acked) - 1; last >= 0 && strings.Count(acked[last], " ") != 2 {
			acked = acked[:last]
		}
		if len(acked) == 0 {
			t.Fatalf("round %d: the child said nothing", round)
		}
		j, err := Open(path, Options{Complete: complete})
		if err != nil {
			t.Fatal(err)
		}
		inspectLoad(t, j, acked, seen)
		seen = list(t, j, exchange.Page{Limit: 1})[0].ID
		intact(t, j)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

// inspectLoad looks for what was acknowledged, for halves of steps, and for
// streams that miss a piece.
func inspectLoad(t *testing.T, j *Journal, acked []string, seen int64) {
	t.Helper()
	for _, line := range acked {
		f := strings.Fields(line)
		row, _ := strconv.ParseInt(f[0], 10, 64)
		found := false
		for _, ev := range dossier(t, j, row).Events {
			found = found || string(ev.Name) == f[2] && strconv.Itoa(ev.Attempt) == f[1]
		}
		if !found {
			t.Errorf("acknowledged, and not there: %s", line)
		}
	}
	for page := list(t, j, exchange.Page{}); len(page) > 0; page = list(t, j, exchange.Page{Before: page[len(page)-1].ID}) {
		for _, e := range page {
			if e.ID <= seen {
				checkFoldsAfter(t, j, seen)
				return
			}
			d := dossier(t, j, e.ID)
			log := strings.Join(names(d.Events), " ")
			switch log {
			case "ATTEMPT/1 SENT/1 COMPLETE/1", "ATTEMPT/1 SENT/1 TIMEOUT/1 DEAD_LETTER/1", "ATTEMPT/1 SENT/1 INTERRUPTED/1":
			default:
				t.Errorf("row %d: %s", e.ID, log)
			}
			if d.Result != nil && strings.Count(string(d.Result.Body), "data: {1}\n\n") != d.Result.Usage.Output {
				t.Errorf("row %d was accepted with %d bytes for %d events", e.ID, len(d.Result.Body), d.Result.Usage.Output)
			}
		}
	}
	checkFolds(t, j)
}
