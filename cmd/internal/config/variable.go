package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Variables are replaced in values after YAML has been read, so that what a
// variable holds can never change the structure of the file. But "${NAME}" in a
// flow mapping would end it at the brace. So each one is moved, letter by
// letter, to a private plane of Unicode, where YAML sees only letters and the
// columns stay right, and is moved back when its value is read.
const hidden = 0xF0000

var (
	variable       = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}\n]*)?\}`)
	hiddenVariable = regexp.MustCompile(`\x{F0024}\x{F007B}[^\x{F007D}]*\x{F007D}`)
)

func hideVariables(text []byte) []byte {
	return variable.ReplaceAllFunc(text, func(v []byte) []byte {
		if string(v) == "$$" {
			return v
		}
		return []byte(strings.Map(func(c rune) rune {
			if c >= 0x10000 { // no character of YAML's lies there
				return c
			}
			return hidden + c
		}, string(v)))
	})
}

// showVariables undoes hideVariables, for texts that a person reads.
func showVariables(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= hidden && c < hidden+0x10000 {
			return c - hidden
		}
		return c
	}, s)
}

// expand replaces ${NAME}, ${NAME:-default} and $$ in a value.
func (r *reader) expand(s string) (string, error) {
	var failed error
	parts := hiddenVariable.FindAllStringIndex(s, -1)
	out, last := strings.Builder{}, 0
	for _, p := range parts {
		plain(&out, s[last:p[0]], &failed)
		name, fallback, has := strings.Cut(strings.Trim(showVariables(s[p[0]:p[1]]), "${}"), ":-")
		value, set := r.env(name)
		switch {
		case has && value == "": // as in a shell, ":-" also stands for an empty one
			value = fallback
		case !has && !set:
			failed = fmt.Errorf("the variable %s is not set; set it, or write ${%s:-default}", name, name)
		}
		out.WriteString(value)
		last = p[1]
	}
	plain(&out, s[last:], &failed)
	return out.String(), failed
}

// plain writes text between variables.
func plain(out *strings.Builder, s string, failed *error) {
	s = strings.ReplaceAll(s, "$$", "\x00")
	if strings.Contains(s, "$") {
		*failed = fmt.Errorf("%q has a lone $; write ${NAME} for a variable, or $$ for the character", strings.ReplaceAll(s, "\x00", "$$"))
	}
	out.WriteString(strings.ReplaceAll(s, "\x00", "$"))
}
