// The operator's side of the check: what the provider has counted, and the kill
// of the one exchange that is under way, by the admin port.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const { ADMIN, TOKEN_FILE, MOCK } = process.env;
const token = readFileSync(TOKEN_FILE, "utf8").trim();

async function admin(method, path) {
  const answer = await fetch(ADMIN + path, { method, headers: { Authorization: `Bearer ${token}` } });
  return { status: answer.status, body: await answer.json() };
}

// sends is how often the provider was asked for a path.
export async function sends(path) {
  const answer = await fetch(MOCK + "/_fakellm/stats");
  return (await answer.json()).by_path[path] ?? 0;
}

// kill waits until an exchange is in a phase, and ends it.
export async function kill(phase) {
  for (const late = Date.now() + 10_000; Date.now() < late; await new Promise((go) => setTimeout(go, 10))) {
    const { body } = await admin("GET", "/v1/exchanges");
    const live = body.exchanges.find((e) => e.phase === phase);
    if (live) {
      const { status } = await admin("POST", `/v1/exchanges/${live.id}/kill`);
      assert.equal(status, 202, "the kill is accepted");
      return;
    }
  }
  assert.fail(`no exchange was ever ${phase}`);
}

// costs runs something that must cost exactly n sends of a path, SDK retries
// included: an SDK gives its error only when it will not send again.
export async function costs(n, path, what, run) {
  const before = await sends(path);
  await run();
  assert.equal((await sends(path)) - before, n, `${what}: sends`);
  console.log(`   ${what}`);
}
