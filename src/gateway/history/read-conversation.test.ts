/** The end of a conversation out of a real store. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createGatewayHouse, mainKey } from "../../../test/fakes/gateway-house.ts";
import { newEntryId } from "../../base/ids.ts";
import type { EntryId, SessionKey } from "../../contracts/ids.ts";
import type { UserMessage } from "../../contracts/model.ts";
import type { NewEntry } from "../../contracts/turn.ts";
import { readConversation } from "./read-conversation.ts";

const facts = { isRunning: false, waitingCalls: new Set<string>() };
const timestamp = "2026-01-01T10:00:00.000Z";

/** A session whose turn goes on, to write into its transcript. */
async function createStage(t: TestContext, sessionKey?: SessionKey) {
  const fake = await createGatewayHouse(t);
  const key = sessionKey ?? (await fake.openGroup("C1"));
  await fake.house.say({
    messageId: "m1",
    deviceName: "d",
    isAdmin: false,
    text: "x",
    attachments: [],
    to: { type: "session", sessionKey: key },
  });
  const turn = await fake.turns.next();
  const session = await fake.store.sessions.get(key);
  assert.ok(session);
  const add = (...entries: NewEntry[]) => turn.record({ body: { type: "note" }, entries });
  const said = (content: string): NewEntry => {
    const message: UserMessage = { role: "user", content, timestamp: 1 };
    return { type: "message", id: newEntryId(), timestamp, message };
  };
  const read = (limit = 100) => readConversation(fake.house, session, limit, facts);
  return { fake, session, turn, add, said, read };
}

test("the newest are shown, and it is told that there are more", async (t) => {
  const { add, said, read } = await createStage(t);
  assert.deepEqual(await read(), { items: [], isCut: false });
  await add(...Array.from({ length: 30 }, (_, n) => said(`number ${n}`)));
  const { items, isCut } = await read(2);
  assert.deepEqual([items.map(({ text }) => text), isCut], [["number 28", "number 29"], true]);
  assert.deepEqual([(await read(30)).isCut, (await read(30)).items.length], [false, 30]);
});

test("what lies before a summary can still be read", async (t) => {
  const { add, said, read } = await createStage(t);
  const [first, kept] = [said("before"), said("kept")];
  await add(first, kept);
  const firstKeptEntryId = kept.id as EntryId;
  await add({ type: "compaction", id: newEntryId(), timestamp, summary: "s", firstKeptEntryId, tokensBefore: 9 });
  await add(said("after"));
  const { items, isCut } = await read();
  assert.deepEqual(
    [items.map(({ text }) => text), isCut],
    [["before", "kept", "Summary of what came before:\n\ns", "after"], false],
  );
});

test("a branch that was left is not part of it, also before a summary", async (t) => {
  const { add, said, read, turn } = await createStage(t);
  const [root, left, kept] = [said("root"), said("left"), said("kept")];
  await add(root, left);
  await turn.record({ body: { type: "branch" }, entries: [kept], parentId: root.id });
  const firstKeptEntryId = kept.id as EntryId;
  await add({ type: "compaction", id: newEntryId(), timestamp, summary: "s", firstKeptEntryId, tokensBefore: 9 });
  const texts = (await read()).items.map(({ text }) => text);
  assert.deepEqual(texts, ["root", "kept", "Summary of what came before:\n\ns"]);
});

test("an answer has only so many bytes: pictures go first, then what is oldest", async (t) => {
  const { add, said, read } = await createStage(t);
  const picture = (toolCallId: string): NewEntry => ({
    type: "message",
    id: newEntryId(),
    timestamp,
    message: {
      role: "toolResult",
      toolCallId,
      toolName: "shot",
      content: [{ type: "image", mimeType: "image/png", data: "A".repeat(500 * 1024) }],
      isError: false,
      timestamp: 1,
    },
  });
  await add(...["p0", "p1", "p2", "p3", "p4"].map(picture));
  const { items, isCut } = await read();
  assert.deepEqual([items.map(({ tool }) => tool?.images?.length ?? 0), isCut], [[0, 1, 1, 1, 1], false]);
  await add(...Array.from({ length: 120 }, () => said("x".repeat(19_000))));
  const full = await read(500);
  assert.ok(full.isCut && full.items.length > 100 && full.items.length < 120, String(full.items.length));
  assert.ok(JSON.stringify(full.items).length < 2.1 * 1024 * 1024);
});

test("files are named from the workspace, whatever folder the session's tools begin in", async (t) => {
  const { fake, session, add, said, read } = await createStage(t);
  const { folder } = fake.store.channels;
  const group = folder(session.channel);
  const screen = folder(fake.house.chatOf(session.sessionKey));
  const paths = [`${group}/attachments/a.txt`, `${screen}/attachments/b.txt`, "notes.md"];
  for (const path of paths) await fake.folder.put(`workspace/${path}`, "x");
  const line = (path: string) => `<attachment path="${path}" name="n"/>`;
  const tools = ["attachments/a.txt", "attachments/b.txt", "notes.md", "gone.txt"];
  const absolute = `${fake.house.workspaceDir}/${group}/attachments/a.txt`;
  await add(said(["(2026-01-01 10:00)", "[ann]: see", ...[...tools, absolute].map(line)].join("\n")));
  const { items } = await read();
  assert.deepEqual(
    items[0]?.attachments?.map(({ path }) => path),
    [...paths, "gone.txt", paths[0]],
  );
});

test("the owner's session is read like any other", async (t) => {
  const { add, said, read } = await createStage(t, mainKey);
  await add(said("(2026-01-01 10:00)\n[owner]: hello"));
  assert.deepEqual(
    (await read()).items.map(({ sender, text }) => [sender, text]),
    [["owner", "hello"]],
  );
});
