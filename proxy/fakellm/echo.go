package fakellm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/valyala/fasthttp"
)

// echo answers with the request as it arrived.
func (a *answer) echo() {
	headers := list{}
	for line := range strings.SplitSeq(string(a.ctx.Request.Header.RawHeaders()), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			headers = append(headers, list{name, strings.Trim(value, " \t")})
		}
	}
	sum := sha256.Sum256(a.sent)
	a.whole(a.status(), "application/json", doc(obj{
		"method", string(a.ctx.Method()), "target", string(a.ctx.Request.Header.RequestURI()),
		"headers", headers, "body_sha256", hex.EncodeToString(sum[:]), "body_length", len(a.sent),
	}))
}

func (a *answer) stats() {
	b, err := json.Marshal(a.origin.Stats())
	if err != nil {
		panic(err)
	}
	a.whole(fasthttp.StatusOK, "application/json", b)
}
