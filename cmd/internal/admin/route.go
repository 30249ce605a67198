package admin

import (
	"net/http"
	"slices"
	"strings"
)

// endpoint is one line of the table below. A "*" in its path is an id.
type endpoint struct {
	method, path string
	answer       func(f *face, w http.ResponseWriter, r *http.Request, id string)
}

var endpoints = []endpoint{
	{http.MethodGet, "/healthz", (*face).health},
	{http.MethodGet, "/metrics", (*face).metrics},
	{http.MethodGet, "/v1/exchanges", (*face).exchanges},
	{http.MethodGet, "/v1/exchanges/*", (*face).exchange},
	{http.MethodPost, "/v1/exchanges/*/kill", (*face).kill},
	{http.MethodGet, "/v1/journal", (*face).journal},
	{http.MethodGet, "/v1/journal/*", (*face).row},
	{http.MethodPost, "/v1/journal/*/retry", (*face).retry},
	{http.MethodPost, "/v1/purge", (*face).purge},
	{http.MethodGet, "/v1/queue", (*face).queue},
}

// route finds the endpoint. The mux of net/http is not used since it answers
// unknown paths and methods in plain text.
func (f *face) route(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, e := range endpoints {
		id, ok := match(e.path, r.URL.Path)
		if !ok {
			continue
		}
		if r.Method == e.method || r.Method == http.MethodHead && e.method == http.MethodGet {
			e.answer(f, w, r, id)
			return
		}
		methods = append(methods, e.method)
	}
	if len(methods) > 0 {
		if slices.Contains(methods, http.MethodGet) {
			methods = append(methods, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(methods, ", "))
		say(w, http.StatusMethodNotAllowed, "this path has no "+clip(r.Method)+"; use "+methods[0])
		return
	}
	say(w, http.StatusNotFound, "there is nothing at "+clip(r.URL.Path)+"; look at /v1/exchanges, /v1/journal, /v1/queue, /metrics or /healthz")
}

// match compares a path with a pattern and returns what stands for "*".
func match(pattern, path string) (id string, ok bool) {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return "", pattern == path
	}
	id, ok = strings.CutPrefix(path, before)
	if !ok {
		return "", false
	}
	id, ok = strings.CutSuffix(id, after)
	return id, ok && id != "" && !strings.Contains(id, "/")
}

func (f *face) health(w http.ResponseWriter, _ *http.Request, _ string) {
	reply(w, http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

func (f *face) metrics(w http.ResponseWriter, r *http.Request, _ string) {
	f.Metrics.ServeHTTP(w, r)
}
