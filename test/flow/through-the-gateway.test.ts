/** What an operator says through the gateway is a message like any other: one turn, one reply, nothing lost, nothing twice. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createGatewayWorld, mainKey, newKey } from "./gateway-world.ts";
import { say, waitFor } from "./world.ts";

const limit = { timeout: 60_000 };

test("a message gets one reply, told as it comes and found in the history afterwards", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const operator = await world.connect(app);
  const { turnId, sessionKey } = await operator.call("chat.send", { message: "hello", idempotencyKey: newKey() });
  assert.equal(sessionKey, mainKey);
  assert.equal((await operator.ended(turnId)).state, "done");

  const [said] = operator.told("chat.message");
  assert.equal(said?.item.text, "hello");
  assert.equal(said?.turnId, turnId);
  const deltas = operator
    .told("agent")
    .flatMap(({ event }) => (event["type"] === "text_delta" ? [event["delta"]] : []));
  assert.equal(deltas.join(""), "echo hello");
  assert.deepEqual(
    operator.told("chat.post").map(({ text }) => text),
    ["echo hello"],
  );
  const { items, session } = await operator.call("chat.history", {});
  assert.deepEqual(
    items.map(({ role, text }) => [role, text]),
    [
      ["note", "Model: lab/m1"],
      ["user", "hello"],
      ["assistant", "echo hello"],
    ],
  );
  assert.equal(session?.lastChannel.adapter, "webchat");
  const waited = await operator.call("agent.wait", { turnId });
  assert.equal(waited.reply, "echo hello");
  assert.equal(waited.model, "lab/m1");
  assert.equal(world.model.requests.length, 1);
});

test("the same key is the same message, in this life and the next", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const operator = await world.connect(app);
  const key = newKey();
  const both = await Promise.all([
    operator.call("chat.send", { message: "once", idempotencyKey: key }),
    operator.call("chat.send", { message: "once", idempotencyKey: key }),
  ]);
  assert.equal(both[0].turnId, both[1].turnId);
  await operator.ended(both[0].turnId);
  operator.stop();
  await app.stop();

  const next = await world.start();
  const again = await world.connect(next);
  const { turnId, isRepeat } = await again.call("chat.send", { message: "once", idempotencyKey: key });
  assert.equal(turnId, both[0].turnId);
  assert.equal(isRepeat, true);
  assert.equal(world.model.requests.length, 1);
});

test("a window on another chat's session: the answer comes here, the session stays there", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const operator = await world.connect(app);
  await say(world.chat, "hi all", { channel: "C7", user: "U2" });
  await waitFor(() => world.chat.posts.length === 1);
  const { sessions } = await operator.call("sessions.list", { search: "c7" });
  assert.equal(sessions.length, 1);
  const key = sessions[0]?.sessionKey ?? "";

  const { turnId } = await operator.call("chat.send", { sessionKey: key, message: "and me", idempotencyKey: newKey() });
  await operator.ended(turnId);
  assert.equal(world.chat.posts.length, 1, "nothing was posted in the group");
  const { session, items } = await operator.call("chat.history", { sessionKey: key });
  assert.deepEqual(session?.lastChannel, { adapter: "fake", channelId: "C7" });
  assert.equal(items.at(-1)?.text, "echo and me");

  const sent = await operator.call("sessions.send", { sessionKey: key, message: "to all", idempotencyKey: newKey() });
  await operator.ended(sent.turnId);
  assert.equal(world.chat.posts.at(-1)?.text, "echo to all");
  await operator.call("chat.inject", { sessionKey: key, message: "by hand", idempotencyKey: newKey() });
  await waitFor(() => world.chat.posts.at(-1)?.text === "by hand");
});

test("what happens elsewhere in a followed session is seen, and what was missed comes later", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const operator = await world.connect(app, { follow: [mainKey] });
  await say(world.chat, "from the other chat");
  await waitFor(() => operator.told("chat.end").length === 1);
  assert.equal(operator.told("chat.message")[0]?.item.text, "from the other chat");

  operator.stop();
  await say(world.chat, "while away");
  await waitFor(() => world.chat.posts.length === 2);
  operator.start();
  await waitFor(() => operator.told("chat.end").length === 2);
  const texts = operator.told("chat.message").map(({ item }) => item.text);
  assert.deepEqual(texts, ["from the other chat", "while away"]);
  assert.equal(operator.gaps, 0);
  const numbers = operator.events.map(({ id }) => Number(id.split("-").at(-1)));
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
});

test("a slash command and its answer are in the history, where they were said", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const operator = await world.connect(await world.start());
  for (const message of ["hello", "/whoami", "again"]) {
    const { turnId } = await operator.call("chat.send", { message, idempotencyKey: newKey() });
    await operator.ended(turnId);
  }
  const { items } = await operator.call("chat.history", {});
  const said = items.filter(({ role }) => role !== "note").map(({ text }) => text ?? "");
  assert.deepEqual([said.length, said[0], said[2], said[4]], [6, "hello", "/whoami", "again"]);
  assert.match(said[3] ?? "", /owner/);
});

test("stop ends what runs, and what waits", limit, async (t) => {
  const world = await createGatewayWorld(t, {
    respond: () => ({ type: "answer", text: ["a", "b"], hangAfter: 1 }),
    config: { gateway: { port: 0 }, queue: { mode: "followup" } },
  });
  const app = await world.start();
  const operator = await world.connect(app);
  const first = await operator.call("chat.send", { message: "one", idempotencyKey: newKey() });
  await waitFor(() => world.model.requests.length === 1);
  const second = await operator.call("chat.send", { message: "two", idempotencyKey: newKey() });
  const { turns } = await operator.call("chat.history", {});
  assert.deepEqual(turns.map(({ state }) => state).sort(), ["queued", "running"]);
  assert.deepEqual(await operator.call("chat.abort", {}), { stopped: 2 });
  assert.equal((await operator.ended(first.turnId)).state, "stopped");
  assert.equal((await operator.ended(second.turnId)).state, "stopped");
  assert.equal(world.model.requests.length, 1);
});

test("a mistake in the config is explained, the right value is in use without a restart", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const operator = await world.connect(app);
  const patch = (value: unknown) =>
    operator.call("config.patch", { changes: [{ path: "logging.level", value }], idempotencyKey: newKey() });
  const wrong = await patch("loud");
  assert.equal(wrong.outcome, "invalid");
  assert.match(wrong.problems[0]?.message ?? "", /logging\.level: found "loud"/);
  const right = await patch("warn");
  assert.equal(right.outcome, "applied");
  await waitFor(() => operator.told("config.changed").some(({ outcome }) => outcome === "applied"));
  const { value } = await operator.call("config.get", { path: "logging.level" });
  assert.equal(value, "warn");
});

test("an API call that names nobody is answered and leaves nothing", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const app = await world.start();
  const ask = async (body: object) => {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${await world.token()}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "mom", ...body }),
    });
    return (await response.json()) as { choices: { message: { content: string } }[] };
  };
  const messages = [{ role: "user", content: "hello" }];
  const answer = await ask({ messages });
  assert.match(answer.choices[0]?.message.content ?? JSON.stringify(answer), /^echo /);
  await waitFor(async () => (await app.store.sessions.list()).length === 0);
  const folder = join(world.dataDir, "workspace", "channels", "webchat");
  await waitFor(async () => (await readdir(folder).catch(() => [])).length === 0);

  await ask({ messages, user: "kitchen" });
  const [session] = await app.store.sessions.list();
  assert.equal(session?.type, "dm");
  assert.match(session?.sessionKey ?? "", /kitchen/);
});

test("an edit of the gateway itself is answered, and one that cannot be had is taken back", limit, async (t) => {
  const world = await createGatewayWorld(t, { config: { gateway: {} } });
  const app = await world.start();
  const operator = await world.connect(app);
  const patch = (path: string, value: unknown) =>
    operator.call("config.patch", { changes: [{ path, value }], idempotencyKey: newKey() });
  const before = app.url;
  assert.equal((await patch("gateway.maxConnections", 500)).outcome, "applied");
  assert.equal(app.url, before, "behind the same port");

  const taken = createServer();
  t.after(() => void taken.close());
  await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const refused = await patch("gateway.port", port);
  assert.equal(refused.outcome, "rolled-back");
  assert.match(refused.reasons.join(), new RegExp(`Port ${port}.*used by another program`));
  assert.equal(app.url, before);
  await waitFor(() => operator.state.type === "open");
  assert.equal((await operator.call("health", {})).ok, true);
  assert.doesNotMatch(await world.read("config.json"), new RegExp(String(port)));
});

test("what needs the same port anew gets it, and whoever was connected comes back", limit, async (t) => {
  const world = await createGatewayWorld(t, { config: { gateway: {} } });
  const app = await world.start();
  const operator = await world.connect(app);
  const before = app.url;
  const changes = [{ path: "gateway.mdns", value: true }];
  const patch = () => operator.call("config.patch", { changes, idempotencyKey: newKey() });
  // The connection that asked is the one that ends: its answer may be lost, and is asked for again.
  await patch().catch(() => undefined);
  await waitFor(async () => (await patch().catch(() => undefined))?.outcome === "unchanged");
  assert.equal(app.url, before);
  assert.match(await world.read("config.json"), /mdns/);
});

test("without a port of its own mom has the same address again after a restart", limit, async (t) => {
  const world = await createGatewayWorld(t, { config: { gateway: {} } });
  const first = await world.start();
  const { url } = first;
  await first.stop();
  assert.equal((await world.start()).url, url);
});
