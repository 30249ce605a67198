package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// reference computes the canonical string of each line's base64 as the journal
// documents it. json.loads of the text, not of the bytes: a byte order mark is
// no JSON there.
const reference = `
import sys, json, base64, hashlib
def canonical(raw):
    try:
        body = json.loads(raw.decode('utf-8'))
        prompt, params = None, body
        if isinstance(body, dict):
            params = dict(body)
            for name in ('messages', 'input', 'prompt', 'contents'):
                if name in params:
                    prompt = params.pop(name)
                    break
        return json.dumps({'prompt': prompt, 'params': params}, sort_keys=True)
    except (ValueError, RecursionError):
        return json.dumps({'_raw_sha256': hashlib.sha256(raw).hexdigest()})
def main():
    for line in sys.stdin:
        print(hashlib.sha256(canonical(base64.b64decode(line)).encode()).hexdigest())
main()
`

func TestKeysOfGeneratedBodiesAreThoseOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const count = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([][]byte, count)
	var in bytes.Buffer
	for i := range docs {
		docs[i] = body(r)
		fmt.Fprintln(&in, base64.StdEncoding.EncodeToString(docs[i]))
	}
	cmd := exec.Command(python, "-c", reference)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running python3: %v", err)
	}
	want := strings.Fields(string(out))
	if len(want) != count {
		t.Fatalf("python3 answered %d of %d lines", len(want), count)
	}
	raw := 0
	for i, doc := range docs {
		k := KeyOf(doc)
		if strings.HasPrefix(k.Canonical, `{"_raw`) {
			raw++
		}
		if got := hex.EncodeToString(k.Digest[:]); got != want[i] {
			t.Fatalf("document %d: Python has another digest\n%q\nours: %s", i, doc, k.Canonical)
		}
	}
	if raw < count/20 || raw > count/2 {
		t.Errorf("%d of %d documents are unreadable: the generator tests one side only", raw, count)
	}
}

// body makes a request body, one in four damaged.
func body(r *rand.Rand) []byte {
	var b []byte
	if r.IntN(10) == 0 {
		b = appendValue(nil, r, 4)
	} else {
		b = appendObject(nil, r, 4)
	}
	if r.IntN(4) > 0 {
		return b
	}
	at := r.IntN(len(b) + 1)
	switch r.IntN(4) {
	case 0:
		return b[:at]
	case 1:
		return append(b[:at:at], append([]byte{byte(r.IntN(256))}, b[at:]...)...)
	case 2:
		const odd = "\"\\,:{}[]+-.eEu0 \t\n\r\v\f\x00\x7f"
		return append(b[:at:at], append([]byte{odd[r.IntN(len(odd))]}, b[at:]...)...)
	default:
		return append(b[:at:at], b[min(at+1, len(b)):]...)
	}
}

func appendValue(b []byte, r *rand.Rand, depth int) []byte {
	n := r.IntN(10)
	if depth == 0 {
		n = r.IntN(7)
	}
	switch n {
	case 0:
		return append(b, []string{"true", "false", "null", "NaN", "Infinity", "-Infinity"}[r.IntN(6)]...)
	case 1, 2:
		return appendString(b, r)
	case 3:
		return append(b, strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)...)
	case 4:
		return strconv.AppendFloat(b, math.Float64frombits(r.Uint64()&^(1<<62)), 'g', r.IntN(20), 64)
	case 5:
		return appendDecimal(b, r)
	case 6:
		return append(b, []string{"-0", "0", "-0.0", "1e5", "1E+5", "01", "1.", ".5", "1e16", "9999999999999999.0", "0.0001", "5e-324", "2e-324"}[r.IntN(13)]...)
	case 7:
		b = append(b, '[')
		for i := range r.IntN(4) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(appendSpace(b, r), r, depth-1)
		}
		return append(appendSpace(b, r), ']')
	default:
		return appendObject(b, r, depth-1)
	}
}

func appendDecimal(b []byte, r *rand.Rand) []byte {
	digits := func(n int) {
		for range n {
			b = append(b, byte('0'+r.IntN(10)))
		}
	}
	if r.IntN(2) == 0 {
		b = append(b, '-')
	}
	b = append(b, byte('1'+r.IntN(9)))
	digits(r.IntN(25))
	if r.IntN(50) == 0 {
		digits(4300)
	}
	if r.IntN(2) == 0 {
		b = append(b, '.')
		digits(1 + r.IntN(25))
	}
	if r.IntN(2) == 0 {
		b = append(b, "eE"[r.IntN(2)])
		b = strconv.AppendInt(b, int64(r.IntN(700)-350), 10)
	}
	return b
}

var names = []string{`"messages"`, `"input"`, `"prompt"`, `"contents"`, `"model"`, `"\u006dodel"`, `"a"`, `"A"`, `""`, `"é"`, `"\uffee"`, `"\ud83d\ude00"`, `"\ud83d"`}

func appendObject(b []byte, r *rand.Rand, depth int) []byte {
	b = append(b, '{')
	for i := range r.IntN(7) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSpace(b, r)
		if r.IntN(3) > 0 {
			b = append(b, names[r.IntN(len(names))]...)
		} else {
			b = appendString(b, r)
		}
		b = append(appendSpace(b, r), ':')
		b = appendValue(appendSpace(b, r), r, max(depth-1, 0))
	}
	return append(appendSpace(b, r), '}')
}

func appendSpace(b []byte, r *rand.Rand) []byte {
	for range r.IntN(2) {
		b = append(b, " \t\r\n"[r.IntN(4)])
	}
	return b
}

func appendString(b []byte, r *rand.Rand) []byte {
	b = append(b, '"')
	for range r.IntN(8) {
		switch r.IntN(6) {
		case 0:
			b = append(b, '\\', `"\/bfnrt`[r.IntN(8)])
		case 1:
			b = fmt.Appendf(b, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], r.IntN(0x10000))
		case 2: // surrogates, in and out of order
			b = fmt.Appendf(b, `\u%04x`, 0xd800+r.IntN(0x800))
		case 3:
			if c := rune(r.IntN(utf8.MaxRune + 1)); utf8.ValidRune(c) && c >= ' ' && c != '"' && c != '\\' {
				b = utf8.AppendRune(b, c)
			}
		default:
			b = append(b, "abcXYZ 019<>&'/\x7f"[r.IntN(16)])
		}
	}
	return append(b, '"')
}
