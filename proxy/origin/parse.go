package origin

import (
	"strings"

	"github.com/valyala/fasthttp"

	"tailrace/proxy/exchange"
)

// parsed is a response head with what it says about the connection.
type parsed struct {
	exchange.Head
	keepAlive bool
	resp      *fasthttp.Response // which knows the framing
}

// parseHead reads a head that ends with an empty line. The field lines keep
// their order, spelling and repetition; fasthttp sorts some of them away.
func parseHead(block []byte) (*parsed, error) {
	line, rest, _ := strings.Cut(string(block), "\r\n")
	p := &parsed{}
	// HTTP/1.x SP 3DIGIT [SP reason] (RFC 9112, section 4).
	if len(line) < len("HTTP/1.1 200") || line[7] < '0' || line[7] > '9' || line[8] != ' ' || (len(line) > 12 && line[12] != ' ') {
		return nil, badHead("its status line is malformed")
	}
	for _, c := range []byte(line[9:12]) {
		if c < '0' || c > '9' {
			return nil, badHead("its status line is malformed")
		}
		p.Status = 10*p.Status + int(c-'0')
	}
	if p.Status < 100 || p.Status > 599 { // RFC 9110, section 15
		return nil, badHead("its status is out of range")
	}
	if len(line) > 13 {
		p.Reason = line[13:]
	}
	if !fieldValue(p.Reason) {
		return nil, badHead("its status line is malformed")
	}
	h := make(exchange.Header, 0, strings.Count(rest, "\r\n"))
	for {
		line, rest, _ = strings.Cut(rest, "\r\n")
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		// Space before the colon is to be removed (RFC 9112, section 5.1). Space
		// before the name continues the line before it; nobody folds lines today.
		name = strings.TrimRight(name, " \t")
		value = strings.Trim(value, " \t")
		if !ok || !token(name) || !fieldValue(value) {
			return nil, badHead("a field of its head is malformed")
		}
		h = append(h, exchange.Field{Name: name, Value: value})
	}
	http10 := block[7] == '0'
	p.keepAlive = lives(h, http10)
	p.Header = endToEnd(h)
	return p, nil
}

// lives reports whether the connection may carry another request after this
// answer (RFC 9112, section 9.3). Not after one that frames its body twice:
// section 6.1 calls that an attack or an accident.
func lives(h exchange.Header, http10 bool) bool {
	coded := h.Has("Transfer-Encoding")
	switch {
	case listed(h, "close"), coded && (http10 || h.Has("Content-Length")):
		return false
	case http10:
		return listed(h, "keep-alive")
	}
	return true
}
