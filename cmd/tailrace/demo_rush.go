package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// rush is four calls at once on a route with two slots. Two are sent, the third
// waits until the first has its answer, and the fourth is shed: it comes again
// after the second that Retry-After asks for, as SDKs do.
func (t *traffic) rush(ctx context.Context, n int) {
	var all sync.WaitGroup
	defer all.Wait()
	for i, takes := range []time.Duration{900 * time.Millisecond, 5 * time.Second, 700 * time.Millisecond, 300 * time.Millisecond} {
		c := openAI("gpt-5-nano", fmt.Sprintf("Label picture %d of album %s-%d.", i+1, t.run, n+1), false, "head="+takes.String()).by(narrow)
		all.Add(1)
		t.goes(func() {
			defer all.Done()
			if t.ask(ctx, c).status == http.StatusServiceUnavailable && pause(ctx, time.Second) {
				t.ask(ctx, c)
			}
		})
		if !pause(ctx, 80*time.Millisecond) {
			return
		}
	}
}

// dialects are the ways to ask, with models that change from time to time.
var dialects = []func(n int, prompt string, stream bool, behaviour string) appCall{
	func(n int, prompt string, stream bool, behaviour string) appCall {
		return openAI(pick([]string{"gpt-5-mini", "gpt-4o"}, n/3), prompt, stream, behaviour)
	},
	func(n int, prompt string, stream bool, behaviour string) appCall {
		return anthropic(pick([]string{"claude-sonnet-4-5", "claude-haiku-4-5"}, n/3), prompt, stream, behaviour)
	},
	func(n int, prompt string, stream bool, behaviour string) appCall {
		return ollama(pick([]string{"qwen3:8b", "llama3.2"}, n/3), prompt, stream, behaviour)
	},
}

var subjects = []string{
	"the old mill race", "a heron at the weir", "snowmelt in spring", "the night shift at the dam",
	"salmon ladders", "a leaf in the tailrace", "the lock keeper's ledger", "rain on the forebay",
	"why turbines hum", "the river that changed its bed", "ice on the penstock",
}

func pick(from []string, n int) string { return from[n%len(from)] }
