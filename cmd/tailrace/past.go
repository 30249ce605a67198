package main

import (
	"tailrace/proxy/exchange"
	"tailrace/proxy/llm"
	"tailrace/store/journal"
	"tailrace/tui"
)

// past lets the dashboard look into the journal: llm reads to people what was
// asked and answered.
type past struct{ *journal.Journal }

var _ tui.Past = past{}

// Detail returns what is known of a row. A body that cannot be read as text
// leaves Messages or Answer empty; the raw bytes are in the dossier all the same.
func (p past) Detail(row int64) (tui.Detail, error) {
	d, err := p.Dossier(row)
	if err != nil {
		return tui.Detail{}, err
	}
	req := requestOf(&d.Intent)
	call := llm.Inspect(&req, false)
	return tui.Detail{Dossier: d, Messages: call.Messages, Answer: answerOf(&call, &d)}, nil
}

// answerOf is what the accepted result says, else the newest attempt that said
// anything.
func answerOf(call *exchange.Call, d *exchange.Dossier) string {
	if r := d.Result; r != nil {
		head := exchange.Head{Status: r.Status, Header: r.Header, Length: int64(len(r.Body))}
		if s := answer(call, &head, r.Body); s != "" {
			return s
		}
	}
	for i := len(d.Attempts) - 1; i >= 0; i-- {
		a := &d.Attempts[i]
		head := exchange.Head{Status: a.Status, Header: a.Header, Length: -1}
		if s := answer(call, &head, a.Raw); s != "" {
			return s
		}
	}
	return ""
}

func answer(call *exchange.Call, head *exchange.Head, body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return llm.Answer(call, head, body)
}

// requestOf is the stored request in the form that it came in.
func requestOf(in *exchange.Intent) exchange.Request {
	return exchange.Request{Method: in.Method, Target: in.Target, Header: in.Header, Body: in.Body}
}

// callOf is what the journal keeps of a call: enough to read its answer.
func callOf(in *exchange.Intent) exchange.Call {
	c := exchange.Call{Dialect: in.Dialect, API: in.API, Model: in.Model}
	if in.Stream {
		c.Declared = exchange.DeclaredBody
	}
	return c
}
