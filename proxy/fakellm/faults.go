package fakellm

import (
	"fmt"
	"strings"
	"time"
)

// Fault is the behaviour of one request: how an answer is paced and what goes
// wrong with it. The zero value is a whole answer of 40 tokens without delay.
// Members lists what can be set.
type Fault struct {
	set uint32 // which members were named, a bit each, in the order of members

	head, ttft, pace, heartbeat time.Duration

	tokens, times         int
	cut, end, stall, fail int
	status, retryAfter    int
	size                  int64
	silent, truncate      bool
	close, reset          bool
	gzip, envelope, short bool
}

// ParseFault reads the form of the X-Fakellm header: members separated by
// commas, such as "ttft=200ms,pace=20ms,tokens=40,cut=5". Spaces around members
// are ignored. The error is one sentence that names the member at fault.
func ParseFault(s string) (Fault, error) {
	var f Fault
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if err := f.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return Fault{}, err
		}
	}
	return f, nil
}

// MustParseFault is ParseFault for constants; it panics on an error.
func MustParseFault(s string) Fault {
	f, err := ParseFault(s)
	if err != nil {
		panic(err)
	}
	return f
}

// Set sets one member, as ParseFault does and as a command line flag may.
func (f *Fault) Set(name, value string) error {
	for i, m := range members {
		if m.Name == name {
			if err := m.set(f, value); err != nil {
				return err
			}
			f.set |= 1 << i
			return nil
		}
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return fmt.Errorf("the behaviour %q is unknown: use one of %s", name, strings.Join(names, ", "))
}

// has says whether a member was named.
func (f *Fault) has(name string) bool {
	for i, m := range members {
		if m.Name == name {
			return f.set&(1<<i) != 0
		}
	}
	return false
}

// unset forgets a member.
func (f *Fault) unset(name string) {
	for i, m := range members {
		if m.Name == name {
			f.set &^= 1 << i
		}
	}
}

// over returns base with the members of f in their place.
func (f Fault) over(base Fault) Fault {
	for i, m := range members {
		if f.set&(1<<i) != 0 {
			m.copy(&base, &f)
			base.set |= 1 << i
		}
	}
	return base
}

// shape returns f without all that goes wrong or late.
func (f Fault) shape() Fault {
	var out Fault
	for i, m := range members {
		if m.shape && f.set&(1<<i) != 0 {
			m.copy(&out, &f)
			out.set |= 1 << i
		}
	}
	return out
}

// count is the length of the answer in tokens.
func (f *Fault) count() int {
	if f.has("tokens") {
		return f.tokens
	}
	return defaultTokens
}

// due says whether the member name, with its value after, hits at token i of n.
// A number beyond the last token means behind the last token.
func (f *Fault) due(name string, after, i, n int) bool {
	return f.has(name) && i >= min(after, n)
}

// at returns what goes wrong at token i of n, if anything does.
func (f *Fault) at(i, n int) (step, bool) {
	switch {
	case f.due("cut", f.cut, i, n):
		return step{verb: cut}, true
	case f.due("error", f.fail, i, n), f.due("end", f.end, i, n):
		return step{verb: last}, true
	case f.due("stall", f.stall, i, n):
		return step{verb: hang}, true
	}
	return step{}, false
}

// staged says whether a plain answer must be sent in pieces.
func (f *Fault) staged() bool {
	return f.ttft > 0 || f.pace > 0 || f.has("cut") || f.has("end") || f.has("stall")
}
