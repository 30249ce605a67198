package fakellm

import (
	"bufio"
	"bytes"
	"strconv"

	"github.com/valyala/fasthttp"
)

// answer is one request being answered.
type answer struct {
	origin *Origin
	ctx    *fasthttp.RequestCtx
	conn   *conn
	rec    *record
	fault  Fault
	path   string
	query  string
	sent   []byte // the request body as it arrived
	voice  voice
	extra  []field
}

// field is a header line.
type field struct{ name, value string }

// smallBody is the size up to which an answer counts as finished when it is
// handed to fasthttp. A larger one is watched until its last piece is written.
const smallBody = 64 << 10

// whole answers with a document that is known in full.
func (a *answer) whole(status int, media string, document []byte) {
	a.pieces(status, media, document, nil)
}

// pieces answers with a document, in the given parts when the fault asks for
// delays or breaks. Without parts it is cut evenly.
func (a *answer) pieces(status int, media string, document []byte, parts func() ([][]byte, []byte)) {
	f := &a.fault
	f.unset("error") // that is an event of a stream
	if f.truncate {
		document, parts = document[:len(document)/2], nil
	}
	if f.gzip {
		document, parts = bytes.Clone(newZipper().pack(document, true)), nil
		a.extra = append(a.extra, field{"Content-Encoding", "gzip"})
	}
	var script script
	length := len(document)
	switch {
	case f.short:
		half := MustParseFault("cut=1")
		script = &pieces{fault: &half, parts: [][]byte{document[:length/2]}}
	case f.staged():
		if parts == nil {
			parts = func() ([][]byte, []byte) { return even(document, f.count()) }
		}
		p := &pieces{fault: f}
		p.parts, p.tail = parts()
		script = p
		if f.has("end") {
			length = -1 // a clean end before the announced one would be none
		}
	case length > smallBody:
		script = &pieces{fault: &Fault{}, parts: [][]byte{document}}
	default:
		a.head(status, media, length)
		a.ctx.Response.SetBodyRaw(document)
		a.rec.finish(false)
		return
	}
	a.stream(status, media, length, &body{script: script})
}

// tell streams the events of a dialect.
func (a *answer) tell(status int, d dialect, q *ask) {
	speech := q.speech()
	t := &telling{
		dialect: d, fault: &a.fault, speech: speech,
		text: func() string { return q.speech().text() },
	}
	b := &body{script: t, every: a.fault.heartbeat, beat: d.beat()}
	a.zip(b)
	a.stream(status, d.media(), -1, b)
}

// zip makes a stream a compressed one when that was asked for.
func (a *answer) zip(b *body) {
	if a.fault.gzip {
		b.zip = newZipper()
		a.extra = append(a.extra, field{"Content-Encoding", "gzip"})
	}
}

// stream sends the head at once, then what the body gives, piece by piece.
func (a *answer) stream(status int, media string, length int, b *body) {
	b.origin, b.conn, b.rec, b.reset = a.origin, a.conn, a.rec, a.fault.reset
	a.head(status, media, length)
	a.ctx.Response.ImmediateHeaderFlush = true
	a.ctx.Response.SetBodyStream(b, length)
}

// head sets the response head. fasthttp writes a Date of its own or none; it
// takes ours when it believes to have read the head from a connection.
func (a *answer) head(status int, media string, length int) {
	b := make([]byte, 0, 512)
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, fasthttp.StatusMessage(status)...)
	b = append(b, "\r\n"...)
	line := func(name, value string) {
		b = append(b, name...)
		b = append(b, ": "...)
		b = append(b, value...)
		b = append(b, "\r\n"...)
	}
	line("Date", string(fasthttp.AppendHTTPDate(nil, a.origin.config.Now())))
	if media != "" {
		line("Content-Type", media)
	}
	if length >= 0 {
		line("Content-Length", strconv.Itoa(length))
	} else {
		line("Transfer-Encoding", "chunked")
	}
	for _, f := range a.extra {
		line(f.name, f.value)
	}
	if a.fault.has("retry-after") {
		line("Retry-After", strconv.Itoa(a.fault.retryAfter))
	}
	b = append(b, "\r\n"...)
	h := &a.ctx.Response.Header
	h.DisableNormalizing()
	if err := h.Read(bufio.NewReaderSize(bytes.NewReader(b), len(b))); err != nil {
		panic("fakellm: " + err.Error())
	}
}

// refuse answers with an error of the dialect.
func (a *answer) refuse(status int, message string) {
	a.fault.truncate, a.fault.short = false, false
	a.whole(status, "application/json", a.voice(status, message))
}

// leave ends the connection without an answer.
func (a *answer) leave(reset, aborted bool) {
	a.rec.finish(aborted)
	a.conn.abandon(reset)
}
