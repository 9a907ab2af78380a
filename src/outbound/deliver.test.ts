/** The engine on a real store, with a platform that does what the test says. */
import assert from "node:assert/strict";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { ChannelCapabilities, PlatformAdapter, SendResult } from "../contracts/channel.ts";
import type { DeliveryId, SessionKey } from "../contracts/ids.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { DeliveryBody } from "../contracts/store.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { createOutbound } from "./outbound.ts";

const chat = { adapter: "fake", channelId: "C1" };

async function createStage(test: TestContext, settles: ChannelCapabilities["settles"] = "blind") {
  const { dir } = await createTempFolder(test);
  const clock = createFakeClock();
  const store = await openStore({
    layout: buildLayout(join(dir, "data")),
    clock,
    log: silentLog,
    role: "owner",
    routesOf: () => [],
  });
  const calls: string[] = [];
  const answers: (SendResult | "throws")[] = [];
  const answer = (call: string): SendResult => {
    calls.push(call);
    const next = answers.shift() ?? { type: "sent", messageId: `P${calls.length}` };
    if (next === "throws") throw new Error("a bug in the adapter");
    return next;
  };
  const adapter = {
    name: "fake",
    capabilities: { settles } as ChannelCapabilities,
    sendMessage: async (_chat, { text, isAside, cause, buttons = [] }) =>
      answer(
        `send ${text}${isAside ? " (aside)" : ""}${cause ? ` to ${cause.id}` : ""}${buttons.map(({ label }) => ` [${label}]`)}`,
      ),
    act: async (_chat, { action }) => answer(`act ${action.type}`),
    uploadFile: async (_chat, { filename }) => answer(`upload ${filename}`),
    updateMessage: async (_chat, id, text) => answer(`update ${id} ${text}`),
    deleteMessage: (_chat, id) => Promise.resolve(answer(`delete ${id}`)),
    settle: async () => assert.fail("a change need not be looked up"),
  } as Partial<PlatformAdapter> as PlatformAdapter;
  const outbound = createOutbound({
    outbox: store.outbox,
    turns: store.turns,
    clock,
    log: silentLog,
    adapters: () => new Map([["fake", adapter]]),
    onSettled: () => undefined,
  });
  test.after(async () => {
    await outbound.drain();
    await store.close();
  });
  let n = 0;
  const post = async (...bodies: DeliveryBody[]) => {
    await store.outbox.post(bodies.map((body) => ({ id: `d${++n}` as DeliveryId, channel: chat, body })));
    outbound.wake();
    await clock.advance(0);
  };
  const states = async () => (await store.outbox.list({ limit: 9 })).map(({ state }) => state);
  return { dir, clock, store, outbound, calls, answers, post, states };
}

test("a change and a deletion go out in order, and are lines of the channel's log", async (t) => {
  const { store, calls, post, states } = await createStage(t);
  await post(
    { type: "text", text: "hello", isAside: true },
    { type: "edit", messageId: "P1", text: "hello there" },
    { type: "delete", messageId: "P1" },
  );
  await t.waitFor(async () => assert.deepEqual(await states(), ["sent", "sent", "sent"]));
  assert.deepEqual(calls, ["send hello (aside)", "update P1 hello there", "delete P1"]);
  const lines = await store.channels.tail(chat, 9);
  assert.deepEqual(
    lines.map(({ id, text, event, ref, sender }) => [id, text, event, ref, sender.id]),
    [
      ["P1", "hello", undefined, undefined, "bot"],
      ["d2", "hello there", "edit", "P1", "bot"],
      ["d3", "", "delete", "P1", "bot"],
    ],
  );
});

for (const settles of ["blind", "lookup", "idempotent"] as const) {
  test(`a change that nobody knows about is made again, where posts are ${settles}`, async (t) => {
    const { store, clock, calls, answers, post, states } = await createStage(t, settles);
    const lost = { type: "unknown", reason: "the answer was lost" } as const;
    answers.push(lost, "throws", lost, { type: "sent", messageId: "P1" }, lost);
    await post({ type: "edit", messageId: "P1", text: "new" }, { type: "delete", messageId: "P1" });
    await t.waitFor(
      async () => {
        await clock.advance(10_000);
        assert.deepEqual(await states(), ["sent", "sent"]);
      },
      { interval: 1 },
    );
    assert.deepEqual(calls, [...Array(4).fill("update P1 new"), "delete P1", "delete P1"]);
    assert.deepEqual(
      (await store.outbox.list({ limit: 9 })).map(({ attempts, repeats }) => [attempts, repeats]),
      [
        [4, 0],
        [2, 0],
      ],
    );
    assert.equal((await store.channels.tail(chat, 9)).length, 2);
  });
}

