// The @anthropic-ai/sdk package: nothing is set but ANTHROPIC_BASE_URL and a key.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { costs, kill } from "./operator.mjs";

const client = new Anthropic();
const path = "/v1/messages";
const ask = (content) => ({ model: "claude-test", max_tokens: 100, messages: [{ role: "user", content }] });
const behaving = (fault) => ({ headers: { "X-Fakellm": fault } });

let plain;
await costs(1, path, "a plain call is answered", async () => {
  plain = await client.messages.create(ask("a river"));
  assert.ok(plain.content[0].text.length > 20);
});
await costs(0, path, "the same call again comes from the journal", async () => {
  const { data, response } = await client.messages.create(ask("a river")).withResponse();
  assert.equal(response.headers.get("x-cache"), "HIT");
  assert.deepEqual(data.content, plain.content);
});
await costs(1, path, "a streamed call is answered", async () => {
  const message = await client.messages.stream(ask("a river, slowly")).finalMessage();
  assert.ok(message.content[0].text.length > 20);
  assert.equal(message.stop_reason, "end_turn");
});
await costs(1, path, "a kill before the head is an error, and is not sent again", async () => {
  const call = client.messages.create(ask("silence"), behaving("silent"));
  const [error] = await Promise.all([call.then(() => null, (e) => e), kill("waiting")]);
  assert.ok(error instanceof Anthropic.APIError, String(error));
  assert.equal(error.status, 499);
  assert.match(error.message, /killed by the operator/);
});
for (const [name, open] of [
  ["create", async (body, options) => client.messages.create({ ...body, stream: true }, options)],
  ["stream", async (body, options) => client.messages.stream(body, options)],
]) {
  await costs(1, path, `a kill in the middle of a stream is an error, and is not sent again (${name})`, async () => {
    const read = async () => {
      for await (const event of await open(ask(`half a river by ${name}`), behaving("stall=5"))) {
        assert.notEqual(event.type, "message_stop");
      }
    };
    const [error] = await Promise.all([read().then(() => null, (e) => e), kill("streaming")]);
    assert.ok(error, "the stream ended as if it were whole");
    assert.match(String(error), /killed by the operator|terminated/);
  });
}
