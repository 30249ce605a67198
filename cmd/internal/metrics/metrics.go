// Package metrics counts what the proxy says, for Prometheus. An [Observer]
// takes the facts; what has a level rather than a count (slots, lines, buffers)
// is read when somebody asks. The names are those of the documentation, and
// beside three of them the older names of the same thing.
//
// Labels are bounded: routes are those of the configuration, statuses three
// digits, verdicts the five of X-Cache. Nothing from a request becomes a label.
package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tailrace/proxy/exchange"
)

// Observer counts exchanges. It is safe for concurrent use.
type Observer struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec

	mu   sync.Mutex
	open map[exchange.ID]begun
}

// begun is what the facts of the beginning say and the last one does not.
type begun struct {
	route   string
	at      time.Time
	verdict exchange.XCache
}

// buckets reach from a hit to the longest answer that an SDK waits for.
var buckets = []float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// New returns an observer with a registry of its own.
func New() *Observer {
	o := &Observer{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tailrace_requests_total", Help: "Requests that have ended, by route, status (none: no head went out) and X-Cache.",
		}, []string{"route", "status", "cache"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tailrace_request_duration_seconds", Help: "From a request's arrival to the end of its answer.", Buckets: buckets,
		}, []string{"route"}),
		open: map[exchange.ID]begun{},
	}
	o.registry.MustRegister(o.requests, o.duration, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return o
}

// Handler answers scrapes.
func (o *Observer) Handler() http.Handler {
	return promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{})
}

// Observe counts one fact.
func (o *Observer) Observe(f exchange.Fact) {
	switch f := f.(type) {
	case exchange.Received:
		o.mu.Lock()
		o.open[f.ID] = begun{route: f.Route, at: f.At}
		o.mu.Unlock()
	case exchange.Decided:
		o.decided(f.ID, f.Verdict.XCache)
	case exchange.Answered:
		o.decided(f.ID, f.Verdict.XCache)
	case exchange.Finished:
		o.mu.Lock()
		b, known := o.open[f.ID]
		delete(o.open, f.ID)
		o.mu.Unlock()
		if known {
			o.ended(b.route, f.Status, b.verdict, f.At.Sub(b.at))
		}
	case exchange.Served:
		o.ended(f.Route, f.Status, f.Verdict.XCache, f.Duration)
	}
}

func (o *Observer) decided(id exchange.ID, x exchange.XCache) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, ok := o.open[id]; ok {
		b.verdict = x
		o.open[id] = b
	}
}

func (o *Observer) ended(route string, status int, x exchange.XCache, took time.Duration) {
	if route == "" {
		route = "none" // no route took it
	}
	cache := string(x)
	if cache == "" {
		cache = "none"
	}
	o.requests.WithLabelValues(route, statusLabel(status), cache).Inc()
	o.duration.WithLabelValues(route).Observe(took.Seconds())
}

// statusLabel keeps what an origin makes up out of the labels.
func statusLabel(status int) string {
	switch {
	case status == 0:
		return "none"
	case status < 100 || status > 599:
		return "other"
	}
	return strconv.Itoa(status)
}
