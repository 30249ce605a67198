package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"tailrace/proxy/exchange"
)

// requestHeaderMost bounds the head of a request: 64 KiB and a little for its
// first line.
const requestHeaderMost = 80 << 10

// quiet keeps fasthttp from printing on a terminal that shows a dashboard.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// newServer sets fasthttp up to add nothing, change nothing and print nothing.
// It has no timeouts of its own: they are absolute and would cut live streams;
// the budgets are in conn.
func (p *Proxy) newServer() *fasthttp.Server {
	most := p.cfg.MaxRequestBytes
	if most <= 0 {
		most = 64 << 20
	}
	return &fasthttp.Server{
		Handler:                       p.handle,
		ErrorHandler:                  p.malformed,
		ReadBufferSize:                requestHeaderMost,
		ReduceMemoryUsage:             true,
		MaxRequestBodySize:            most,
		DisableHeaderNamesNormalizing: true,
		DisablePreParseMultipartForm:  true,
		NoDefaultServerHeader:         true,
		NoDefaultDate:                 true,
		NoDefaultContentType:          true,
		CloseOnShutdown:               true,
		Logger:                        quiet{},
	}
}

// handle is one request on its way in, and its answer on the way out.
func (p *Proxy) handle(ctx *fasthttp.RequestCtx) {
	c, _ := ctx.Conn().(*conn)
	received := fields(ctx.Request.Header.RawHeaders())
	req := copyRequest(ctx, received)
	t := p.begin(req)
	t.origin = p.gate.allowedOrigin(received)
	t.client = ctx.RemoteAddr().String()
	if c != nil {
		c.start(t)
		defer c.arm(t)
	}
	defer func() {
		if v := recover(); v != nil {
			t.settle(exchange.OutcomeFailed, fmt.Sprintf("panic: %v", v))
			p.panicked(v, debug.Stack())
			p.write(ctx, t, t.refuse(http.StatusInternalServerError, "internal_error", "tailrace: this request met a bug in tailrace and was given up; other requests are not affected"))
		}
	}()
	if c != nil && c.over {
		ctx.SetConnectionClose()
		p.write(ctx, t, t.refuseBusy())
		return
	}
	if why := p.gate.refuse(req.Host, received, ctx.LocalAddr()); why != "" {
		p.write(ctx, t, t.refuse(http.StatusForbidden, "forbidden", why))
		return
	}
	if t.origin != "" && isPreflight(req) {
		p.write(ctx, t, t.preflight(req))
		return
	}
	if !strings.HasPrefix(req.Target, "/") {
		p.write(ctx, t, t.refuse(http.StatusBadRequest, "bad_request", "the request target must begin with '/'"))
		return
	}
	if chunked(ctx) {
		// fasthttp takes "0\r\n\n" for the end of a chunked body and leaves a
		// byte behind; what follows on this connection is not trusted.
		ctx.SetConnectionClose()
	}
	p.write(ctx, t, p.answer(t))
}

// panicked hands a contained panic to whoever keeps the log.
func (p *Proxy) panicked(v any, stack []byte) {
	if p.cfg.Panicked != nil {
		p.cfg.Panicked(v, stack)
	}
}

// malformed answers what fasthttp could not read.
func (p *Proxy) malformed(ctx *fasthttp.RequestCtx, err error) {
	status, why := http.StatusBadRequest, "the request is not well-formed HTTP/1.1"
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &small):
		status, why = http.StatusRequestHeaderFieldsTooLarge, "the request's header block is larger than 64 KiB"
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		status, why = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request's body is larger than max_request_bytes (%d)", p.server.MaxRequestBodySize)
	}
	t := p.begin(&exchange.Request{Method: string(ctx.Method()), Target: string(ctx.RequestURI()), Host: string(ctx.Host())})
	if c, ok := ctx.Conn().(*conn); ok {
		c.start(t)
		c.arm(t)
	}
	p.write(ctx, t, t.refuse(status, "bad_request", why))
}

// copyRequest takes everything out of the RequestCtx: it dies when the handler
// returns. Names keep their spelling and order.
func copyRequest(ctx *fasthttp.RequestCtx, received exchange.Header) *exchange.Request {
	h := &ctx.Request.Header
	req := &exchange.Request{
		Method: string(h.Method()),
		Target: string(h.RequestURI()),
		Host:   string(h.Host()),
		Header: endToEnd(received),
		HTTP10: !h.IsHTTP11(),
	}
	if body := ctx.Request.Body(); len(body) > 0 {
		req.Body = bytes.Clone(body)
	}
	return req
}

// write puts an answer into the RequestCtx: its head as our own block, byte for
// byte, and its body whole or as a reader that fasthttp pulls from.
func (p *Proxy) write(ctx *fasthttp.RequestCtx, t *trip, a *answer) {
	if t.origin != "" {
		a.share(t.origin)
	}
	t.answered(a)
	h := &ctx.Response.Header
	if err := h.Read(a.reader()); err != nil {
		a.drop()
		t.settle(exchange.OutcomeFailed, "the origin's response head cannot be passed on: "+err.Error())
		ctx.Response.Reset()
		a = t.failed(http.StatusBadGateway, "bad_gateway", "the origin's response head cannot be passed on", true)
		_ = h.Read(a.reader())
	}
	h.SetNoDefaultContentType(true)
	switch {
	case a.body == nil:
		if ctx.IsHead() || a.bodiless() {
			t.whole()
			break
		}
		ctx.Response.SetBodyRaw(a.raw)
		t.count(len(a.raw))
		t.whole()
	case ctx.IsHead() || a.bodiless():
		t.whole()
		a.drop()
	default:
		ctx.Response.ImmediateHeaderFlush = true
		ctx.Response.SetBodyStream(a.body, int(a.head.Length))
	}
}

// reader reads the head back; its buffer takes the whole of it, or fasthttp would
// refuse heads above 4 KiB.
func (a *answer) reader() *bufio.Reader {
	block := a.block()
	return bufio.NewReaderSize(bytes.NewReader(block), len(block)+16)
}

// block is the head of the answer as it goes out.
func (a *answer) block() []byte {
	var b bytes.Buffer
	reason := a.head.Reason
	if reason == "" {
		reason = http.StatusText(a.head.Status)
	}
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.head.Status, reason)
	for _, f := range a.head.Header {
		b.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	switch {
	case a.bodiless():
	case a.head.Length >= 0:
		b.WriteString("Content-Length: " + strconv.FormatInt(a.head.Length, 10) + "\r\n")
	default:
		b.WriteString("Transfer-Encoding: chunked\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// drop lets go of a body that nobody will read.
func (a *answer) drop() {
	if a.body != nil {
		_ = a.body.CloseWithError(nil)
	}
}

// bodiless reports whether the status allows no body.
func (a *answer) bodiless() bool {
	return a.head.Status == http.StatusNoContent || a.head.Status == http.StatusNotModified
}

func chunked(ctx *fasthttp.RequestCtx) bool {
	return len(ctx.Request.Header.Peek("Transfer-Encoding")) > 0 || ctx.Request.Header.ContentLength() == -1
}

var _ io.ReaderFrom = (*conn)(nil)
