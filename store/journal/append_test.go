package journal

import (
	"errors"
	"testing"

	"tailrace/proxy/exchange"
)

func TestAClaimStoresTheRequestAndOpensAnAttemptInOneStep(t *testing.T) {
	j := open(t, newPath(t), Options{})
	in := intent("a")
	in.Header = exchange.Header{{Name: "X-Odd", Value: "caf\xe9 \xff"}, {Name: "x-odd", Value: "é"}}
	in.Body = []byte("\x00\xff body")
	c := appended(t, j, exchange.Step{Intent: in, Events: send(1)})
	same(t, "claim", exchange.Claim{Row: 1, Attempt: 1, Fence: 1}, c)
	d := dossier(t, j, c.Row)
	same(t, "intent", *in, d.Intent)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1"}, names(d.Events))
	same(t, "state", exchange.InFlight, d.Entry.State)
	if len(d.Attempts) != 1 || d.Attempts[0].N != 1 || d.Attempts[0].SentAt.IsZero() || !d.Attempts[0].EndedAt.IsZero() {
		t.Errorf("attempts are %+v", d.Attempts)
	}
	r := recall(t, j, "a")
	if !r.Found || r.Entry.ID != c.Row || r.Attempt != 1 || r.Result != nil || !r.LastAt.Equal(d.Events[1].At) {
		t.Errorf("recalled %+v", r)
	}
}

func TestAttemptNamesTheNewestDocumentedEventBeforeItAndOursWhenThatIsLast(t *testing.T) {
	j := open(t, newPath(t), Options{})
	first := claim(t, j, "a")
	appended(t, j, exchange.Step{Claim: first, Events: []exchange.Event{{Name: exchange.KILLED, Detail: exchange.Detail{By: "operator"}}}, End: &exchange.AttemptEnd{}})
	retry := appended(t, j, exchange.Step{Intent: intent("a"), Row: first.Row, Events: append([]exchange.Event{{Name: exchange.CONFIRMED}}, send(1)...)})
	other := claim(t, j, "a") // another generation of the same scope and key
	d := dossier(t, j, first.Row)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1", "KILLED/1", "CONFIRMED/0", "ATTEMPT/2", "SENT/2"}, names(d.Events))
	same(t, "first", exchange.Detail{N: 1}, d.Events[0].Detail)
	same(t, "retry", exchange.Detail{N: 1, After: exchange.SENT, Last: exchange.CONFIRMED}, d.Events[4].Detail)
	same(t, "other generation", exchange.Detail{N: 1, After: exchange.SENT}, dossier(t, j, other.Row).Events[0].Detail)
	same(t, "claims", []exchange.Claim{{Row: 1, Attempt: 2, Fence: 2}, {Row: 2, Attempt: 1, Fence: 1}}, []exchange.Claim{retry, other})

	// A late event of the older generation is the newest of the scope and key.
	appended(t, j, exchange.Step{Claim: retry, Events: []exchange.Event{{Name: exchange.TIMEOUT}}})
	if r := recall(t, j, "a"); r.Entry.ID != other.Row || r.After != exchange.TIMEOUT || r.Newest != exchange.TIMEOUT || r.Entry.Newest != exchange.SENT {
		t.Errorf("recalled %+v", r)
	}
}

func TestEachNewRowIsAGenerationThatNamesTheOneBefore(t *testing.T) {
	j := open(t, newPath(t), Options{})
	claim(t, j, "a")
	claim(t, j, "b")
	claim(t, j, "a")
	elsewhere := intent("a")
	elsewhere.Scope = "another scope"
	appended(t, j, exchange.Step{Intent: elsewhere, Events: send(1)})
	type generation struct {
		g   int
		dup int64
	}
	var got []generation
	for _, e := range list(t, j, exchange.Page{}) {
		got = append(got, generation{e.Generation, e.DuplicateOf})
	}
	if want := [4]generation{{1, 0}, {2, 1}, {1, 0}, {1, 0}}; len(got) != 4 || [4]generation(got) != want {
		t.Errorf("generations, newest first, are %v, want %v", got, want)
	}
}

func TestALaterAttemptFencesOffTheEarlierOne(t *testing.T) {
	j := open(t, newPath(t), Options{})
	old := claim(t, j, "a")
	cur := appended(t, j, exchange.Step{Intent: intent("a"), Row: old.Row, Events: send(2)})
	_, err := j.Append(exchange.Step{Claim: old, Events: []exchange.Event{{Name: exchange.HEADERS}}})
	if !errors.Is(err, exchange.ErrFenced) {
		t.Errorf("append of the old attempt: %v", err)
	}
	if err := j.Accept(old, exchange.Result{Status: 200, Body: []byte("{}")}); !errors.Is(err, exchange.ErrFenced) {
		t.Errorf("accept of the old attempt: %v", err)
	}
	j.Record(old, []byte("late"))
	if err := j.Accept(cur, exchange.Result{Status: 200, Body: []byte("{}")}); err != nil {
		t.Error(err)
	}
	d := dossier(t, j, old.Row)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1", "ATTEMPT/2", "SENT/2", "COMPLETE/2"}, names(d.Events))
	if a := d.Attempts[0]; a.EndedAt.IsZero() || a.Raw != nil || a.Outcome != exchange.OutcomeIncomplete {
		t.Errorf("the fenced attempt is %+v", a)
	}
}

