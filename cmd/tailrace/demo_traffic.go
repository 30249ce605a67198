package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/store/journal"
	"tailrace/tui"
)

// traffic is the applications of the demo. Wait returns when all of them have
// left, which they do when their context ends.
type traffic struct {
	sync.WaitGroup
	app     *application
	journal *journal.Journal
	say     func(string)
	sends   int    // how often a silent call is sent before it is given up
	run     string // names this start, in prompts that nobody may have asked before
}

// part is something that the applications do again and again.
type part struct {
	first, every time.Duration
	play         func(t *traffic, ctx context.Context, n int)
}

// score is what a viewer sees. All that can be seen has been seen once within
// six seconds; then it is about one request a second.
var score = []part{
	{200 * time.Millisecond, time.Second, (*traffic).stories},
	{300 * time.Millisecond, 4 * time.Second, (*traffic).models},
	{700 * time.Millisecond, 6 * time.Second, (*traffic).questions},
	{900 * time.Millisecond, 9 * time.Second, (*traffic).unstored},
	{1200 * time.Millisecond, 90 * time.Second, (*traffic).silence},
	{1500 * time.Millisecond, 12 * time.Second, (*traffic).asides},
	{2 * time.Second, 50 * time.Second, (*traffic).breaks},
	{2500 * time.Millisecond, 8 * time.Second, (*traffic).rush},
}

// traffic begins to use the proxy.
func (d *demo) traffic(ctx context.Context) *traffic {
	t := &traffic{app: newApplication(d.ProxyURL), journal: d.journal, say: d.notices.say, run: time.Now().Format("150405")}
	for _, r := range d.Config.Routes {
		if r.Name == flaky {
			t.sends = r.Journal.MaxAttempts
		}
	}
	rows, err := d.journal.List(exchange.Page{State: exchange.Interrupted, Limit: mostOpen})
	if err != nil {
		d.notices.say("the demo's applications cannot ask again: " + err.Error())
	}
	t.goes(func() { t.askAgain(ctx, rows) })
	for _, p := range score {
		t.goes(func() {
			wait := p.first
			for n := 0; pause(ctx, wait); n++ {
				p.play(t, ctx, n)
				wait = p.every
			}
		})
	}
	return t
}

// Wait returns when every application has left.
func (t *traffic) Wait() {
	t.WaitGroup.Wait()
	t.app.close()
}

func (t *traffic) goes(f func()) {
	t.Add(1)
	go func() {
		defer tui.Guard()
		defer t.Done()
		f()
	}()
}

// pause waits, and says whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// ask sends a call whose answer this application only reads. What went wrong is
// on the screen already.
func (t *traffic) ask(ctx context.Context, c appCall) got {
	g, _ := t.app.send(ctx, c)
	return g
}

// stories is one long stream after the other, as fast as people read. The next
// begins before the last has ended, so that one is always live; when somebody
// kills one, the next does not wait for it.
func (t *traffic) stories(ctx context.Context, n int) {
	over := make(chan struct{})
	t.goes(func() {
		defer close(over)
		t.ask(ctx, dialects[n%len(dialects)](n, fmt.Sprintf("Tell me a long story about %s.", pick(subjects, n)), true, "ttft=400ms,pace=60ms,tokens=600"))
	})
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// asides are shorter streams beside it.
func (t *traffic) asides(ctx context.Context, n int) {
	t.ask(ctx, dialects[(n+1)%len(dialects)](n, fmt.Sprintf("In a few sentences: %s?", pick(subjects, n+3)), true, "ttft=250ms,pace=35ms,tokens=110"))
}

// breaks is a stream that its provider breaks off.
func (t *traffic) breaks(ctx context.Context, n int) {
	t.ask(ctx, anthropic("claude-opus-4", fmt.Sprintf("Write an epic about %s.", pick(subjects, n+1)), true, "ttft=300ms,pace=45ms,cut=28"))
}

// silence is a call that is given up: as often as it may be sent the provider
// does not answer. When an operator sends it again, it does.
func (t *traffic) silence(ctx context.Context, n int) {
	t.ask(ctx, openAI("gpt-5-mini", fmt.Sprintf("Are you there? (%s/%d)", t.run, n+1), false, fmt.Sprintf("silent,times=%d", t.sends)).by(flaky))
}

// models is a list that the cache keeps for some seconds: MISS, then HIT.
func (t *traffic) models(ctx context.Context, _ int) { t.ask(ctx, get("/v1/models")) }

// unstored is a list that nobody may keep: BYPASS.
func (t *traffic) unstored(ctx context.Context, _ int) {
	t.ask(ctx, get("/api/tags", exchange.Field{Name: "Cache-Control", Value: "no-store"}))
}

// questions are asked twice: the second time the journal answers.
func (t *traffic) questions(ctx context.Context, n int) {
	c := dialects[n%len(dialects)](n, fmt.Sprintf("What does ticket %d say about %s?", 1000+n, pick(subjects, n)), false, "head=350ms")
	t.ask(ctx, c)
	if pause(ctx, 1200*time.Millisecond) {
		t.ask(ctx, c)
	}
}