test("a change waits as long as the platform asks, and one that it rejects has failed", async (t) => {
  const { store, clock, calls, answers, post, states } = await createStage(t);
  answers.push({ type: "retry", reason: "429", retryAfterMs: 5000 }, { type: "rejected", reason: "too old to change" });
  await post({ type: "edit", messageId: "P1", text: "new" });
  await t.waitFor(async () => assert.equal((await store.outbox.list({ limit: 9 }))[0]?.error, "429"));
  await clock.advance(4999);
  assert.equal(calls.length, 1);
  await clock.advance(1);
  await t.waitFor(async () => assert.deepEqual(await states(), ["failed"]));
  assert.equal((await store.outbox.list({ limit: 9 }))[0]?.error, "too old to change");
  assert.deepEqual(await store.channels.tail(chat, 9), [], "what did not happen is no line");
});

test("a file that was swapped since it was posted is not sent", async (t) => {
  const { dir, calls, post, states, store } = await createStage(t);
  const folder = join(dir, "work");
  const secret = join(dir, "secret");
  await mkdir(folder);
  await mkdir(secret);
  await writeFile(join(secret, "a.txt"), "key");
  const body = (name: string) =>
    ({ type: "file", path: join(folder, name), filename: name, isReal: true }) satisfies DeliveryBody;
  await symlink(join(secret, "a.txt"), join(folder, "a.txt"));
  await mkdir(join(folder, "b.txt"));
  await post(body("a.txt"), body("b.txt"), body("gone.txt"));
  await t.waitFor(async () => assert.deepEqual(await states(), ["failed", "failed", "failed"]));
  const errors = (await store.outbox.list({ limit: 9 })).map(({ error }) => error);
  assert.match(errors.join("\n"), /a\.txt.* has become a link\nb\.txt is no regular file any more\ngone\.txt.*ENOENT/);

  await rm(folder, { recursive: true });
  await symlink(secret, folder);
  await post(body("a.txt"));
  await t.waitFor(async () => assert.equal((await states()).at(-1), "failed"));
  assert.deepEqual(calls, []);

  await rm(folder);
  await rename(secret, folder);
  await symlink(folder, join(dir, "elsewhere"));
  // The house's own files are named as the operator laid them out.
  await post(body("a.txt"), { type: "file", path: join(dir, "elsewhere", "a.txt"), filename: "own.txt" });
  await t.waitFor(async () => assert.deepEqual((await states()).slice(-2), ["sent", "sent"]));
  assert.deepEqual(calls, ["upload a.txt", "upload own.txt"]);
});

test("a post of a turn goes out with what the turn answers, and only in that message's own chat", async (t) => {
  const { store, outbound, calls, clock, states } = await createStage(t);
  const route = { sessionKey: "agent:main:main" as SessionKey, type: "main" as const, agentId: "main", channel: chat };
  const message: ChannelMessage = {
    id: "m1",
    channelId: chat.channelId,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U1", username: "ann", isBot: false },
    text: "hi",
    attachments: [],
    isMention: true,
  };
  const verdict = { type: "turn" as const, kind: "agent" as const, lane: route.sessionKey, route };
  const accepted = await store.inbox.accept({ adapter: chat.adapter, message, verdict });
  assert.ok(accepted.type === "accepted" && accepted.turnId);
  const { turnId } = accepted;
  const buttons = [{ label: "Yes", says: "/approve x once" }];
  await store.outbox.post([
    { id: "d1" as DeliveryId, channel: chat, turnId, body: { type: "text", text: "here", buttons } },
    {
      id: "d2" as DeliveryId,
      channel: { ...chat, channelId: "C2" },
      turnId,
      body: { type: "text", text: "elsewhere" },
    },
  ]);
  outbound.wake();
  await clock.advance(0);
  await t.waitFor(async () => assert.deepEqual(await states(), ["sent", "sent"]));
  assert.deepEqual(calls.toSorted(), ["send elsewhere", "send here to m1 [Yes]"]);
});

test("a reaction in doubt is simply made again", async (t) => {
  const { store, clock, calls, answers, post, states } = await createStage(t, "blind");
  const adapterLost = { type: "unknown", reason: "the answer was lost" } as const;
  answers.push(adapterLost, { type: "sent", messageId: "m1" });
  await post({ type: "action", action: { type: "react", messageId: "m1", emoji: "👍" } });
  await t.waitFor(
    async () => {
      await clock.advance(10_000);
      assert.deepEqual(await states(), ["sent"]);
    },
    { interval: 1 },
  );
  assert.deepEqual(calls, ["act react", "act react"]);
  const [line] = await store.channels.tail(chat, 1);
  assert.deepEqual([line?.text, line?.replyTo, line?.id], ["(reacted with 👍)", "m1", "d1"]);
});

test("where nobody can tell, a second doubt about the same post is its end, and the record says so", async (t) => {
  const { store, clock, calls, answers, post, states } = await createStage(t, "blind");
  const lost = { type: "unknown", reason: "the answer was lost" } as const;
  answers.push(lost, lost);
  await post({ type: "text", text: "hello" });
  await t.waitFor(
    async () => {
      await clock.advance(10_000);
      assert.deepEqual(await states(), ["failed"]);
    },
    { interval: 1 },
  );
  assert.deepEqual(calls, ["send hello", "send hello"], "once more, and no oftener");
  const [delivery] = await store.outbox.list({ limit: 9 });
  assert.equal(delivery?.repeats, 1);
  assert.match(delivery?.error ?? "", /repeated once already/);
});
