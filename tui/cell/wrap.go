package cell

import "strings"

// Wrap breaks a text that has been through [Text] into lines of at most w
// cells, at spaces where there are any. An empty text is no line.
func Wrap(s string, w int) []string {
	if s == "" || w <= 0 {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = wrapLine(out, line, w)
	}
	return out
}

func wrapLine(out []string, line string, w int) []string {
	for {
		if len(line) <= w {
			return append(out, line)
		}
		first := head(line, w)
		if len(first) == len(line) {
			return append(out, line)
		}
		if first == "" { // one cluster wider than the line
			c, _ := clusterWidth(line)
			line = "?" + line[len(c):]
			continue
		}
		cut := len(first)
		if line[cut] != ' ' {
			// A word longer than a third of the line is broken rather than
			// leaving a ragged hole.
			if i := strings.LastIndexByte(first, ' '); i > 0 && cut-i <= max(w/3, 12) {
				cut = i
			}
		}
		out = append(out, line[:cut])
		line = strings.TrimPrefix(line[cut:], " ")
	}
}
