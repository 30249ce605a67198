package cache

import (
	"strconv"
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// Answer makes the response to a request that the object answers, with its Age
// (RFC 9111, section 5.1); the origin's Date stays. It is a 304 without a body
// when the request has a condition that the object meets (its Length 0 is no
// Content-Length to send). HEAD gets the head with its Length and no body. The body must not be written to; the header is
// the caller's own.
func (o *Object) Answer(req *exchange.Request, now time.Time) (exchange.Head, []byte) {
	age := exchange.Field{Name: "Age", Value: strconv.FormatInt(int64(min(o.age(now), longest)/time.Second), 10)}
	header := make(exchange.Header, 0, len(o.header)+6) // room for X-Cache and its kin
	if o.status == 200 && o.unchanged(req.Header) {
		for _, f := range o.header {
			if !describesBody(f.Name) {
				header = append(header, f)
			}
		}
		return exchange.Head{Status: 304, Reason: "Not Modified", Header: append(header, age)}, nil
	}
	header = append(append(header, o.header...), age)
	head := exchange.Head{Status: o.status, Reason: o.reason, Header: header, Length: int64(len(o.body))}
	if req.Method == "HEAD" {
		return head, nil
	}
	return head, o.body
}

// describesBody lists what a 304 leaves out (RFC 9110, section 15.4.5): the
// client has it, with the body that it describes.
func describesBody(name string) bool {
	switch len(name) {
	case len("Content-Type"):
		return strings.EqualFold(name, "Content-Type")
	case len("Content-Range"):
		return strings.EqualFold(name, "Content-Range")
	case len("Content-Encoding"): // and Content-Language
		return strings.EqualFold(name, "Content-Encoding") || strings.EqualFold(name, "Content-Language")
	}
	return false
}

// unchanged evaluates the conditions that a cache may (RFC 9111, section
// 4.3.2). If-None-Match outranks If-Modified-Since (RFC 9110, section 13.2.2).
func (o *Object) unchanged(h exchange.Header) bool {
	asked := false
	etag := trim(o.header.Get("ETag"))
	for i := range h {
		if strings.EqualFold(h[i].Name, "If-None-Match") {
			asked = true
			if listsTag(h[i].Value, etag) {
				return true
			}
		}
	}
	if asked || !h.Has("If-Modified-Since") {
		return false
	}
	since, ok := parseDate(h.Get("If-Modified-Since"))
	return ok && !o.modified.Truncate(time.Second).After(since)
}

// listsTag compares weakly: whether one of the entity tags is the object's, or
// the list is "*" (RFC 9110, sections 8.8.3.2 and 13.1.2). Tags may hold commas,
// so they are read by their quotes; what has none matches nothing.
func listsTag(list, etag string) bool {
	if trim(list) == "*" {
		return true
	}
	etag, _ = strings.CutPrefix(etag, "W/")
	for etag != "" {
		_, rest, found := strings.Cut(list, `"`)
		if !found {
			return false
		}
		tag, behind, closed := strings.Cut(rest, `"`)
		if !closed {
			return false
		}
		if len(etag) == len(tag)+2 && etag[0] == '"' && etag[len(etag)-1] == '"' && etag[1:len(etag)-1] == tag {
			return true
		}
		list = behind
	}
	return false
}
