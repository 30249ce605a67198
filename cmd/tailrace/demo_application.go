package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tailrace/proxy/exchange"
)

// behaviourHeader tells the fake provider how to answer, see package fakellm.
const behaviourHeader = "X-Fakellm"

// application is a program that uses the proxy as any other would.
type application struct {
	base   string
	client *http.Client
}

func newApplication(base string) *application {
	// A transport of its own: no proxy of the environment comes between, and
	// its connections end with it.
	return &application{base: base, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
}

func (a *application) close() { a.client.CloseIdleConnections() }

// appCall is one request of an application.
type appCall struct {
	method, target string
	header         exchange.Header
	body           string
	behaviour      string
}

// got is what became of a call.
type got struct {
	status        int
	cache, source string // X-Cache and X-Cache-Source
}

// send makes a call and reads the answer to its end.
func (a *application) send(ctx context.Context, c appCall) (got, error) {
	req, err := http.NewRequestWithContext(ctx, c.method, a.base+c.target, strings.NewReader(c.body))
	if err != nil {
		return got{}, err
	}
	for _, f := range c.header {
		req.Header.Add(f.Name, f.Value)
	}
	req.Header.Set("User-Agent", "tailrace-demo")
	if c.behaviour != "" {
		req.Header.Set(behaviourHeader, c.behaviour)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return got{}, err
	}
	defer res.Body.Close()
	g := got{res.StatusCode, res.Header.Get("X-Cache"), res.Header.Get("X-Cache-Source")}
	_, err = io.Copy(io.Discard, res.Body)
	return g, err
}

// get asks for a document.
func get(target string, header ...exchange.Field) appCall {
	return appCall{method: http.MethodGet, target: target, header: header}
}

// openAI asks in the dialect of chat completions.
func openAI(model, prompt string, stream bool, behaviour string) appCall {
	more := ""
	if stream {
		more = `"stream":true,"stream_options":{"include_usage":true},`
	}
	return post("/v1/chat/completions", model, more, prompt, behaviour)
}

// anthropic asks in the dialect of messages.
func anthropic(model, prompt string, stream bool, behaviour string) appCall {
	more := fmt.Sprintf(`"max_tokens":4096,"stream":%t,`, stream)
	c := post("/v1/messages", model, more, prompt, behaviour)
	c.header = append(c.header, exchange.Field{Name: "anthropic-version", Value: "2023-06-01"})
	return c
}

// ollama asks in the dialect of /api/chat.
func ollama(model, prompt string, stream bool, behaviour string) appCall {
	return post("/api/chat", model, fmt.Sprintf(`"stream":%t,`, stream), prompt, behaviour)
}

func post(target, model, more, prompt, behaviour string) appCall {
	text, err := json.Marshal(prompt)
	if err != nil { // of a string
		panic(err)
	}
	return appCall{
		method: http.MethodPost, target: target, behaviour: behaviour,
		header: exchange.Header{{Name: "Content-Type", Value: "application/json"}},
		body:   fmt.Sprintf(`{"model":%q,%s"messages":[{"role":"user","content":%s}]}`, model, more, text),
	}
}

// by sends a call through one of the demo's side routes.
func (c appCall) by(route string) appCall {
	c.target = "/" + route + c.target
	return c
}

func itoa(row int64) string { return strconv.FormatInt(row, 10) }
