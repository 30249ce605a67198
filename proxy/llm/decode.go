package llm

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tailrace/proxy/exchange"
)

const (
	// decodeLimit bounds what a compressed request may become.
	decodeLimit = 64 << 20
	// ratioLimit and ratioFloor keep a small body from becoming a large one: JSON
	// text reaches a ratio of 30, bombs reach 1000 and more.
	ratioLimit = 100
	ratioFloor = 1 << 20
	// windowLimit bounds the memory that a stream's sender makes us keep.
	// RFC 9659 limits zstd on the web to windows of 8 MiB.
	windowLimit = 8 << 20
)

// errTooLarge is returned when decoding gives more than its limit, or more
// than 100 times what was sent.
var errTooLarge = errors.New("the decoded body is too large")

// Decode undoes the Content-Encoding of a body, for reading only: what is
// forwarded stays as it came. gzip, deflate, br and zstd are known, one after
// another too. It returns body itself when there is nothing to undo, and fails
// when a coding is unknown, the data is damaged or cut, or the result is
// larger than limit bytes or than 100 times the body (1 MiB is always allowed).
func Decode(h exchange.Header, body []byte, limit int) ([]byte, error) {
	codings := codingsOf(h)
	if len(codings) == 0 {
		return body, nil
	}
	limit = min(limit, max(ratioFloor, ratioLimit*len(body)))
	r := io.Reader(bytes.NewReader(body))
	for i := len(codings) - 1; i >= 0; i-- {
		c, err := decoder(codings[i], r, decodeLimit)
		if err != nil {
			return nil, fmt.Errorf("decoding a body of Content-Encoding %q: %w", codings[i], err)
		}
		defer c.Close()
		r = c
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(out) > limit || errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = errTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("decoding a body of Content-Encoding %q: %w", strings.Join(codings, ", "), err)
	}
	return out, nil
}

// codingsOf lists the content codings in the order they were applied, without
// identity (RFC 9110, section 8.4).
func codingsOf(h exchange.Header) []string {
	var out []string
	for _, line := range h.Values("Content-Encoding") {
		for c := range strings.SplitSeq(line, ",") {
			c = strings.ToLower(strings.TrimSpace(c))
			if c != "" && c != "identity" {
				out = append(out, c)
			}
		}
	}
	return out
}

// decoder reads what one coding was applied to. It asks r for no more than it
// needs to go on, so that a live stream is decoded as far as it was flushed.
// window bounds the bytes of history that zstd may ask for.
func decoder(coding string, r io.Reader, window uint64) (io.ReadCloser, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return inflater(r)
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return nil, errors.New("the coding is unknown")
	}
}

// inflater reads "deflate", which is zlib by RFC 9110, section 8.4.1.2, and bare
// DEFLATE by what some senders do.
func inflater(r io.Reader) (io.ReadCloser, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(2)
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}
