package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// body reads the JSON of a POST into v; no body at all leaves v as it is. What
// a browser sends without asking first is refused; all else is read as JSON,
// also without a Content-Type, which curl and many clients leave out or guess.
func body(w http.ResponseWriter, r *http.Request, v any) bool {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		say(w, http.StatusRequestEntityTooLarge, "the body is larger than any command; send at most 64 KiB")
		return false
	} else if err != nil {
		say(w, http.StatusBadRequest, "the body ended early; send it whole")
		return false
	}
	if len(b) == 0 {
		return true
	}
	if slices.ContainsFunc(r.Header.Values("Content-Type"), unasked) {
		say(w, http.StatusUnsupportedMediaType, "commands are JSON, and a web page could send this content type without asking; send Content-Type: application/json, or no body")
		return false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		say(w, http.StatusBadRequest, "the body is not what this command takes ("+clip(err.Error())+"); send a JSON object with its members")
		return false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		say(w, http.StatusBadRequest, "something follows the JSON object; send one object")
		return false
	}
	return true
}

// unasked are the content types that a page may send anywhere without a
// preflight (Fetch Standard, CORS-safelisted request-header). A browser looks at
// the type alone, whatever its parameters are, so they are not parsed here.
func unasked(kind string) bool {
	end := strings.IndexAny(kind, ";,")
	if end < 0 {
		end = len(kind)
	}
	switch strings.ToLower(strings.TrimSpace(kind[:end])) {
	case "text/plain", "application/x-www-form-urlencoded", "multipart/form-data":
		return true
	}
	return false
}

// queryOf refuses parameters that nobody would look at: a misspelt filter must
// not return everything.
func queryOf(w http.ResponseWriter, r *http.Request, known ...string) (url.Values, bool) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		say(w, http.StatusBadRequest, "the query cannot be read; write it as name=value pairs")
		return nil, false
	}
	for name, values := range q {
		if !slices.Contains(known, name) {
			say(w, http.StatusBadRequest, "the parameter "+strconv.Quote(clip(name))+" is not known; use "+strings.Join(known, ", "))
			return nil, false
		}
		if len(values) > 1 {
			say(w, http.StatusBadRequest, "the parameter "+name+" stands there twice; send it once")
			return nil, false
		}
	}
	return q, true
}

// number reads a whole number from 1 to most; an absent one is 0.
func number(w http.ResponseWriter, q url.Values, name string, most int64) (int64, bool) {
	s := q.Get(name)
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > most {
		say(w, http.StatusBadRequest, name+"="+clip(s)+" is no whole number from 1 to "+strconv.FormatInt(most, 10)+"; send one")
		return 0, false
	}
	return n, true
}
