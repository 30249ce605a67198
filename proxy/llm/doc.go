// Package llm reads calls to language models: what a request asks, what an
// answer says, and how each of them ends. It never writes to either; bytes are
// forwarded by others, and what is parsed here is a copy.
//
//   - [Inspect] turns a request into an [exchange.Call]: which API it speaks, the
//     model, the conversation, whether a stream is wanted, and the request key.
//   - A [Meter] follows a response piece by piece: text, tokens, the terminal
//     marker of its dialect.
//   - [CheckEnvelope] says whether a whole answer has the form of one.
//   - [ErrorBody] and [ErrorEvent] say an error of ours in the words that the
//     client's SDK understands.
//   - [KeyOf] computes the request key of the journal.
//
// JSON is read by one parser whose rules are those of Python's json.loads, and
// not Go's: the request key is defined by what Python makes of a body.
//
// Four dialects are known, in six files: OpenAI (chat and completions,
// responses, embeddings), Anthropic messages, Gemini and Ollama. Bedrock's
// binary event stream is recognised as a stream and not looked into.
package llm
