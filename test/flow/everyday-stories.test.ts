/** What people do every day, through the whole house. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createChatAdapter } from "../fakes/chat-adapter.ts";
import { createWorld, lastUserText, say } from "./world.ts";

const withWorld = async (
  options: Parameters<typeof createWorld>[0],
  run: (world: Awaited<ReturnType<typeof createWorld>>) => Promise<void>,
) => {
  const world = await createWorld(options);
  try {
    await run(world);
  } finally {
    await world.close();
  }
};

test("in a group only what is addressed is answered, and the chatter before it is shown to the model", () =>
  withWorld({}, async ({ chat, model, start }) => {
    await start();
    say(chat, "we should paint it blue", { channel: "G1", user: "U7", mention: false });
    say(chat, "or green", { channel: "G1", user: "U8", mention: false });
    say(chat, "mom, which colour?", { channel: "G1", user: "U7" });
    await chat.until(() => chat.posts.length === 1 && chat.unacknowledged === 0);
    const sent = model.requests[0] && JSON.stringify(model.requests[0].body["messages"]);
    assert.match(sent ?? "", /\[u7\]: we should paint it blue\\n\[u8\]: or green\\n\[u7\]: mom, which colour\?/);
    say(chat, "thanks", { channel: "G1", user: "U7" });
    await chat.until(() => chat.posts.length === 2);
    const second = model.requests[1];
    assert.ok(second);
    assert.equal(lastUserText(second), "thanks", "what was shown once is not shown again");
  }));

test("a stranger's direct message is refused with a reason that can be found, and gets no answer", () =>
  withWorld({}, async ({ chat, model, start, logText }) => {
    const app = await start();
    say(chat, "let me in", { channel: "D9", user: "U666" });
    say(chat, "hello", { channel: "D1" });
    await chat.until(() => chat.posts.length === 1 && chat.unacknowledged === 0);
    assert.equal(model.requests.length, 1);
    assert.match(logText(), /A message was refused.*U666 may not write to mom directly/);
    const [line] = await app.store.channels.tail({ adapter: "fake", channelId: "D9" }, 5);
    assert.match(line?.refused ?? "", /U666/);
  }));

test("a message of ten megabytes is answered with the limit and does not reach the model", () =>
  withWorld({}, async ({ chat, model, start, dataDir }) => {
    const app = await start();
    say(chat, "z".repeat(10 * 2 ** 20), { id: "big" });
    await chat.until(() => chat.posts.length === 1);
    assert.equal(
      chat.posts[0]?.text,
      "That message has 10.0 MiB of text; I take at most 1 MiB. Put it into a file and send that, or send it in parts.",
    );
    assert.equal(model.requests.length, 0);
    await app.stop();
    assert.ok((await readFile(join(dataDir, "workspace/channels/fake/D1/log.jsonl"))).length < 10_000);
  }));

test("control characters are kept in the log as received and kept from the model", () =>
  withWorld({}, async ({ chat, model, start }) => {
    const app = await start();
    const text = "ring\u0007 \u001b[31mred\u001b[0m \u0000 end";
    say(chat, text, { id: "ctl" });
    await chat.until(() => chat.posts.length === 1);
    const lines = await app.store.channels.tail({ adapter: "fake", channelId: "D1" }, 5);
    assert.equal(lines[0]?.text, text);
    const request = model.requests[0];
    assert.ok(request);
    assert.doesNotMatch(lastUserText(request), /[\u0000-\u0008\u001b]/);
  }));

test("a reminder is set by a tool, comes due after a restart, and is said once", () =>
  withWorld(
    {
      respond: (request) => {
        const text = lastUserText(request);
        const isAnswered = JSON.stringify(request.body["messages"]).includes("call-cron");
        if (text.startsWith("[REMINDER]")) return { type: "answer", text: `Time for ${text.slice(11)}` };
        if (isAnswered) return { type: "answer", text: "I will." };
        const args = { action: "add", in: 1, text: "tea" };
        return { type: "answer", toolCalls: [{ id: "call-cron", name: "cron", arguments: args }] };
      },
    },
    async ({ chat, start }) => {
      const first = await start();
      say(chat, "remind me of tea");
      await chat.until(() => chat.posts.length === 1);
      await first.stop();
      const second = await start();
      await chat.until(() => chat.posts.length === 2);
      assert.deepEqual(
        chat.posts.map((post) => post.text),
        ["I will.", "Time for tea"],
      );
      assert.deepEqual(await second.store.due.list("cron"), []);
    },
  ));

test("a turn that is stopped in the middle by a shutdown goes on at the next start", () =>
  withWorld(
    { respond: (_request, n) => (n === 0 ? { type: "silence" } : { type: "answer", text: "here I am" }) },
    async ({ chat, model, start }) => {
      const first = await start();
      say(chat, "are you there?", { id: "park" });
      await model.waitForRequests(1);
      await first.stop();
      assert.equal(chat.posts.length, 0);
      const second = await start();
      await chat.until(() => chat.posts.length === 1);
      assert.equal(chat.posts[0]?.text, "here I am");
      assert.deepEqual(
        (await second.store.turns.list({ limit: 5 })).map((turn) => turn.attempt),
        [2],
      );
    },
  ));

test("/new starts afresh, /status tells, an unknown command gets the nearest", () =>
  withWorld({}, async ({ chat, model, start }) => {
    await start();
    for (const [n, text] of ["hello", "/new", "again", "/status", "/stauts"].entries()) {
      say(chat, text);
      await chat.until(() => chat.posts.length === n + 1);
    }
    const replies = chat.posts.map((post) => post.text);
    assert.match(replies[1] ?? "", /^A fresh conversation/);
    assert.doesNotMatch(JSON.stringify(model.requests[1]?.body["messages"]), /hello/);
    assert.match(replies[3] ?? "", /model: `lab\/m1`/);
    assert.match(replies[4] ?? "", /Did you mean `\/status`\?/);
  }));

test("an edited config is taken over while mom runs; a broken one is explained and changes nothing", () =>
  withWorld({}, async ({ chat, start, dataDir, model, logText }) => {
    await start();
    const path = join(dataDir, "config.json");
    const config = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...config, queue: { mode: "sometimes" } }));
    const said = async (pattern: RegExp) => {
      while (!pattern.test(logText())) await new Promise((resolve) => setImmediate(resolve));
    };
    await said(/The edited config is not usable.*queue\.mode/);
    const edited = { ...config, tools: { deny: ["bash"] } };
    await writeFile(path, JSON.stringify(edited));
    await said(/The edited config is in use/);
    say(chat, "hello");
    await chat.until(() => chat.posts.length === 1);
    const tools = JSON.stringify(model.requests[0]?.body["tools"]);
    assert.match(tools, /"read"/);
    assert.doesNotMatch(tools, /"bash"/);
  }));

test("the prompt with every tool stays small, and nothing secret is in it", () =>
  withWorld({}, async ({ chat, model, start }) => {
    await start();
    say(chat, "hello");
    await chat.until(() => chat.posts.length === 1);
    const { messages, tools } = (model.requests[0]?.body ?? {}) as { messages: unknown[]; tools: unknown[] };
    assert.ok(JSON.stringify([messages[0], tools]).length < 16_000);
    assert.doesNotMatch(JSON.stringify([messages, tools]), /secret-test-key/);
  }));

test("an adapter that fails to show what happens costs looks, never the turn", () =>
  withWorld({}, async ({ chat, start, logText }) => {
    const rules = { admins: ["U1"], dm: "none" } as const;
    const adapter = createChatAdapter({ url: chat.url, settles: "idempotent" });
    adapter.showEvent = () => Promise.reject(new Error("no screen"));
    await start({ adapters: [{ adapter, rules }] });
    say(chat, "hello");
    await chat.until(() => chat.posts.length === 1);
    assert.equal(chat.posts[0]?.text, "echo hello");
    assert.equal(logText().match(/A turn is not shown any further/g)?.length, 1);
  }));
