package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"tailrace/proxy/exchange"
)

// level is one number of a route's load.
type level struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(exchange.Load) float64
}

// loads is a collector that reads the routes when it is asked.
type loads struct {
	read   func() []exchange.Load
	levels []level
}

// WatchLoads exports slots, lines and buffers, read by the function given. It
// is called once.
func (o *Observer) WatchLoads(read func() []exchange.Load) {
	l := &loads{read: read}
	add := func(kind prometheus.ValueType, name, help string, read func(exchange.Load) float64) {
		l.levels = append(l.levels, level{prometheus.NewDesc(name, help, []string{"route"}, nil), kind, read})
	}
	add(prometheus.GaugeValue, "tailrace_fetch_queue_depth", "Fetches that wait for a slot.",
		func(l exchange.Load) float64 { return float64(l.Waiting) })
	add(prometheus.GaugeValue, "tailrace_fetch_slots_in_use", "Fetches that hold a slot.",
		func(l exchange.Load) float64 { return float64(l.InUse) })
	add(prometheus.GaugeValue, "tailrace_streams_active", "Streams between their head and their end.",
		func(l exchange.Load) float64 { return float64(l.ActiveStreams) })
	for _, prefix := range []string{"tailrace", "bouine"} { // the documented names beside ours
		add(prometheus.CounterValue, prefix+"_fetch_shed_total", "Fetches refused for want of a slot or a connection.",
			func(l exchange.Load) float64 { return float64(l.Shed) })
		add(prometheus.GaugeValue, prefix+"_streaming_buffer_bytes", "Bytes held by live tees.",
			func(l exchange.Load) float64 { return float64(l.BufferBytes) })
		add(prometheus.CounterValue, prefix+"_streaming_fallback_total", "Misses that were buffered since the tees were full.",
			func(l exchange.Load) float64 { return float64(l.Fallback) })
	}
	o.registry.MustRegister(l)
}

// Describe names what Collect exports.
func (l *loads) Describe(to chan<- *prometheus.Desc) {
	for _, v := range l.levels {
		to <- v.desc
	}
}

// Collect reads all routes at one moment.
func (l *loads) Collect(to chan<- prometheus.Metric) {
	for _, load := range l.read() {
		for _, v := range l.levels {
			to <- prometheus.MustNewConstMetric(v.desc, v.kind, v.read(load), load.Route)
		}
	}
}

// Number is one value of a room that has no routes: its name without prefix,
// what it says, and how it is read.
type Number struct {
	Name, Help string
	Level      bool // it goes up and down; else it only grows
	Read       func() float64
}

// Watch exports numbers under a prefix, as in tailrace_journal_.
func (o *Observer) Watch(prefix string, numbers []Number) {
	for _, n := range numbers {
		if n.Level {
			o.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: prefix + n.Name, Help: n.Help}, n.Read))
		} else {
			o.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: prefix + n.Name, Help: n.Help}, n.Read))
		}
	}
}
