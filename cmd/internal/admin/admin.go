// Package admin is the HTTP face beside the proxy: what is happening, what
// happened, and the commands kill, retry and purge, as JSON on a port of its
// own. It decides nothing: it asks the board and the journal, and passes
// commands on to the proxy.
//
// [New] gives the handler. Whoever comes from a web page or has no token is
// turned away before anything is looked up (gate.go, token.go). Errors are
// problem+json (RFC 9457) with a sentence for a person.
package admin

import (
	"net/http"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// Control carries out commands. *proxy.Proxy is one. An error of type
// *exchange.Refusal says why a command is not carried out.
type Control interface {
	Kill(exchange.ID) (exchange.Phase, error)
	Retry(row int64, how exchange.Retry) (exchange.Started, error)
	Purge(pattern string) (int, error)
}

// Present knows what is happening. *live.Board is one.
type Present interface {
	Snapshot(live.Query) live.Snapshot
	State(exchange.ID) (exchange.State, bool)
}

// Past knows what happened. *journal.Journal is one. Dossier answers a
// *exchange.Refusal of kind NotFound for a row that does not exist.
type Past interface {
	List(exchange.Page) ([]exchange.Entry, error)
	Dossier(row int64) (exchange.Dossier, error)
}

// Options are what the handler works with. All of them are needed but
// AllowOrigins and AllowHosts.
type Options struct {
	Control Control
	Present Present
	Past    Past
	Metrics http.Handler // GET /metrics

	Port         int      // of the listener; Host must name it
	Token        string   // of "Authorization: Bearer"; not empty
	AllowOrigins []string // exact values of Origin
	AllowHosts   []string // beside localhost, 127.0.0.1 and [::1]
}

type face struct {
	Options
	gate  gate
	token token
}

// New returns the handler of the admin port. It is safe for concurrent use.
func New(o Options) http.Handler {
	return &face{Options: o, gate: newGate(o), token: newToken(o.Token)}
}

// ServeHTTP lets a request in, or says why not, and answers it.
func (f *face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil { // one broken answer must not end the traffic
			say(w, http.StatusInternalServerError, "this request met a mistake in tailrace; please report it with the request that you sent")
		}
	}()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if !f.gate.admit(w, r) {
		return
	}
	if open(r.URL.Path) {
		f.route(w, r)
		return
	}
	if !f.token.shown(r) {
		h.Set("WWW-Authenticate", `Bearer realm="tailrace"`)
		say(w, http.StatusUnauthorized, "the admin token is missing or wrong; send it as \"Authorization: Bearer TOKEN\", it stands in the file that tailrace named at its start")
		return
	}
	f.route(w, r)
}

// open reports whether a path needs no token.
func open(path string) bool { return path == "/healthz" || path == "/metrics" }
