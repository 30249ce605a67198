package llm

import (
	"fmt"
	"strings"

	"tailrace/proxy/exchange"
)

// The bounds of a conversation as it is shown, in messages and bytes.
const (
	talkMessages = 64
	talkMessage  = 16 << 10
	talkTotal    = 256 << 10
)

// conversation collects what is asked, for people. Of a long one the first
// message, often the system's, and the newest ones are kept.
type conversation struct {
	list    []exchange.Message
	skipped int
}

// add appends a message; one without text is left out.
func (c *conversation) add(role, text string) {
	if text == "" {
		return
	}
	if len(text) > talkMessage {
		const more = "…"
		text = clip(text, talkMessage-len(more)) + more
	}
	if len(c.list) == talkMessages-1 { // one place for the note
		c.list = append(c.list[:1], c.list[2:]...)
		c.skipped++
	}
	c.list = append(c.list, exchange.Message{Role: clip(role, 64), Text: text})
}

// bounded returns the messages within all bounds, with a note in place of those
// left out.
func (c *conversation) bounded() []exchange.Message {
	if len(c.list) == 0 {
		return nil
	}
	room := talkTotal - len(c.list[0].Text)
	from := len(c.list)
	for from > 1 && len(c.list[from-1].Text) <= room {
		from--
		room -= len(c.list[from].Text)
	}
	c.skipped += from - 1
	if c.skipped == 0 {
		return c.list
	}
	note := exchange.Message{Text: fmt.Sprintf("[%d messages left out]", c.skipped)}
	return append([]exchange.Message{c.list[0], note}, c.list[from:]...)
}

// script joins the parts of a message, a line each.
type script struct{ strings.Builder }

func (s *script) line(text string) {
	if text == "" || s.Len() > talkMessage {
		return
	}
	if s.Len() > 0 {
		s.WriteByte('\n')
	}
	s.WriteString(text)
}

// call adds a tool call: its name and its arguments.
func (s *script) call(name, arguments string) {
	s.line(strings.TrimRight(name+" "+arguments, " "))
}

// quote is a string's content, or the JSON text of another value.
func quote(v value) string {
	switch v.kind() {
	case absent, null:
		return ""
	case text:
		return v.text(talkMessage + 1)
	default:
		return string(clip(v.source(), talkMessage+1))
	}
}

// attachment stands for what is no text: "[image/png, 48 KiB]". data is its
// base64, bare or as a data: URL; other URLs are shown themselves.
func attachment(mediaType string, data value) string {
	if data.kind() != text {
		return "[" + mediaType + "]"
	}
	start := data.text(256)
	size := len(data.source()) - 2
	if rest, ok := strings.CutPrefix(start, "data:"); ok {
		head, _, found := strings.Cut(rest, ",")
		if t, _, _ := strings.Cut(head, ";"); found && t != "" {
			mediaType = t
		}
		size -= len("data:") + len(head) + 1
	} else if strings.Contains(start, "://") {
		return "[" + mediaType + ", " + start + "]"
	}
	return "[" + mediaType + ", " + bytesOf(size/4*3+size%4*3/4) + "]"
}

// bytesOf prints a size in bytes in its largest full unit.
func bytesOf(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", (n+1<<19)>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", (n+1<<9)>>10)
	default:
		return fmt.Sprintf("%d B", n)
	}
}
