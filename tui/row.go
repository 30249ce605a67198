package tui

import (
	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// add writes text and cuts it where the row ends. It cleans what it is given,
// whoever gave it: one forgotten field would be enough to own the terminal.
func (r *row) add(t tone, s string) *row {
	s = cell.Line(s)
	n := cell.Width(s)
	if r.w+n > r.max {
		s = cell.Cut(s, r.max-r.w)
		n = cell.Width(s)
	}
	if s == "" {
		return r
	}
	r.w += n
	r.b.WriteString(r.t.on[r.selected][t])
	r.b.WriteString(s)
	r.b.WriteString(r.t.off[r.selected][t])
	return r
}

// whole writes text if all of it has room, and nothing otherwise.
func (r *row) whole(t tone, s string) *row {
	if cell.Width(s) > r.left() {
		return r
	}
	return r.add(t, s)
}

// to fills with blanks up to a cell.
func (r *row) to(w int) *row { return r.add(plain, cell.Blank(min(w, r.max)-r.w)) }

// left is how many cells are free.
func (r *row) left() int { return r.max - r.w }

// end is the finished line.
func (r *row) end() string {
	if r.selected == 1 {
		r.to(r.max)
	}
	return r.b.String()
}

// rule is a thin line across, with a title in it.
func (t *theme) rule(w int, title string, in tone) string {
	r := t.row(w)
	if title == "" {
		return r.add(faint, line(repeat("─", w))).end()
	}
	r.add(faint, "── ").add(in, title).add(plain, " ")
	return r.add(faint, repeat("─", r.left())).end()
}

// line cleans text from traffic for one line. What no screen can show of it is
// not looked at.
func line(s string) string {
	const most = 2048
	if len(s) > most {
		s = s[:most]
	}
	return cell.Line(s)
}

func repeat(sign string, n int) string {
	if n <= 0 {
		return ""
	}
	b := make([]byte, 0, n*len(sign))
	for range n {
		b = append(b, sign...)
	}
	return string(b)
}

// verdictTone and the others below choose a tone; the word beside it is the
// thing's own name.
func verdictTone(x exchange.XCache) tone {
	switch x {
	case exchange.HIT:
		return good
	case exchange.STALE:
		return warn
	case exchange.REVALIDATED:
		return mild
	case exchange.BYPASS:
		return cool
	}
	return plain
}

func statusTone(status int) tone {
	switch {
	case status >= 500, status == 499:
		return bad
	case status >= 400:
		return warn
	case status >= 200 && status < 300:
		return good
	}
	return plain
}

func outcomeTone(o exchange.Outcome) tone {
	switch o {
	case exchange.OutcomeCompleted, exchange.OutcomeHit:
		return dim
	case exchange.OutcomeShed, exchange.OutcomeRefused, exchange.OutcomeClientGone:
		return warn
	}
	return bad
}

func eventTone(n exchange.EventName) tone {
	switch n {
	case exchange.COMPLETE, exchange.CACHEHIT:
		return good
	case exchange.DEADLETTER, exchange.KILLED, exchange.BROKEN, exchange.TIMEOUT, exchange.INCOMPLETE:
		return bad
	case exchange.INTERRUPTED, exchange.NOTSENT, exchange.HTTPERROR, exchange.CLIENTGONE:
		return warn
	case exchange.SENT, exchange.HEADERS, exchange.ATTEMPT:
		return alive
	}
	return plain
}

func rowStateTone(s exchange.RowState) tone {
	switch s {
	case exchange.Accepted:
		return good
	case exchange.Preparing, exchange.InFlight, exchange.Streaming, exchange.RetryWait:
		return alive
	case exchange.NotSent, exchange.Rejected, exchange.Interrupted, exchange.Uncertain:
		return warn
	case exchange.Discarded:
		return dim
	}
	return bad
}

func riskTone(r exchange.Risk) tone {
	switch r {
	case exchange.RiskNone, exchange.RiskRefused:
		return dim
	case exchange.RiskCharged:
		return warn
	}
	return bad
}
