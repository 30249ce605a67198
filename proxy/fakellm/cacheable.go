package fakellm

import (
	"hash/fnv"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"
)

// cacheable answers any method on /_fakellm/cacheable. Query parameters:
//
//	max-age=60       Cache-Control: max-age=60
//	cc=...           Cache-Control as given; no-store sets that
//	etag=a           ETag: "a"; a matching If-None-Match gets 304
//	last-modified=D  Last-Modified as given; an equal If-Modified-Since gets 304
//	vary=NAME        Vary
//	set-cookie=a=b   Set-Cookie
//	status=200       the status
//	type=text/plain  Content-Type
//	size=1024        length of the body (default 1024, KiB and MiB are known)
//	pace=20ms        stream it in pieces=16 parts with this time between two
//	chunked          do not announce the length
//
// The body is text, the same for the same target.
func (a *answer) cacheable() {
	q, err := url.ParseQuery(a.query)
	if err != nil {
		a.refuse(fasthttp.StatusBadRequest, "the query cannot be read: "+err.Error())
		return
	}
	status, err := a.things(q)
	if err != nil {
		a.refuse(fasthttp.StatusBadRequest, err.Error())
		return
	}
	if a.matches(q) {
		a.head(fasthttp.StatusNotModified, "", 0)
		a.ctx.Response.SkipBody = true
		a.rec.finish(false)
		return
	}
	media := q.Get("type")
	if media == "" {
		media = "text/plain; charset=utf-8"
	}
	size := a.fault.size
	if !a.fault.has("size") {
		size = 1024
	}
	text := ""
	if size > 0 {
		text = newSpeech(a.targetHash(), "", 1, size).next()
	}
	if q.Has("chunked") {
		p := &pieces{fault: &a.fault}
		p.parts, p.tail = even([]byte(text), a.fault.count())
		a.stream(status, media, -1, &body{script: p})
		return
	}
	a.whole(status, media, []byte(text))
}

// things reads the parameters of cacheable into headers and the fault.
func (a *answer) things(q url.Values) (status int, err error) {
	cc := q["cc"]
	if v := q.Get("max-age"); v != "" {
		cc = append(cc, "max-age="+v)
	}
	if q.Has("no-store") {
		cc = append(cc, "no-store")
	}
	add := func(name, value string) {
		if value != "" {
			a.extra = append(a.extra, field{name, strings.Map(printable, value)})
		}
	}
	add("Cache-Control", strings.Join(cc, ", "))
	if etag := q.Get("etag"); etag != "" {
		add("ETag", quoted(etag))
	}
	add("Last-Modified", q.Get("last-modified"))
	add("Vary", q.Get("vary"))
	add("Set-Cookie", q.Get("set-cookie"))
	if !a.fault.has("tokens") {
		_ = a.fault.Set("tokens", "16")
	}
	for param, member := range map[string]string{"size": "size", "pace": "pace", "pieces": "tokens", "status": "status"} {
		if v := q.Get(param); v != "" {
			if err := a.fault.Set(member, v); err != nil {
				return 0, err
			}
		}
	}
	return a.status(), nil
}

// printable keeps a parameter from ending its header line.
func printable(r rune) rune {
	if r < 0x20 || r == 0x7f {
		return -1
	}
	return r
}

func quoted(etag string) string {
	if strings.HasPrefix(etag, `"`) || strings.HasPrefix(etag, `W/"`) {
		return etag
	}
	return `"` + etag + `"`
}

// matches says whether the client already has this very thing.
func (a *answer) matches(q url.Values) bool {
	if !a.ctx.IsGet() && !a.ctx.IsHead() {
		return false
	}
	if inm := string(a.ctx.Request.Header.Peek("If-None-Match")); inm != "" {
		for tag := range strings.SplitSeq(inm, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == "*" || q.Get("etag") != "" && tag == strings.TrimPrefix(quoted(q.Get("etag")), "W/") {
				return true
			}
		}
		return false
	}
	since := string(a.ctx.Request.Header.Peek("If-Modified-Since"))
	return since != "" && since == q.Get("last-modified")
}

func (a *answer) targetHash() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a.path + "?" + a.query))
	return h.Sum64()
}
