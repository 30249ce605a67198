package origin

import (
	"errors"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
)

// aloneAbove is the size of a request body, in bytes, above which the answer is
// read while it is written. Below, the system's buffers take it at once.
const aloneAbove = 64 << 10

// appendRequest appends the head of a request. A line break inside a part would
// make two requests of one, so it is refused, whoever let it through.
func appendRequest(b []byte, req *exchange.Request) ([]byte, error) {
	if !token(req.Method) || req.Target == "" || strings.ContainsFunc(req.Target, notInTarget) ||
		req.Host == "" || strings.ContainsFunc(req.Host, notInTarget) {
		return nil, errors.New("was sent nothing: the request line or Host cannot be written")
	}
	b = append(b, req.Method...)
	b = append(b, ' ')
	b = append(b, req.Target...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, req.Host...)
	for _, f := range endToEnd(req.Header) {
		if strings.EqualFold(f.Name, "Host") {
			continue
		}
		if !token(f.Name) || !fieldValue(f.Value) {
			return nil, errors.New("was sent nothing: a header field of the request cannot be written")
		}
		b = append(b, "\r\n"...)
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, f.Value...)
	}
	if len(req.Body) > 0 || expectsBody(req.Method) {
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(req.Body)), 10)
	}
	return append(b, "\r\n\r\n"...), nil
}

// expectsBody reports whether a method has a body by its meaning, so that its
// absence is said, too (RFC 9110, section 8.6).
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func notInTarget(r rune) bool { return r <= ' ' || r == 0x7f }

// upload is a request on its way out.
type upload struct {
	done chan struct{}
	err  error // valid once done is closed
}

// over reports whether nothing more will be written, for better or worse.
func (u *upload) over() bool {
	select {
	case <-u.done:
		return true
	default:
		return false
	}
}

// write sends head and body, a large body in the background. It does not report
// a failure: an origin that answers early may stop reading, and then its answer
// is what counts.
func (l *link) write(head, body []byte) *upload {
	u := &upload{done: make(chan struct{})}
	l.wire.unsent.Store(true)
	if len(body) <= aloneAbove {
		u.send(l, append(head, body...))
	} else {
		go u.send(l, head, body)
	}
	return u
}

func (u *upload) send(l *link, parts ...[]byte) {
	defer close(u.done)
	for _, b := range parts {
		if _, u.err = l.conn.Write(b); u.err != nil {
			return
		}
	}
	l.wire.unsent.Store(false)
}
