package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"tailrace/proxy/exchange"
)

// credentialNames are the header fields in which providers take a key.
var credentialNames = []string{"Authorization", "x-api-key", "x-goog-api-key", "api-key", "Cookie"}

// credentialOf returns the field lines that make up a request's credential, and
// nil for a request that brings none. Gemini takes its key in the query, too;
// there it is part of the target, not of the header.
func credentialOf(req *exchange.Request) []exchange.Field {
	var out []exchange.Field
	for _, name := range credentialNames {
		for _, f := range req.Header {
			if strings.EqualFold(f.Name, name) && f.Value != "" {
				out = append(out, f)
			}
		}
	}
	return out
}

// queryKey is the value of the query parameter key, Gemini's other way.
func queryKey(req *exchange.Request) string {
	for _, p := range strings.Split(req.Query(), "&") {
		if v, ok := strings.CutPrefix(p, "key="); ok {
			return v
		}
	}
	return ""
}

// authField puts a key where the request's provider looks for it.
func authField(req *exchange.Request, key string) exchange.Field {
	switch {
	case req.Header.Has("anthropic-version") || strings.HasSuffix(req.Path(), "/v1/messages"):
		return exchange.Field{Name: "x-api-key", Value: key}
	case strings.Contains(req.Path(), "/v1beta/"):
		return exchange.Field{Name: "x-goog-api-key", Value: key}
	}
	return exchange.Field{Name: "Authorization", Value: "Bearer " + key}
}

// keyring keeps the credentials of this process's traffic in memory, by their
// fingerprint, so that a retry can be sent with the one its request had. They
// are written nowhere.
type keyring struct {
	mu   sync.Mutex
	seen map[string][]exchange.Field
}

// keyringMost bounds the keyring; an application has one key, or a few.
const keyringMost = 256

// fingerprint names a request's credential without telling it: a keyed hash,
// "" for none. Remembering arms retries of earlier requests that had the same.
func (p *Proxy) fingerprint(req *exchange.Request) string {
	cred := credentialOf(req)
	if k := queryKey(req); k != "" {
		cred = append(cred, exchange.Field{Name: "x-goog-api-key", Value: k})
	}
	if len(cred) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, p.cfg.Fingerprint)
	for _, f := range cred {
		mac.Write([]byte(strings.ToLower(f.Name) + "\x00" + f.Value + "\x00"))
	}
	fp := hex.EncodeToString(mac.Sum(nil)[:8])
	p.keys.mu.Lock()
	defer p.keys.mu.Unlock()
	if p.keys.seen == nil || len(p.keys.seen) >= keyringMost {
		p.keys.seen = map[string][]exchange.Field{}
	}
	p.keys.seen[fp] = cred
	return fp
}

// credential returns what a fingerprint stands for, if this process has seen it.
func (p *Proxy) credential(fp string) ([]exchange.Field, bool) {
	p.keys.mu.Lock()
	defer p.keys.mu.Unlock()
	c, ok := p.keys.seen[fp]
	return c, ok
}
