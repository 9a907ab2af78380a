/** Talking in a session as a chat screen does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, type GatewayDesk } from "../../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../../test/fakes/gateway-house.ts";
import { someUsage } from "../../../test/fakes/house-turns.ts";
import { newEntryId } from "../../base/ids.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import type { NewEntry } from "../../contracts/turn.ts";

const key = "key-of-a-test";

test("something is said in the owner's session, in another one, and in none that is not there", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const group = await fake.openGroup("C1");
  assert.equal((await call("chat.send", { message: "a", idempotencyKey: key })).sessionKey, mainKey);
  const there = await call("chat.send", { message: "b", sessionKey: group, idempotencyKey: `${key}-2` });
  assert.equal(there.sessionKey, group);
  const nowhere = await refuse("chat.send", { message: "c", sessionKey: "no:such", idempotencyKey: `${key}-3` });
  assert.equal(nowhere.code, "NOT_FOUND");
  assert.equal((await refuse("chat.send", { idempotencyKey: `${key}-3` })).code, "INVALID_REQUEST");
  assert.deepEqual(
    fake.said.map(({ text, answerThere }) => [text, answerThere]),
    [
      ["a", undefined],
      ["b", undefined],
    ],
  );
});

test("files go with the message, once, and are not missed when it is sent again after a restart", async (t) => {
  const { call, refuse, fake, clock } = await createGatewayDesk(t);
  const { uploadId } = await call("files.upload", { filename: "a.txt", size: 3 });
  const params = { message: "see", uploads: [uploadId], idempotencyKey: key };
  const said = await call("chat.send", params);
  assert.deepEqual(fake.said[0]?.attachments, [
    { filename: "a.txt", localPath: "channels/webchat/main/attachments/a.txt" },
  ]);
  await clock.advance(3_600_000);
  assert.deepEqual(await call("chat.send", params), { ...said, isRepeat: true });
  const gone = await refuse("chat.send", { ...params, idempotencyKey: `${key}-2` });
  assert.equal(gone.code, "NOT_FOUND");
  assert.match(gone.message, /upload it again/);
  assert.equal((await refuse("files.upload", { sessionKey: "no:such", filename: "a", size: 1 })).code, "NOT_FOUND");
});

test("a file is opened by its path or by what posted it, never by both or neither", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  assert.equal((await call("files.open", { path: "notes.md" })).filename, "notes.md");
  assert.equal((await call("files.open", { deliveryId: "d1" })).filename, "chart.png");
  assert.equal((await refuse("files.open", { path: "../auth.json" })).code, "NOT_FOUND");
  assert.equal((await refuse("files.open", { deliveryId: "d2" })).code, "NOT_FOUND");
  assert.equal((await refuse("files.open", {})).code, "INVALID_REQUEST");
  assert.equal((await refuse("files.open", { path: "notes.md", deliveryId: "d1" })).code, "INVALID_REQUEST");
});

test("mom's own word is put where the session's last message came from, once", async (t) => {
  const { call, refuse, fake, clock } = await createGatewayDesk(t);
  const sessionKey = await fake.openGroup("C1");
  const params = { sessionKey, message: "The build is green.", idempotencyKey: key };
  const { deliveryId } = await call("chat.inject", params);
  await clock.advance(3_600_000);
  assert.deepEqual(await call("chat.inject", params), { deliveryId });
  const posts = await fake.store.outbox.list({ limit: 9 });
  assert.deepEqual(
    posts.map(({ channel, body }) => [channel.channelId, body.type === "text" && body.text]),
    [["C1", "The build is green."]],
  );
  assert.equal((await refuse("chat.inject", { ...params, sessionKey: mainKey })).code, "INVALID_REQUEST");
  const unsaid = { ...params, sessionKey: mainKey, idempotencyKey: `${key}-2` };
  assert.equal((await refuse("chat.inject", unsaid)).code, "NOT_FOUND");
});

test("what runs and waits is stopped", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  for (const n of [1, 2]) await call("chat.send", { message: "x", idempotencyKey: `${key}-${n}` });
  assert.deepEqual(await call("chat.abort", {}), { stopped: 2 });
  assert.deepEqual(await call("chat.abort", {}), { stopped: 0 });
  assert.equal((await fake.turns.next()).signal.aborted, true);
  assert.equal((await refuse("chat.abort", { sessionKey: "no:such" })).code, "NOT_FOUND");
});

test("before anything was said there is an empty conversation, for the owner's own sessions only", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  const empty = { items: [], isCut: false, turns: [], approvals: [], lastEventId: "life-0" };
  assert.deepEqual(await call("chat.history", {}), empty);
  assert.deepEqual(await call("chat.history", { sessionKey: "agent:helper:main" }), empty);
  assert.equal((await refuse("chat.history", { sessionKey: "agent:nobody:main" })).code, "NOT_FOUND");
});

/** Says something and records what the agent would, up to a call that waits for a person. */
async function converse({ call, fake }: GatewayDesk) {
  const { turnId } = await call("chat.send", { message: "clean up", idempotencyKey: key });
  const turn = await fake.turns.next();
  const add = (message: ModelMessage) => {
    const entry: NewEntry = { type: "message", id: newEntryId(), timestamp: "2026-01-01T10:00:00.000Z", message };
    return turn.record({ body: { type: "assistant" }, entries: [entry] });
  };
  await add({ role: "user", content: "(2026-01-01 10:00)\n[owner]: clean up", timestamp: 1 });
  await add({
    role: "assistant",
    content: [
      { type: "text", text: "I will." },
      { type: "toolCall", id: "call-1", name: "bash", arguments: { command: "ls" } },
      { type: "toolCall", id: "call-2", name: "bash", arguments: { command: "rm -r build" } },
    ],
    api: "x",
    provider: "mom",
    model: "big",
    usage: someUsage,
    stopReason: "toolUse",
    timestamp: 1,
  });
  return { turn, turnId };
}

test("a conversation is shown with what runs in it and what waits for a word", async (t) => {
  const desk = await createGatewayDesk(t);
  const { call, fake } = desk;
  const { turn, turnId } = await converse(desk);
  await fake.requestApproval("ap1", { toolCallId: "call-2" });
  await fake.requestApproval("ap2", { sessionKey: await fake.openGroup("C1") });
  await call("chat.send", { message: "and more", idempotencyKey: `${key}-2` });

  const history = await call("chat.history", {});
  assert.deepEqual(
    history.items.map(({ role, sender, text, tool }) => [role, sender, text ?? tool?.name, tool?.state]),
    [
      ["user", "owner", "clean up", undefined],
      ["assistant", undefined, "I will.", undefined],
      ["tool", undefined, "bash", "running"],
      ["tool", undefined, "bash", "waiting"],
    ],
  );
  assert.deepEqual(
    history.turns.map(({ turnId: id, state, text, sender }) => [id === turnId, state, text, sender]),
    [
      [true, "running", "clean up", "owner"],
      [false, "queued", "and more", "owner"],
    ],
  );
  assert.deepEqual(
    history.approvals.map(({ id }) => id),
    ["ap1"],
  );
  assert.equal(history.session?.isRunning, true);
  assert.equal(history.lastEventId, `life-${desk.events.length}`);

  await turn.end("Done.");
  const cut = await call("chat.history", { limit: 1 });
  assert.deepEqual([cut.items.length, cut.isCut], [1, true]);
});

test("slash commands are those of the agent", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  assert.deepEqual(await call("chat.commands", {}), {
    commands: [{ name: "new", summary: "begin afresh", kind: "command" }],
  });
  assert.equal((await refuse("chat.commands", { agentId: "nobody" })).code, "NOT_FOUND");
});
