package proxy_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tailrace/proxy"
	"tailrace/proxy/exchange"
	"tailrace/proxy/fakellm"
	"tailrace/proxy/proxytest"
)

func slots(n int) func(*proxy.Config) {
	return func(c *proxy.Config) { c.Routes[0].MaxFetchConcurrency = n }
}

func TestFourSlotsServeFourAndShedTheRest(t *testing.T) {
	release := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		if _, ok := c.Request(); !ok {
			return
		}
		<-release
		c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\nok")
		c.Request()
	})
	rig := proxytest.Start(t, o.Addr, slots(4))
	type result struct {
		status       int
		retry, cache string
		sent, body   string
		took         time.Duration
	}
	results := make(chan result, 24)
	for i := range 24 {
		go func() {
			start := time.Now()
			res := post(t, rig.URL+chat, fmt.Sprintf(`{"model":"m","messages":[],"n":%d}`, i))
			took := time.Since(start)
			body, _ := io.ReadAll(res.Body)
			results <- result{res.StatusCode, res.Header.Get("Retry-After"), res.Header.Get("X-Cache"), res.Header.Get("X-Tailrace-Sent"), string(body), took}
		}()
	}
	for range 20 {
		r := <-results
		if r.status != 503 || r.retry != "1" || r.cache != "MISS" || r.sent != "no" || !strings.Contains(r.body, "never reached the provider") || !strings.Contains(r.body, `"error"`) {
			t.Errorf("%+v", r)
		}
		if r.took > 150*time.Millisecond {
			t.Logf("shed after %v", r.took) // a bound of the wait, looked at by scripts, not by the clock of a test machine
		}
	}
	if n := o.Requests.Load(); n != 4 {
		t.Errorf("the origin got %d requests while 20 were shed", n)
	}
	close(release)
	for range 4 {
		if r := <-results; r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
	if load := rig.Loads()[0]; load.Shed != 20 {
		t.Errorf("%d counted as shed", load.Shed)
	}
}

func TestRequestWhoseClientLeftInTheQueueIsNeverSent(t *testing.T) {
	release := make(chan bool)
	o := proxytest.Raw(t, func(c *proxytest.Conn) {
		c.Request()
		<-release
		c.Say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	rig := proxytest.Start(t, o.Addr, func(c *proxy.Config) {
		c.Routes[0].MaxFetchConcurrency = 1
		c.Routes[0].FetchWaitTimeout = time.Minute
	})
	done := make(chan bool)
	go func() {
		defer close(done)
		post(t, rig.URL+chat, `{"model":"a"}`)
	}()
	proxytest.Of[exchange.Sent](t, rig.Ledger)
	c := dial(t, rig.Addr)
	_, _ = io.WriteString(c, "POST "+chat+" HTTP/1.1\r\nHost: "+rig.Addr+"\r\nContent-Length: 2\r\n\r\n{}")
	queued := proxytest.Of[exchange.Queued](t, rig.Ledger)
	c.Close()
	rig.Ledger.Wait(t, func(f exchange.Fact) bool {
		e, ok := f.(exchange.Finished)
		return ok && e.ID == queued.ID && e.Outcome == exchange.OutcomeClientGone
	})
	if load := rig.Loads()[0]; load.Waiting != 0 || load.InUse != 1 {
		t.Errorf("%+v", load)
	}
	close(release)
	<-done
	if n := o.Requests.Load(); n != 1 {
		t.Errorf("the origin got %d requests, want 1", n)
	}
	for _, f := range rig.Ledger.Facts(queued.ID) {
		if _, ok := f.(exchange.Sent); ok {
			t.Error("it was sent")
		}
	}
}

func TestTwentyLiveStreamsNeedNoSlots(t *testing.T) {
	rig := proxytest.Start(t, fake(t), slots(4))
	for i := range 20 {
		res := post(t, rig.URL+chat, strings.Replace(streamBody, "rivers", fmt.Sprint("river ", i), 1), "X-Fakellm", "stall=2")
		if res.StatusCode != 200 {
			t.Fatalf("stream %d: %d", i, res.StatusCode)
		}
	}
	if load := rig.Loads()[0]; load.ActiveStreams != 20 || load.InUse != 0 {
		t.Fatalf("%+v", load)
	}
}

// 200 streams aborted at a random byte: what they held is given back.
func TestAbortedStreamsLeaveNothingBehind(t *testing.T) {
	o, addr, err := fakellm.Start(fakellm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	fds := descriptors(t)
	t.Run("", func(t *testing.T) {
		rig := proxytest.Start(t, addr, slots(200))
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				c := dial(t, rig.Addr)
				defer c.Close()
				body := strings.Replace(streamBody, "rivers", fmt.Sprint("river ", i), 1)
				_, _ = io.WriteString(c, "POST "+chat+" HTTP/1.1\r\nConnection: close\r\nHost: "+rig.Addr+"\r\nX-Fakellm: pace=1ms,tokens=400\r\nContent-Length: "+length(body)+"\r\n\r\n"+body)
				_, _ = io.CopyN(io.Discard, c, rand.N(int64(20000)))
			})
		}
		wg.Wait()
		rig.Ledger.Finished(t, 200)
	})
	if now := descriptors(t); now > fds+5 {
		t.Errorf("%d descriptors before, %d after", fds, now)
	}
	if open := o.Stats().Open; open != 0 {
		t.Errorf("%d requests are still open at the origin", open)
	}
}

func descriptors(t testing.TB) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

func TestPanicInTheProxyIsOneRequestsFailure(t *testing.T) {
	trap := trap{path: "/boom"}
	var caught sync.Map
	rig := proxytest.Start(t, fake(t), func(c *proxy.Config) {
		c.Observers = append(c.Observers, trap)
		c.Panicked = func(v any, stack []byte) { caught.Store(fmt.Sprint(v), len(stack)) }
	})
	live := post(t, rig.URL+chat, streamBody, "X-Fakellm", "stall=3")
	res, err := client(t).Get(rig.URL + "/boom")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusInternalServerError || res.Header.Get("X-Cache") == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if _, ok := caught.Load("a bug"); !ok {
		t.Error("nobody was told of the panic")
	}
	if _, err := io.ReadFull(live.Body, make([]byte, 10)); err != nil {
		t.Errorf("another stream was hurt: %v", err)
	}
}

// trap panics on the path of the one exchange that asks for it.
type trap struct{ path string }

func (p trap) Observe(f exchange.Fact) {
	if r, ok := f.(exchange.Received); ok && r.Target == p.path {
		panic("a bug")
	}
}
