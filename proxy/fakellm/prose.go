package fakellm

import (
	"strings"
	"unicode"
)

// speech says what an answer says: a number of tokens of quiet prose about
// water, the same for the same seed. A token is a word with the space before
// it, as tokenizers have it.
type speech struct {
	seed  uint64
	words []string // what is left of the sentence
	first bool

	n, i int
	size int64 // length of the whole text, 0 for as it comes

	block string // with size: prose that is repeated to that length
	pos   int
}

// blockSize: text of a given size is for testing limits, nobody reads 64 MiB of
// it, and making it word by word takes seconds.
const blockSize = 32 << 10

func newSpeech(seed uint64, topic string, n int, size int64) *speech {
	s := &speech{seed: seed, first: true, n: n, size: size}
	// A text of exact size is cut anywhere, so it must be ASCII.
	if topic != "" && size == 0 {
		opening := openings[s.rand(len(openings))]
		s.words = strings.Fields(strings.ReplaceAll(opening, "{topic}", topic))
	}
	return s
}

// next returns the next token, "" after the last one.
func (s *speech) next() string {
	if s.i >= s.n {
		return ""
	}
	s.i++
	if s.size == 0 {
		return s.word()
	}
	if s.block == "" {
		s.block = s.prose(int(min(s.size, blockSize)))
	}
	want := int(s.size*int64(s.i)/int64(s.n) - s.size*int64(s.i-1)/int64(s.n))
	b := make([]byte, 0, want)
	for len(b) < want {
		part := s.block[s.pos:min(len(s.block), s.pos+want-len(b))]
		b = append(b, part...)
		s.pos = (s.pos + len(part)) % len(s.block)
	}
	return string(b)
}

// prose returns words up to exactly n bytes.
func (s *speech) prose(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(s.word())
	}
	return b.String()[:n]
}

// text returns all tokens that are left as one string.
func (s *speech) text() string {
	var b strings.Builder
	for s.i < s.n {
		b.WriteString(s.next())
	}
	return b.String()
}

func (s *speech) word() string {
	if len(s.words) == 0 {
		s.words = s.sentence()
	}
	w := s.words[0]
	s.words = s.words[1:]
	if s.first {
		s.first = false
		return w
	}
	return " " + w
}

// sentence picks a template and fills its slots.
func (s *speech) sentence() []string {
	words := strings.Fields(sentences[s.rand(len(sentences))])
	for i, w := range words {
		for slot, list := range slots {
			if strings.Contains(w, slot) {
				words[i] = strings.Replace(w, slot, list[s.rand(len(list))], 1)
				break
			}
		}
	}
	return words
}

// rand is splitmix64: the sequence must be the same on every machine and with
// every release of Go.
func (s *speech) rand(n int) int {
	s.seed += 0x9e3779b97f4a7c15
	z := s.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// topicOf takes the last words of a prompt that carry meaning. Only letters and
// digits pass: the topic goes into JSON and onto terminals.
func topicOf(prompt string) string {
	if len(prompt) > 2000 {
		prompt = strings.ToValidUTF8(prompt[len(prompt)-2000:], "")
	}
	words := strings.FieldsFunc(prompt, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var out []string
	for i := len(words) - 1; i >= 0 && len(out) < 3; i-- {
		r := []rune(words[i])
		if len(r) < 4 && r[0] < 0x2e80 || common[strings.ToLower(words[i])] {
			if len(out) > 0 {
				break // keep words that stood together
			}
			continue
		}
		out = append([]string{string(r[:min(len(r), 16)])}, out...)
	}
	return strings.Join(out, " ")
}
