package fakellm

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"tailrace/proxy/sse"
)

// completionDialect is POST /v1/completions, the older API.
type completionDialect struct{ chatDialect }

func completion(q *ask) reply {
	return reply{dialect: &completionDialect{chatDialect{ask: q}}, stream: q.streams(false), extra: openaiHeaders(q)}
}

func (d *completionDialect) document(text string, finish, usage any) obj {
	o := obj{
		"id", d.id("cmpl-", 28), "object", "text_completion", "created", d.created(), "model", d.model("fake-river-1"),
		"choices",
		list{obj{"text", text, "index", 0, "logprobs", nil, "finish_reason", finish}},
	}
	if usage != nil {
		o = append(o, "usage", usage)
	}
	return o
}

func (d *completionDialect) plain(text string) []byte {
	return doc(d.document(text, "stop", d.usage()))
}

func (d *completionDialect) open() [][]byte { return nil }

func (d *completionDialect) token(_ int, word string) []byte {
	return sse.AppendEvent(nil, "", doc(d.document(word, nil, nil)))
}

func (d *completionDialect) close(string) [][]byte {
	events := [][]byte{sse.AppendEvent(nil, "", doc(d.document("", "stop", nil)))}
	if d.withUsage {
		o := d.document("", nil, d.usage())
		o[9] = list{} // the usage chunk has no choice
		events = append(events, sse.AppendEvent(nil, "", doc(o)))
	}
	return append(events, done)
}

// embeddingDialect is POST /v1/embeddings; it never streams.
type embeddingDialect struct{ chatDialect }

func embeddings(q *ask) reply {
	return reply{dialect: &embeddingDialect{chatDialect{ask: q}}, extra: openaiHeaders(q)}
}

const (
	defaultDimensions = 64
	maxDimensions     = 8192
	maxInputs         = 4096
)

func (d *embeddingDialect) plain(string) []byte {
	n := 1
	var inputs []json.RawMessage
	if d.read("input", &inputs) && len(inputs) > 0 && inputs[0][0] != '-' && (inputs[0][0] < '0' || inputs[0][0] > '9') {
		n = min(len(inputs), maxInputs) // an array of numbers is one input, of tokens
	}
	data := list{}
	for i := range n {
		data = append(data, obj{"object", "embedding", "index", i, "embedding", d.vector(i)})
	}
	return doc(obj{
		"object", "list", "data", data, "model", d.model("fake-embedding-1"),
		"usage",
		obj{"prompt_tokens", d.promptTokens, "total_tokens", d.promptTokens},
	})
}

// vector is of unit length. SDKs ask for base64 by default.
func (d *embeddingDialect) vector(input int) any {
	n, encoding := 0, ""
	d.read("dimensions", &n)
	d.read("encoding_format", &encoding)
	if n <= 0 {
		n = defaultDimensions
	}
	n = min(n, maxDimensions)
	random := speech{seed: d.seed() + uint64(input)}
	v := make([]float32, n)
	var sum float64
	for i := range v {
		v[i] = float32(random.rand(20001)-10000) / 10000
		sum += float64(v[i]) * float64(v[i])
	}
	norm := float32(1 / math.Sqrt(max(sum, 1e-9)))
	if encoding == "base64" {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x*norm))
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	out := make(list, n)
	for i, x := range v {
		out[i] = math.Round(float64(x*norm)*1e6) / 1e6
	}
	return out
}
