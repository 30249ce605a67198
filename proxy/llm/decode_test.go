package llm

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"tailrace/proxy/exchange"
)

func encoded(codings ...string) exchange.Header {
	var h exchange.Header
	for _, c := range codings {
		h = append(h, exchange.Field{Name: "Content-Encoding", Value: c})
	}
	return h
}

func TestDecodeUndoesEveryCoding(t *testing.T) {
	body := []byte(strings.Repeat("a body with 费用; ", 1000))
	for coding, compress := range encoders {
		got, err := Decode(encoded(strings.ToUpper(coding)), compress(body), 1<<20)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes, %v", coding, len(got), err)
		}
		if _, err := Decode(encoded(coding), compress(body)[:20], 1<<20); err == nil {
			t.Errorf("%s: cut data is read", coding)
		}
	}
	var bare bytes.Buffer
	w, _ := flate.NewWriter(&bare, 5)
	w.Write(body)
	w.Close()
	if got, err := Decode(encoded("deflate"), bare.Bytes(), 1<<20); err != nil || !bytes.Equal(got, body) {
		t.Errorf("bare deflate: %d bytes, %v", len(got), err)
	}
	both := encoders["br"](encoders["gzip"](body))
	for _, h := range []exchange.Header{encoded("gzip, br"), encoded("gzip", "identity", "br")} {
		if got, err := Decode(h, both, 1<<20); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%v: %d bytes, %v", h, len(got), err)
		}
	}
	if got, err := Decode(encoded("identity"), body, 1); err != nil || &got[0] != &body[0] {
		t.Errorf("identity: %v", err)
	}
	if _, err := Decode(encoded("compress"), body, 1<<20); err == nil {
		t.Error("an unknown coding is read")
	}
	// More than windowLimit in one segment, whose window is then as large.
	large := bytes.Repeat(noise(1<<20), 9)
	if got, err := Decode(encoded("zstd"), encoders["zstd"](large), 64<<20); err != nil || !bytes.Equal(got, large) {
		t.Errorf("9 MiB of zstd: %d bytes, %v", len(got), err)
	}
}

func TestDecodeIsBoundedByItsLimitAndByTheRatio(t *testing.T) {
	zeros := make([]byte, 4<<20)
	for coding, compress := range encoders {
		bomb := compress(zeros)
		if _, err := Decode(encoded(coding), bomb, 64<<20); len(bomb)*ratioLimit < len(zeros) && !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %d bytes became 4 MiB: %v", coding, len(bomb), err)
		}
		small := compress(zeros[:1<<20])
		if got, err := Decode(encoded(coding), small, 64<<20); err != nil || len(got) != 1<<20 {
			t.Errorf("%s: 1 MiB is refused: %v", coding, err)
		}
		if _, err := Decode(encoded(coding), small, 1<<20-1); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: the limit does not hold: %v", coding, err)
		}
	}
}

// noise is text that hardly compresses: digits.
func noise(n int) []byte {
	out := make([]byte, n)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range out {
		out[i] = "0123456789abcdef"[r.IntN(16)]
	}
	return out
}

// flusher is a compressor that a server flushes after each event.
type flusher interface {
	io.WriteCloser
	Flush() error
}

func flushers(w io.Writer) map[string]flusher {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return map[string]flusher{"gzip": gzip.NewWriter(w), "deflate": zlib.NewWriter(w), "br": brotli.NewWriter(w), "zstd": z}
}

func TestACompressedStreamIsReadAsFarAsItWasFlushed(t *testing.T) {
	c, _, body := transcript(t, "anthropic.sse")
	events := bytes.SplitAfter(body, []byte("\n\n"))
	for coding := range encoders {
		h := headOf(200, "text/event-stream")
		h.Header = append(h.Header, encoded(coding)...)
		var wire bytes.Buffer
		w := flushers(&wire)[coding]
		plain, packed := NewMeter(c, headOf(200, "text/event-stream")), NewMeter(c, h)
		r := rand.New(rand.NewPCG(5, 6))
		for _, e := range events {
			w.Write(e)
			w.Flush()
			plain.Feed(e)
			for wire.Len() > 0 {
				packed.Feed(wire.Next(1 + r.IntN(9)))
			}
			if p, q := plain.TakeText(1<<10), packed.TakeText(1<<10); p != q {
				t.Fatalf("%s: %q after a flush, want %q", coding, q, p)
			}
			if plain.Events() != packed.Events() || plain.Complete() != packed.Complete() {
				t.Fatalf("%s: %d events, want %d", coding, packed.Events(), plain.Events())
			}
		}
		w.Close()
		packed.Feed(wire.Bytes())
		packed.End()
		if !packed.Complete() || packed.Usage().Output != 89 {
			t.Errorf("%s: complete %v, %+v", coding, packed.Complete(), packed.Usage())
		}
		if got := packed.ErrorEvent(c, "killed", "x"); got != nil {
			t.Errorf("%s: %q would go into a compressed stream", coding, got)
		}
		packed.Close()
	}
}

func TestADamagedOrUnknownCodingIsNotReadFurther(t *testing.T) {
	c, _, body := transcript(t, "anthropic.sse")
	for _, coding := range []string{"gzip", "zstd", "br", "deflate", "snappy"} {
		h := headOf(200, "text/event-stream")
		h.Header = append(h.Header, encoded(coding)...)
		m := NewMeter(c, h)
		for range 100 {
			m.Feed(body)
		}
		m.End()
		if m.Complete() || m.Content() {
			t.Errorf("%s: read from what is none", coding)
		}
	}
}

func TestABombInAStreamIsLeftAlone(t *testing.T) {
	c := &exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}
	h := headOf(200, "text/event-stream")
	h.Header = append(h.Header, encoded("gzip")...)
	bomb := encoders["gzip"](append(bytes.Repeat([]byte(":\n"), 4<<20), "data: [DONE]\n\n"...))
	m := NewMeter(c, h)
	m.Feed(bomb)
	m.End()
	if m.Complete() || m.unpack.produced > ratioFloor+ratioLimit*len(bomb) {
		t.Errorf("%d bytes became %d", len(bomb), m.unpack.produced)
	}
}

func TestAMeterThatIsForgottenHoldsNothing(t *testing.T) {
	h := headOf(200, "text/event-stream")
	h.Header = append(h.Header, encoded("gzip")...)
	before := runtime.NumGoroutine()
	func() {
		for range 100 {
			NewMeter(&exchange.Call{Dialect: exchange.DialectOpenAI, API: "chat"}, h).Feed([]byte{0x1f})
		}
	}()
	for range 1000 {
		if runtime.GC(); runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
