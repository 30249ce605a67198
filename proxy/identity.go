package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"tailrace/proxy/exchange"
)

// journals reports whether an exchange is a journaled call: a POST with a JSON
// body whose path names a dialect, on a route with a journal.
func (p *Proxy) journals(t *trip) bool {
	return p.journal != nil && t.route.Journal.Mode == JournalIdempotent && t.call.Journalable()
}

// scopeOf names who asks whom: method, URL and, where there is one, a keyed
// fingerprint of the credential. What one credential was answered is never
// replayed to another.
func (t *trip) scopeOf(credential string) string {
	scope := t.out.Method + " " + t.route.scheme + "://" + t.route.host + exchange.RedactTarget(t.out.Target)
	if credential != "" {
		scope += " #" + credential
	}
	return scope
}

// intentOf is the request as the journal keeps it.
func (p *Proxy) intentOf(t *trip) exchange.Intent {
	credential := p.fingerprint(t.req)
	target := exchange.RedactTarget(t.req.Target)
	body, intact := exchange.RedactBody(t.req.Body)
	return exchange.Intent{
		Scope: t.scopeOf(credential), Key: t.call.Key, Digest: t.call.Digest,
		Route: t.route.Name, Origin: t.route.scheme + "://" + t.route.host,
		Method: t.req.Method, Target: target,
		Dialect: t.call.Dialect, API: t.call.API, Model: t.call.Model, Stream: t.call.Stream(),
		Header: p.keptHeader(t.req.Header), Credential: credential,
		Body: body, BodyIntact: intact && target == t.req.Target,
		Preview: preview(t.call.Messages),
	}
}

// original is what of the request the journal will not have.
func (t *trip) original(in *exchange.Intent) original {
	o := original{header: t.req.Header}
	if !in.BodyIntact {
		o.target, o.body = t.req.Target, t.req.Body
	}
	return o
}

// previewMost is how much of the prompt a row shows.
const previewMost = 160

// preview is the beginning of the last thing the user said.
func preview(ms []exchange.Message) string {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == "user" || len(ms) == 1 {
			s := strings.Join(strings.Fields(exchange.RedactText(ms[i].Text)), " ")
			if r := []rune(s); len(r) > previewMost {
				s = string(r[:previewMost-1]) + "…"
			}
			return s
		}
	}
	return ""
}

// keptHeader is what the journal stores of a request's header: the fields that
// say what was asked, and of all others name, length and a keyed fingerprint.
func (p *Proxy) keptHeader(h exchange.Header) exchange.Header {
	out := make(exchange.Header, 0, len(h))
	for _, f := range h {
		switch name := strings.ToLower(f.Name); {
		case exchange.IsSecret(name):
			f.Value = exchange.Redacted
		case keptName(name):
			f.Value = exchange.RedactText(f.Value)
		default:
			mac := hmac.New(sha256.New, p.cfg.Fingerprint)
			mac.Write([]byte(name + "\x00" + f.Value))
			f.Value = fmt.Sprintf("%s%d bytes, %s]", withheld, len(f.Value), hex.EncodeToString(mac.Sum(nil)[:4]))
		}
		out = append(out, f)
	}
	return out
}

// withheld begins the value of a stored field whose value was not kept.
const withheld = "[withheld: "

func keptName(name string) bool {
	switch name {
	case "content-type", "accept", "content-encoding", "user-agent":
		return true
	}
	return strings.HasPrefix(name, "openai-") || strings.HasPrefix(name, "anthropic-") || strings.HasPrefix(name, "x-stainless-")
}

// insignificant fields change nothing about the answer's content: a retry does
// without them and does not ask.
func insignificant(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "accept-encoding", "accept-language", "cache-control", "pragma", "priority", "via", "x-request-id":
		return true
	}
	return strings.HasPrefix(name, "sec-") || strings.HasPrefix(name, "x-forwarded-")
}

// fresh reports whether the client asks for a new answer, not a replayed one.
func wantsFresh(req *exchange.Request) bool {
	for _, v := range append(req.Header.Values("Cache-Control"), req.Header.Values("Pragma")...) {
		for d := range strings.SplitSeq(v, ",") {
			if d = strings.ToLower(strings.TrimSpace(d)); d == "no-cache" || d == "no-store" {
				return true
			}
		}
	}
	return false
}

// killedFor is how long a killed request is refused when its client sends it
// again: SDKs do that by themselves.
const killedFor = 10 * time.Second

// replayable reports whether an accepted result may answer at that age.
func (r *route) replayable(accepted, now time.Time) bool {
	return r.Journal.ReplayFor == 0 || now.Sub(accepted) < r.Journal.ReplayFor
}