func TestAShedOpensNoAttempt(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := appended(t, j, exchange.Step{Intent: intent("a"), Events: []exchange.Event{{Name: exchange.NOTSENT, Detail: exchange.Detail{Phase: "queue"}}}})
	d := dossier(t, j, c.Row)
	if c.Attempt != 0 || len(d.Attempts) != 0 || d.Entry.State != exchange.NotSent || d.Entry.Risk != exchange.RiskNone || d.Events[0].Attempt != 0 {
		t.Errorf("claim %+v, dossier %+v", c, d)
	}
}

func TestAFailedDialIsOneStep(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := appended(t, j, exchange.Step{
		Intent: intent("a"),
		Events: []exchange.Event{{Name: exchange.ATTEMPT, Detail: exchange.Detail{N: 1}}, {Name: exchange.NOTSENT, Detail: exchange.Detail{Phase: "dial", Error: "no route"}}},
		End:    &exchange.AttemptEnd{Outcome: exchange.OutcomeFailed, Error: "no route"},
	})
	d := dossier(t, j, c.Row)
	if len(d.Attempts) != 1 || d.Attempts[0].Outcome != exchange.OutcomeFailed || d.Attempts[0].Error != "no route" || d.Attempts[0].EndedAt.IsZero() || d.Entry.State != exchange.NotSent {
		t.Errorf("dossier %+v", d)
	}
}

func TestAnAttemptKeepsItsFirstEnding(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	appended(t, j, exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.HEADERS, Detail: exchange.Detail{Status: 500}}}, Head: &exchange.Head{Status: 500, Header: exchange.Header{{Name: "A", Value: "b"}}}})
	want := exchange.AttemptEnd{Outcome: exchange.OutcomeFailed, Bytes: 4, Usage: exchange.Usage{Input: 1, Output: 2, Cached: 3, Reasoning: 4, Exact: true}, Error: "x", Raw: []byte("oops")}
	appended(t, j, exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.HTTPERROR, Detail: exchange.Detail{Status: 500, Retry: true}}}, End: &want})
	appended(t, j, exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.KILLED}}, End: &exchange.AttemptEnd{Outcome: exchange.OutcomeKilled}})
	d := dossier(t, j, c.Row)
	a := d.Attempts[0]
	same(t, "end", want, exchange.AttemptEnd{Outcome: a.Outcome, Bytes: a.Bytes, Usage: a.Usage, Error: a.Error, Raw: a.Raw})
	same(t, "head", exchange.AttemptEnd{Status: 500, Header: exchange.Header{{Name: "A", Value: "b"}}}, exchange.AttemptEnd{Status: a.Status, Header: a.Header})
	same(t, "state", exchange.Killed, d.Entry.State)
}

func TestAnOwedResultIsTakenOnce(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	hit := exchange.Step{Claim: exchange.Claim{Row: c.Row}, Events: []exchange.Event{{Name: exchange.CACHEHIT}}, Take: true}
	if _, err := j.Append(hit); !errors.Is(err, exchange.ErrNotOwed) {
		t.Errorf("taken before it was owed: %v", err)
	}
	if err := j.Accept(c, exchange.Result{Status: 200, Stream: true, Owed: true}); err != nil {
		t.Fatal(err)
	}
	appended(t, j, hit)
	if _, err := j.Append(hit); !errors.Is(err, exchange.ErrNotOwed) {
		t.Errorf("taken twice: %v", err)
	}
	appended(t, j, exchange.Step{Claim: exchange.Claim{Row: c.Row}, Owe: true}) // its client broke off
	appended(t, j, hit)
	d := dossier(t, j, c.Row)
	same(t, "events", []string{"ATTEMPT/1", "SENT/1", "COMPLETE/1", "CACHE_HIT/0", "CACHE_HIT/0"}, names(d.Events))
	if d.Entry.Owed || d.Entry.Last != exchange.COMPLETE || d.Entry.Newest != exchange.CACHEHIT {
		t.Errorf("entry %+v", d.Entry)
	}
}

