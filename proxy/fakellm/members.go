package fakellm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Member describes one behaviour, for flags and help texts.
type Member struct {
	Name string
	// Value is a placeholder such as "DUR" or "N"; empty for a behaviour that
	// is named without a value.
	Value string
	Help  string
}

type member struct {
	Member
	// shape says that the member forms a good answer; all others are what the
	// member times lifts again.
	shape bool
	set   func(*Fault, string) error
	copy  func(dst, src *Fault)
}

var members = []member{
	duration("head", false, "delay the response head by this", func(f *Fault) *time.Duration { return &f.head }),
	duration("ttft", false, "send the head at once, the first token after this", func(f *Fault) *time.Duration { return &f.ttft }),
	duration("pace", true, "time between two tokens", func(f *Fault) *time.Duration { return &f.pace }),
	count("tokens", true, "tokens of the answer (default 40)", func(f *Fault) *int { return &f.tokens }),
	size("size", "length of the answer's text, such as 1MiB, spread over its tokens", func(f *Fault) *int64 { return &f.size }),
	duration("heartbeat", true, "send a sign of life at this interval while waiting", func(f *Fault) *time.Duration { return &f.heartbeat }),
	bare("gzip", true, "compress the answer, a stream event by event", func(f *Fault) *bool { return &f.gzip }),
	count("cut", false, "break the connection after N tokens", func(f *Fault) *int { return &f.cut }),
	count("end", false, "end cleanly after N tokens, without terminal marker", func(f *Fault) *int { return &f.end }),
	count("stall", false, "stop after N tokens until the client leaves", func(f *Fault) *int { return &f.stall }),
	count("error", false, "send an error event after N tokens", func(f *Fault) *int { return &f.fail }),
	bare("silent", false, "accept, never answer", func(f *Fault) *bool { return &f.silent }),
	bare("truncate", false, "send half a JSON body as a whole answer", func(f *Fault) *bool { return &f.truncate }),
	bare("short", false, "announce the whole length, send half, close", func(f *Fault) *bool { return &f.short }),
	bare("envelope", false, "answer 200 with an error object instead of the answer", func(f *Fault) *bool { return &f.envelope }),
	bare("close", false, "accept the request, then close without an answer", func(f *Fault) *bool { return &f.close }),
	bare("reset", false, "like close with a TCP reset; with cut, make that a reset", func(f *Fault) *bool { return &f.reset }),
	status("status", "answer with this HTTP status; 400 and above with an error body", func(f *Fault) *int { return &f.status }),
	count("retry-after", false, "send Retry-After in seconds", func(f *Fault) *int { return &f.retryAfter }),
	count("times", false, "let what goes wrong hit only the first N sends of a body", func(f *Fault) *int { return &f.times }),
}

// Members returns all behaviours in the order of their documentation.
func Members() []Member {
	out := make([]Member, len(members))
	for i, m := range members {
		out[i] = m.Member
	}
	return out
}

const (
	defaultTokens = 40
	maxSize       = 1 << 30
	maxCount      = 10_000_000
)

func newMember[T any](name, value, help string, shape bool, at func(*Fault) *T, parse func(string) (T, error)) member {
	return member{
		Member: Member{Name: name, Value: value, Help: help},
		shape:  shape,
		set: func(f *Fault, s string) error {
			v, err := parse(s)
			if err != nil {
				return fmt.Errorf("the behaviour %s=%s is wrong: %w", name, s, err)
			}
			*at(f) = v
			return nil
		},
		copy: func(dst, src *Fault) { *at(dst) = *at(src) },
	}
}

func duration(name string, shape bool, help string, at func(*Fault) *time.Duration) member {
	return newMember(name, "DUR", help, shape, at, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return 0, errors.New("write a duration such as 200ms or 1.5s")
		}
		return d, nil
	})
}

func count(name string, shape bool, help string, at func(*Fault) *int) member {
	return newMember(name, "N", help, shape, at, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > maxCount {
			return 0, fmt.Errorf("write a number from 0 to %d", maxCount)
		}
		return n, nil
	})
}

func status(name, help string, at func(*Fault) *int) member {
	return newMember(name, "CODE", help, false, at, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 200 || n > 599 {
			return 0, errors.New("write an HTTP status from 200 to 599")
		}
		return n, nil
	})
}

func bare(name string, shape bool, help string, at func(*Fault) *bool) member {
	return newMember(name, "", help, shape, at, func(s string) (bool, error) {
		if s == "" {
			return true, nil
		}
		v, err := strconv.ParseBool(s)
		if err != nil {
			return false, errors.New("write the name alone, or =true or =false")
		}
		return v, nil
	})
}

func size(name, help string, at func(*Fault) *int64) member {
	return newMember(name, "SIZE", help, true, at, parseSize)
}

// parseSize reads a byte count with an optional binary unit.
func parseSize(s string) (int64, error) {
	digits, unit := s, int64(1)
	for suffix, factor := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if d, ok := strings.CutSuffix(s, suffix); ok {
			digits, unit = d, factor
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > maxSize/unit {
		return 0, errors.New("write a size up to 1GiB, such as 1024, 64KiB or 1MiB")
	}
	return n * unit, nil
}
