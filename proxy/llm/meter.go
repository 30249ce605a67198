package llm

import (
	"bytes"
	"runtime"

	"tailrace/proxy/exchange"
	"tailrace/proxy/sse"
)

const (
	// eventMax bounds one event of a stream; larger ones are counted out. Images
	// come in events of a few MiB.
	eventMax = 8 << 20
	// wholeMax bounds the copy of a response that is no stream. Of a larger one
	// neither text nor usage are known.
	wholeMax = 16 << 20
)

// Meter follows one response: what is said, what it costs, whether it has come
// to its proper end. It reads a copy and works in time linear in the bytes fed;
// it keeps at most one event and 64 KiB of text of a stream, or wholeMax bytes of
// an answer in one piece. A response with a content coding is decoded as it
// comes, within the bounds of Decode.
//
// A Meter must not be used by two goroutines at once.
type Meter struct {
	said    said
	how     *dialect
	framing framing
	events  int
	pending trail

	scan   *sse.Scanner
	array  splitter
	unpack *unpacker
	tail   []byte // the last bytes fed, which tell whether an event is cut

	header exchange.Header
	body   []byte // of an answer in one piece
	over   bool   // which was longer than wholeMax
	doc    document
}

// NewMeter returns a meter of the response to call that head begins.
func NewMeter(call *exchange.Call, head *exchange.Head) *Meter {
	m := &Meter{how: dialectOf(call), framing: framingOf(head), header: head.Header}
	m.said.write = func(_ part, text string) { m.pending.add(text) }
	if m.framing == framingNone && call.Dialect == exchange.DialectGemini && call.Declared == exchange.DeclaredPath &&
		head.Status < 300 && jsonType(head.Header.Get("Content-Type")) {
		m.framing = framingArray // what Gemini streams without alt=sse
	}
	switch m.framing {
	case framingEvents:
		m.scan = sse.NewEvents(eventMax)
	case framingLines:
		m.scan = sse.NewLines(eventMax)
	}
	if codings := codingsOf(head.Header); len(codings) > 0 && m.framing != framingNone {
		m.unpack = newUnpacker(codings)
		runtime.AddCleanup(m, func(u *unpacker) { u.close() }, m.unpack)
	}
	return m
}

// Stream reports whether the response is a stream, declared or not: by its
// head, or because it is the JSON array that Gemini streams when it was not
// asked for events.
func (m *Meter) Stream() bool { return m.framing != framingNone }

// Feed reads the next bytes of the body, as received. It keeps no reference to
// p.
func (m *Meter) Feed(p []byte) {
	switch {
	case m.framing == framingNone:
		m.keep(p)
	case m.unpack != nil:
		m.unpack.feed(p, m.frame)
	default:
		m.remember(p)
		m.frame(p)
	}
}

// End says that the transfer ended cleanly. Only now is an answer in one piece
// read, and a Gemini stream complete.
func (m *Meter) End() {
	if m.unpack != nil {
		m.unpack.end(m.frame)
	}
	switch m.framing {
	case framingEvents, framingLines:
		if m.how != nil && m.how.done != "" {
			// Some servers leave out the blank line behind [DONE], and no SDK minds.
			m.scan.Feed([]byte("\n\n"), m.event)
		}
		m.scan.End(m.event)
	case framingNone:
		m.whole()
	}
	if m.said.finished && m.Stream() && !m.array.open() {
		m.said.complete = true
	}
}

// Close gives back what decoding a compressed stream holds. A Meter whose
// stream broke off, so that End was not called, should be closed; closing twice
// or after End does nothing.
func (m *Meter) Close() {
	if m.unpack != nil {
		m.unpack.close()
	}
}

// Complete reports whether the terminal marker of the dialect was seen, and no
// error of the provider's. It is false for what is no stream, or speaks no
// dialect: there the framing of the transfer decides.
func (m *Meter) Complete() bool { return m.said.complete && m.said.fault == "" }

// Content reports whether anything was said: text, reasoning or a tool call.
func (m *Meter) Content() bool { return m.said.spoken || m.said.pieces > 0 }

// Events counts the events of a stream, or its lines; comments do not count.
func (m *Meter) Events() int { return m.events }

// Usage is what the provider says that it cost, or, while it has not said so, a
// count of the pieces that came (Exact is then false). In every dialect Input
// includes what came from the prompt cache, and Output the reasoning.
func (m *Meter) Usage() exchange.Usage { return m.said.tokens() }

// TakeText returns what was said since the last call, reasoning and tool calls
// included, at most max bytes and never a part of a character. The rest stays
// for the next call, but of text that nobody takes only the last 64 KiB.
func (m *Meter) TakeText(max int) string { return m.pending.take(max) }

// ProviderError is the message of an error that the provider sent, as an event
// or as the body of the answer; "" if it sent none. Keys in it are redacted.
func (m *Meter) ProviderError() string { return m.said.fault }

func (m *Meter) frame(p []byte) {
	switch m.framing {
	case framingEvents, framingLines:
		m.scan.Feed(p, m.event)
	case framingArray:
		m.array.feed(p, func(element []byte) { m.event(sse.Event{Data: element}) })
	}
}

func (m *Meter) event(e sse.Event) {
	if e.Comment {
		return
	}
	m.events++
	if m.how == nil {
		return
	}
	if m.how.done != "" && string(bytes.TrimSpace(e.Data)) == m.how.done {
		m.said.complete = true
		return
	}
	if m.doc.parse(e.Data, maxDepth) == nil {
		m.how.event(&m.said, e.Name, m.doc.root())
	}
	m.doc.src = nil
	if cap(m.doc.nodes) > 1<<10 { // one large event must not stay large
		m.doc.nodes = nil
	}
}

// keep collects an answer in one piece.
func (m *Meter) keep(p []byte) {
	if m.how == nil || m.over || !jsonType(m.header.Get("Content-Type")) {
		return
	}
	if len(m.body)+len(p) > wholeMax {
		m.body, m.over = nil, true
		return
	}
	m.body = append(m.body, p...)
}

// whole reads an answer in one piece.
func (m *Meter) whole() {
	if len(m.body) == 0 {
		return
	}
	data, err := Decode(m.header, m.body, decodeLimit)
	m.body = nil
	var d document
	if err != nil || d.parse(data, maxDepth) != nil {
		return
	}
	if message, ok := errorIn(d.root()); ok {
		m.said.fail(message)
	}
	m.how.answer(&m.said, d.root())
}

// remember keeps the last four bytes, enough to see a CRLF CRLF.
func (m *Meter) remember(p []byte) {
	const n = 4
	m.tail = append(m.tail, p[max(0, len(p)-n):]...)
	if extra := len(m.tail) - n; extra > 0 {
		m.tail = m.tail[:copy(m.tail, m.tail[extra:])]
	}
}
