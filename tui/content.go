package tui

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// mostShown bounds how much of one text a page shows; the journal has it all.
const mostShown = 128 << 10

func (d *detail) messages(p *page) {
	list := d.state.Call.Messages
	if d.dossier != nil && len(d.dossier.Messages) > 0 {
		list = d.dossier.Messages
	}
	for i, msg := range list {
		if i > 0 {
			p.gap()
		}
		p.add(p.t.row(p.w).add(accent, line(or(msg.Role, "?"))))
		p.text(msg.Text)
	}
}

func (d *detail) answer(p *page) {
	s := &d.state
	switch {
	case d.dossier != nil && d.dossier.Answer != "" && (d.id == 0 || !s.Live()):
		p.text(d.dossier.Answer)
	case s.Text != "":
		if len(s.Text) > exchange.TextTail-8 {
			p.add(p.t.row(p.w).add(dim, "… only the last "+cell.Bytes(exchange.TextTail)+" are kept while it runs"))
		}
		grows := ""
		if s.Live() {
			grows = "▏"
		}
		p.text(s.Text + grows)
	case d.id != 0 && s.Live():
		p.add(p.t.row(p.w).add(dim, "Nothing has come yet."))
	}
	if s.Cause != "" {
		p.gap()
		p.wrap(warn, s.Cause)
	}
}

// text adds text of any length, up to a bound that it names.
func (p *page) text(s string) {
	over := len(s) - mostShown
	if over > 0 {
		s = strings.ToValidUTF8(s[:mostShown], "")
	}
	p.wrap(plain, s)
	if over > 0 {
		p.add(p.t.row(p.w).add(dim, "… and "+cell.Bytes(int64(over))+" more"))
	}
}

// events lists what the journal wrote, or, without it, the times of the
// exchange; each with the time since the one before.
func (d *detail) events(p *page) {
	if d.dossier == nil {
		d.times(p)
		return
	}
	var before time.Time
	for i := range d.dossier.Events {
		ev := &d.dossier.Events[i]
		r := p.t.row(p.w).add(dim, ev.At.Format("15:04:05.000")+"  "+cell.PadLeft(since(before, ev.At), 8)+"  ")
		r.add(eventTone(ev.Name), cell.Pad(line(string(ev.Name)), 12))
		if ev.Attempt > 0 {
			r.add(dim, "attempt "+strconv.Itoa(ev.Attempt)+"  ")
		}
		p.add(r.add(plain, line(ev.JSON())))
		before = ev.At
	}
}

func since(before, at time.Time) string {
	if before.IsZero() {
		return ""
	}
	return "+" + cell.Duration(at.Sub(before))
}

func (d *detail) times(p *page) {
	s := &d.state
	var before time.Time
	for _, e := range []struct {
		name string
		at   time.Time
	}{
		{"received", s.Started},
		{"queued", s.QueuedAt},
		{"got a slot", s.AdmittedAt},
		{"sent", s.SentAt},
		{"head", s.HeadAt},
		{"first token", s.FirstToken},
		{"last byte", s.LastByte},
		{"ended", s.Ended},
	} {
		if e.at.IsZero() {
			continue
		}
		p.add(p.t.row(p.w).add(dim, e.at.Format("15:04:05.000")+"  "+cell.PadLeft(since(before, e.at), 8)+"  ").add(plain, e.name))
		before = e.at
	}
	if len(p.lines) > 0 {
		p.gap()
		p.add(p.t.row(p.w).add(dim, "It is not in the journal; these are the times that were seen."))
	}
}

func (d *detail) headers(p *page) {
	request, response := d.state.Header, d.state.Response
	if d.dossier != nil && d.id == 0 {
		request = d.dossier.Intent.Header
		if n := len(d.dossier.Attempts); n > 0 {
			response = d.dossier.Attempts[n-1].Header
		}
	}
	p.fields("Request", request)
	p.fields("Response", response)
}

func (p *page) fields(title string, h exchange.Header) {
	if len(h) == 0 {
		return
	}
	p.heading(title)
	for _, f := range h {
		name := line(f.Name)
		for i, l := range cell.Wrap(line(f.Value), max(p.w-cell.Width(name)-2, p.w/2)) {
			if i == 0 {
				p.add(p.t.row(p.w).add(dim, name+": ").add(plain, l))
			} else {
				p.add(p.t.row(p.w).add(plain, "    "+l))
			}
		}
	}
}

func (d *detail) raw(p *page) {
	if d.dossier == nil {
		if !d.reading && d.err == nil {
			p.wrap(dim, "Bodies are kept by the journal, and this exchange is not in it.")
		}
		return
	}
	x := d.dossier
	p.body("Request as sent", x.Intent.Body)
	if x.Result != nil {
		p.body("Accepted result", x.Result.Body)
	}
	for i := range x.Attempts {
		p.body("Attempt "+strconv.Itoa(x.Attempts[i].N)+" as received", x.Attempts[i].Raw)
	}
}

// body adds bytes as they are: text as text, anything else in hexadecimal.
func (p *page) body(title string, b []byte) {
	if len(b) == 0 {
		return
	}
	p.heading(fmt.Sprintf("%s, %s", title, cell.Bytes(int64(len(b)))))
	if isText(b) {
		p.text(string(b))
		return
	}
	const most = 16 << 10
	for l := range strings.SplitSeq(strings.TrimSuffix(hex.Dump(b[:min(len(b), most)]), "\n"), "\n") {
		p.add(p.t.row(p.w).add(plain, line(l)))
	}
	if over := len(b) - most; over > 0 {
		p.add(p.t.row(p.w).add(dim, "… and "+cell.Bytes(int64(over))+" more"))
	}
}

// isText looks at the beginning only, and allows it to end inside a rune.
func isText(b []byte) bool {
	b = b[:min(len(b), 4096)]
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return len(b)-i < utf8.UTFMax && !utf8.FullRune(b[i:])
		}
		if r == 0 {
			return false
		}
		i += n
	}
	return true
}
