// The openai package: nothing is set but OPENAI_BASE_URL and a key.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { costs, kill } from "./operator.mjs";

const client = new OpenAI();
const path = "/v1/chat/completions";
const ask = (content) => ({ model: "gpt-test", messages: [{ role: "user", content }] });
const behaving = (fault) => ({ headers: { "X-Fakellm": fault } });

let plain;
await costs(1, path, "a plain call is answered", async () => {
  plain = await client.chat.completions.create(ask("a river"));
  assert.ok(plain.choices[0].message.content.length > 20);
});
await costs(0, path, "the same call again comes from the journal", async () => {
  const { data, response } = await client.chat.completions.create(ask("a river")).withResponse();
  assert.equal(response.headers.get("x-cache"), "HIT");
  assert.deepEqual(data, plain);
});
await costs(1, path, "a streamed call is answered", async () => {
  let text = "", end;
  for await (const chunk of await client.chat.completions.create({ ...ask("a river, slowly"), stream: true })) {
    text += chunk.choices[0]?.delta?.content ?? "";
    end = chunk.choices[0]?.finish_reason ?? end;
  }
  assert.ok(text.length > 20);
  assert.equal(end, "stop");
});
await costs(1, path, "a kill before the head is an error, and is not sent again", async () => {
  const call = client.chat.completions.create(ask("silence"), behaving("silent"));
  const [error] = await Promise.all([call.then(() => null, (e) => e), kill("waiting")]);
  assert.ok(error instanceof OpenAI.APIError, String(error));
  assert.equal(error.status, 499);
  assert.match(error.message, /killed by the operator/);
});
await costs(1, path, "a kill in the middle of a stream is an error, and is not sent again", async () => {
  const stream = await client.chat.completions.create({ ...ask("half a river"), stream: true }, behaving("stall=5"));
  const read = async () => {
    for await (const chunk of stream) assert.equal(chunk.choices[0]?.finish_reason ?? null, null);
  };
  const [error] = await Promise.all([read().then(() => null, (e) => e), kill("streaming")]);
  assert.ok(error, "the stream ended as if it were whole");
  assert.match(String(error), /killed by the operator|terminated/);
});
