package origin

import (
	"bufio"
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"
)

// maxInterim bounds the 1xx responses before the one that counts.
const maxInterim = 32

var blockEnd = []byte("\r\n\r\n")

// readHead reads heads until the one of the answer. Interim ones are dropped;
// nobody asks for an upgrade here, so a 101 is none of ours.
func (c *Conn) readHead() (*parsed, error) {
	for range maxInterim + 1 {
		block, err := c.l.block()
		if err != nil {
			return nil, err
		}
		p, err := parseHead(block)
		switch {
		case err != nil:
			return nil, err
		case p.Status == 101:
			return nil, badHead("it switched protocols without being asked")
		case p.Status < 200:
			_, _ = c.l.br.Discard(len(block))
			continue
		}
		return p, c.l.frame(p, len(block))
	}
	return nil, badHead("it sent interim responses without end")
}

// block waits for the bytes of a head, with the empty line that ends it, and
// leaves them unread. Line ends are CRLF; what cannot become a head is refused
// at its first wrong byte, not after the header wait.
func (l *link) block() ([]byte, error) {
	seen := 0
	for {
		b, _ := l.br.Peek(l.br.Buffered())
		if err := plausible(b, seen); err != nil {
			return nil, err
		}
		from := max(seen-len(blockEnd)+1, 0)
		if i := bytes.Index(b[from:], blockEnd); i >= 0 {
			return b[:from+i+len(blockEnd)], nil
		}
		seen = len(b)
		_, err := l.br.Peek(len(b) + 1)
		if errors.Is(err, bufio.ErrBufferFull) {
			if err := l.grow(); err != nil {
				return nil, err
			}
			if _, err := l.br.Peek(seen); err != nil {
				return nil, err
			}
		} else if err != nil {
			return nil, err
		}
	}
}

// plausible checks the bytes of a head that has not ended, from seen on.
func plausible(b []byte, seen int) error {
	const start = "HTTP/1."
	if n := min(len(b), len(start)); string(b[:n]) != start[:n] {
		if b[0] == 0x15 || b[0] == 0x16 { // a TLS alert or handshake record
			return badHead("it speaks TLS: use https:// in targets")
		}
		return badHead("")
	}
	for i := seen; i < len(b); i++ {
		if b[i] == '\n' && (i == 0 || b[i-1] != '\r') {
			return badHead("a line of its head ends without CR")
		}
		if b[i] == '\n' && bytes.HasSuffix(b[:i+1], blockEnd) {
			break
		}
	}
	return nil
}

// frame lets fasthttp read the head of n bytes, for the framing of the body.
// Both readings must agree on where it ends, or a body could pass for a head.
func (l *link) frame(p *parsed, n int) error {
	resp := fasthttp.AcquireResponse()
	resp.StreamBody = true
	resp.Header.DisableNormalizing()
	before := l.br.Buffered()
	err := resp.Header.Read(l.br)
	if err != nil || before-l.br.Buffered() != n {
		fasthttp.ReleaseResponse(resp)
		return badHead("its framing cannot be read")
	}
	p.resp, p.Length = resp, max(int64(resp.Header.ContentLength()), -1)
	return nil
}
