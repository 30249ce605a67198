package exchange

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Pieces of keys in any order and spelling: whatever the expression finds, the
// quick look has seen.
func TestWhatHasTheShapeOfAKeyIsNeverOverlooked(t *testing.T) {
	pieces := []string{
		"sk", "pk", "xai", "r8", "nvapi", "pplx", "AIza", "bearer", "BEARER", "Bearer", "-", "_", " ", "\n", "\t", ".", "x", "é", "=",
		"0123456789ab", "0123456789abcdefghijkl", "proj", "\x00", "task", "\"",
	}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200_000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := b.String()
		if keyShapes.MatchString(s) {
			found++
			if !suspect(s) || !suspect([]byte(s)) {
				t.Fatalf("%q is overlooked", s)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d of the texts held a key: that shows little", found)
	}
}

func TestOrdinaryTextIsNotSuspect(t *testing.T) {
	for _, s := range []string{
		"", "a", "risk-management-systems", "task_0123456789abcdef", "a bearer", "the bearers of news",
		"https://example.test/desk-0123456789abcdef", "sk-short", "AI zones",
	} {
		if suspect(s) {
			t.Errorf("%q is suspect", s)
		}
	}
}

func BenchmarkRedactBody(b *testing.B) {
	body := []byte(strings.Repeat("words and more-words, ", 1<<20))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, intact := RedactBody(body); !intact {
			b.Fatal("redacted")
		}
	}
}