func TestStepsThatMakeNoSenseAreRefusedAndStoreNothing(t *testing.T) {
	j := open(t, newPath(t), Options{})
	done := claim(t, j, "done")
	if err := j.Accept(done, exchange.Result{Status: 200, Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	live := claim(t, j, "live")
	sent := []exchange.Event{{Name: exchange.SENT}}
	for name, s := range map[string]exchange.Step{
		"neither intent nor claim":    {Events: sent},
		"ATTEMPT without intent":      {Claim: live, Events: send(1)},
		"two ATTEMPTs":                {Intent: intent("x"), Events: append(send(1), send(2)...)},
		"COMPLETE without a result":   {Claim: live, Events: []exchange.Event{{Name: exchange.COMPLETE}}},
		"an end without an attempt":   {Claim: exchange.Claim{Row: live.Row}, End: &exchange.AttemptEnd{}},
		"a head without an attempt":   {Claim: exchange.Claim{Row: live.Row}, Head: &exchange.Head{}},
		"an unknown row":              {Claim: exchange.Claim{Row: 99}, Events: sent},
		"an attempt that is not":      {Claim: exchange.Claim{Row: live.Row, Attempt: 7, Fence: live.Fence}, Events: sent},
		"a claim of an accepted row":  {Intent: intent("done"), Row: done.Row, Events: send(1)},
		"a claim of another's row":    {Intent: intent("other"), Row: live.Row, Events: send(1)},
		"owing what was not accepted": {Claim: live, Owe: true},
	} {
		if _, err := j.Append(s); err == nil {
			t.Errorf("%s was stored", name)
		}
	}
	same(t, "events of the live row", []string{"ATTEMPT/1", "SENT/1"}, names(dossier(t, j, live.Row).Events))
	if n := len(list(t, j, exchange.Page{})); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	_, err := j.Append(exchange.Step{Intent: intent("done"), Row: done.Row, Events: send(1)})
	if !errors.Is(err, ErrAccepted) {
		t.Errorf("claim of an accepted row: %v", err)
	}
	var refusal *exchange.Refusal
	if _, err := j.Dossier(99); !errors.As(err, &refusal) || refusal.Kind != exchange.NotFound {
		t.Errorf("dossier of an unknown row: %v", err)
	}
}

func TestARowOfAnotherDigestIsNotFound(t *testing.T) {
	j := open(t, newPath(t), Options{})
	claim(t, j, "a")
	in := intent("a")
	r, err := j.Recall(exchange.Ask{Scope: in.Scope, Key: in.Key, Digest: [32]byte{9}})
	if err != nil || r.Found {
		t.Errorf("recalled %+v, %v", r, err)
	}
	if r := recall(t, j, "never asked"); r.Found || r.After != "" || r.Newest != "" {
		t.Errorf("recalled %+v", r)
	}
}

func TestRecallByRowAndWithoutBodies(t *testing.T) {
	j := open(t, newPath(t), Options{})
	c := claim(t, j, "a")
	if err := j.Accept(c, exchange.Result{Status: 200, Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	claim(t, j, "a")
	r, err := j.Recall(exchange.Ask{Row: c.Row})
	if err != nil || !r.Found || r.Entry.ID != c.Row || r.Newest != exchange.SENT || r.Intent.Body != nil || r.Result == nil || r.Result.Body != nil {
		t.Errorf("recalled %+v, %v", r, err)
	}
	if r, err := j.Recall(exchange.Ask{Row: 99}); err != nil || r.Found {
		t.Errorf("recalled %+v, %v", r, err)
	}
}

func TestEqualBodiesAreStoredOnceAndLeaveWithTheirLastRow(t *testing.T) {
	j := open(t, newPath(t), Options{})
	count := func() (n int) {
		err := j.readers.view(func(s *session) error {
			_, err := s.get("SELECT count(*) FROM bodies", nil, &n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	c := claim(t, j, "a")
	claim(t, j, "a")
	if n := count(); n != 1 {
		t.Errorf("two equal bodies are stored %d times", n)
	}
	spaced := intent("a")
	spaced.Body = append([]byte(" "), spaced.Body...)
	appended(t, j, exchange.Step{Intent: spaced, Row: c.Row, Events: send(2)})
	if n := count(); n != 2 {
		t.Errorf("%d bodies, want the two that are in use", n)
	}
	same(t, "body", string(spaced.Body), string(dossier(t, j, c.Row).Intent.Body))
	appended(t, j, exchange.Step{Intent: intent("a"), Row: c.Row, Events: send(3)})
	if n := count(); n != 1 {
		t.Errorf("%d bodies, one of them of nobody", n)
	}
	empty := intent("empty")
	empty.Body = nil
	appended(t, j, exchange.Step{Intent: empty, Events: send(1)})
	if n := len(recall(t, j, "empty").Intent.Body); n != 0 {
		t.Errorf("an empty body came back with %d bytes", n)
	}
}

func TestVersionGrowsWithWhatTheListShows(t *testing.T) {
	j := open(t, newPath(t), Options{})
	before := j.Version()
	c := claim(t, j, "a")
	after := j.Version()
	if after <= before {
		t.Errorf("version went from %d to %d with a new row", before, after)
	}
	for range packPieces {
		j.Record(c, []byte("piece"))
	}
	stored(t, j, packPieces)
	if j.Version() != after {
		t.Errorf("version grew with a piece of a body")
	}
}

func TestNothingIsWrittenAfterClose(t *testing.T) {
	j, err := Open(newPath(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := claim(t, j, "a")
	for range 2 {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := j.Append(exchange.Step{Claim: c, Events: []exchange.Event{{Name: exchange.TIMEOUT}}}); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if err := j.Accept(c, exchange.Result{}); !errors.Is(err, ErrClosed) {
		t.Errorf("accept: %v", err)
	}
	j.Record(c, []byte("x"))
}
