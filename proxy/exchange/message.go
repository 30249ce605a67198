package exchange

import (
	"strconv"
	"strings"
)

// ID names one exchange for the life of this process. It is printed in decimal
// and never used again.
type ID uint64

// String gives the decimal form used by the admin API and the log.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// ParseID reads what String printed.
func ParseID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	return ID(n), err
}

// Field is one header field line as it was received.
type Field struct{ Name, Value string }

// Header is a list of field lines in the order they were received. Order,
// repetition and the spelling of names are kept, since they are forwarded.
type Header []Field

// Get returns the value of the first field line of that name, or "".
// Names compare without regard to case (RFC 9110, section 5.1).
func (h Header) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has reports whether there is a field line of that name.
func (h Header) Has(name string) bool {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return true
		}
	}
	return false
}

// Values returns the values of all field lines of that name, in order.
func (h Header) Values(name string) []string {
	var out []string
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			out = append(out, h[i].Value)
		}
	}
	return out
}

// Without returns a copy that has no field line of the given names.
func (h Header) Without(names ...string) Header {
	out := make(Header, 0, len(h)+2)
next:
	for _, f := range h {
		for _, n := range names {
			if strings.EqualFold(f.Name, n) {
				continue next
			}
		}
		out = append(out, f)
	}
	return out
}

// With returns a copy in which name has exactly this one value, at the end.
func (h Header) With(name, value string) Header {
	return append(h.Without(name), Field{name, value})
}

// Request is one request with a copy of everything that outlives the
// connection's buffers. Target is the request target in origin form exactly as
// received ("/v1/models?limit=2"): the bytes that are routed are the bytes that
// are keyed and sent.
type Request struct {
	Method string
	Target string
	Scheme string // of the origin, set by the route: "http" or "https"
	Host   string // as received from the client; the origin's once routed
	Header Header // end-to-end fields only, without Host and Content-Length
	Body   []byte
	HTTP10 bool // the client speaks HTTP/1.0
}

// Path is the target without its query.
func (r *Request) Path() string {
	if i := strings.IndexByte(r.Target, '?'); i >= 0 {
		return r.Target[:i]
	}
	return r.Target
}

// Query is what follows the first '?' of the target, or "".
func (r *Request) Query() string {
	if i := strings.IndexByte(r.Target, '?'); i >= 0 {
		return r.Target[i+1:]
	}
	return ""
}

// Head is the head of a response.
type Head struct {
	Status int
	Reason string // reason phrase as received, may be ""
	Header Header // end-to-end fields only, without Content-Length
	Length int64  // length of the body in bytes, -1 when only its end will tell
}
