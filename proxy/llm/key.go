package llm

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
)

// Key is the identity of a request: what is asked, whoever asks and wherever.
// Method, path, upstream and credential are its scope, which is kept elsewhere.
type Key struct {
	Short     string   // request_key: the first 16 hex digits of Digest
	Digest    [32]byte // SHA-256 of Canonical
	Canonical string   // ASCII
}

// prompts are the members that hold what is asked; the first one present is the
// prompt, and all others are parameters.
var prompts = []string{"messages", "input", "prompt", "contents"}

// KeyOf returns the key of a request body, which must not be compressed. The
// canonical string is byte for byte what Python's
//
//	json.dumps({"prompt": prompt, "params": params}, sort_keys=True)
//
// gives for json.loads of the body as UTF-8 text. A body without a prompt has
// the prompt null; one that is no object is all parameters. What Python cannot
// read (also: UTF-8 that is none, a byte order mark, integers above 4300
// digits, about a thousand nested brackets) has the canonical string
// {"_raw_sha256": HEX}, with the digest of the body's bytes.
func KeyOf(body []byte) Key {
	var d document
	if err := d.parse(body, maxDepth); err != nil {
		return spell(rawKey(body))
	}
	return spell(func(p *printer) { identity(p, d.root()) })
}

// KeyOfParts returns the key of a prompt and parameters that are given apart.
// It fails when one of them is not JSON that Python reads.
func KeyOfParts(promptJSON, paramsJSON []byte) (Key, error) {
	var prompt, params document
	if err := prompt.parse(promptJSON, maxDepth); err != nil {
		return Key{}, fmt.Errorf("reading the prompt: %w", err)
	}
	if err := params.parse(paramsJSON, maxDepth); err != nil {
		return Key{}, fmt.Errorf("reading the params: %w", err)
	}
	return spell(func(p *printer) {
		p.WriteString(`{"params": `)
		p.value(params.root())
		p.WriteString(`, "prompt": `)
		p.value(prompt.root())
		p.WriteByte('}')
	}), nil
}

// identity writes the canonical form of a body.
func identity(p *printer, body value) {
	p.WriteString(`{"params": `)
	var prompt value
	if body.kind() == object {
		fields := sorted(body)
		if i := promptIn(fields); i >= 0 {
			prompt = fields[i].value
			fields = slices.Delete(fields, i, i+1)
		}
		p.object(fields)
	} else {
		p.value(body)
	}
	p.WriteString(`, "prompt": `)
	if prompt.kind() == absent {
		p.WriteString("null")
	} else {
		p.value(prompt)
	}
	p.WriteByte('}')
}

func promptIn(fields []field) int {
	for _, name := range prompts {
		i := slices.IndexFunc(fields, func(f field) bool { return string(f.name) == name })
		if i >= 0 {
			return i
		}
	}
	return -1
}

func rawKey(body []byte) func(*printer) {
	sum := sha256.Sum256(body)
	return func(p *printer) {
		p.WriteString(`{"_raw_sha256": "` + hex.EncodeToString(sum[:]) + `"}`)
	}
}

// spell collects what is printed, and its digest.
func spell(print func(*printer)) Key {
	var canonical bytes.Buffer
	sum := sha256.New()
	printTo(io.MultiWriter(sum, &canonical), print)
	k := keyOfSum(sum)
	k.Canonical = canonical.String()
	return k
}

// digest is spell without the canonical string: a prompt of 20 MiB need not
// stand in memory twice to be named.
func digest(print func(*printer)) Key {
	sum := sha256.New()
	printTo(sum, print)
	return keyOfSum(sum)
}

func printTo(w io.Writer, print func(*printer)) {
	p := printer{Writer: bufio.NewWriter(w)}
	print(&p)
	p.Flush()
}

func keyOfSum(sum hash.Hash) Key {
	var k Key
	sum.Sum(k.Digest[:0])
	k.Short = hex.EncodeToString(k.Digest[:8])
	return k
}
