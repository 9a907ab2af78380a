/** What is kept of transcripts in memory: pictures are not read again at every turn, and there is an end to what is kept. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { newEntryId } from "../base/ids.ts";
import type { EntryId, SessionKey } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { NewEntry } from "../contracts/turn.ts";
import { openDatabase } from "./database.ts";
import { createJsonlFiles, type JsonlFiles } from "./jsonl-files.ts";
import { buildLayout } from "./layout.ts";
import { createSessions } from "./sessions.ts";
import { createTranscripts, type TranscriptLimits } from "./transcripts.ts";

const timestamp = "2026-01-01T00:00:00.000Z";
const routeTo = (name: string): SessionRoute => ({
  sessionKey: `agent:main:dm:chat:${name}` as SessionKey,
  type: "dm",
  agentId: "main",
  channel: { adapter: "chat", channelId: name },
});
const say = (content: string): NewEntry => ({
  type: "message",
  id: newEntryId(),
  timestamp,
  message: { role: "user", content, timestamp: 0 },
});
const show = (bytes: number): NewEntry => ({
  type: "message",
  id: newEntryId(),
  timestamp,
  message: {
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image", data: "A".repeat(bytes), mimeType: "image/png" },
    ],
    timestamp: 0,
  },
});
const compact = (firstKeptEntryId: EntryId): NewEntry => ({
  type: "compaction",
  id: newEntryId(),
  timestamp,
  summary: "what was",
  firstKeptEntryId,
  tokensBefore: 1,
});

/** Transcripts on real files and rows. `cold`: a new process on the same data. */
async function openHouse(t: TestContext, limits?: TranscriptLimits) {
  const { dir } = await createTempFolder(t);
  const layout = buildLayout(dir);
  await mkdir(layout.channelsDir, { recursive: true });
  const clock = createFakeClock();
  const db = openDatabase(`${dir}/mom.db`);
  const real = createJsonlFiles(layout.workspaceDir, ({ detail }) => assert.fail(detail));
  t.after(() => real.close().then(() => db.close()));
  let reads = 0;
  const files: JsonlFiles = {
    ...real,
    backwards(...args) {
      reads++;
      return real.backwards(...args);
    },
  };
  const grounds = { root: layout.workspaceDir, onAside: (path: string) => assert.fail(path) };
  const begin = () =>
    createTranscripts({ files, layout, grounds, clock, sessions: createSessions({ db, clock }) }, limits);
  let transcripts = begin();
  return {
    cold() {
      transcripts = begin();
    },
    add: (name: string, ...entries: NewEntry[]) => transcripts.append(routeTo(name), { entries }),
    async read(name: string, maxEntries = 2000) {
      return (await transcripts.context(routeTo(name).sessionKey, maxEntries)).entries;
    },
    /** Does the session's next context come from the file? */
    async isRead(name: string, maxEntries = 2000) {
      const before = reads;
      await transcripts.context(routeTo(name).sessionKey, maxEntries);
      return reads > before;
    },
  };
}

const assertSame = (actual: readonly unknown[], expected: readonly unknown[]) => {
  assert.equal(actual.length, expected.length);
  for (const [n, each] of actual.entries()) assert.ok(each === expected[n], `entry ${n} is the same object`);
};

test("photos are read once, and the same entries are handed out at every turn", async (t) => {
  const house = await openHouse(t);
  for (let n = 0; n < 4; n++) await house.add("a", show(3_600_000));
  const written = await house.read("a");
  assert.equal(await house.isRead("a"), false, "who has written them need not read them");
  house.cold();
  const first = await house.read("a");
  assert.deepEqual(
    first.map(({ id }) => id),
    written.map(({ id }) => id),
  );
  assert.equal(await house.isRead("a"), false);
  assertSame(await house.read("a"), first);
  await house.add("a", say("and now?"));
  assert.equal(await house.isRead("a"), false);
  assertSame((await house.read("a")).slice(0, 4), first);
});

test("a context of as many entries as the agent asks for is not read again", async (t) => {
  const house = await openHouse(t);
  await house.add("a", ...Array.from({ length: 2300 }, (_, n) => say(`n${n}`)));
  house.cold();
  const first = await house.read("a");
  assert.equal(first.length, 2000);
  for (let n = 0; n < 3; n++) {
    await house.add("a", ...Array.from({ length: 900 }, (_, m) => say(`more ${n} ${m}`)));
    assert.equal(await house.isRead("a"), false);
  }
});

const small: TranscriptLimits = { entries: 3, textBytes: 4000, pictureBytes: 10_000, allBytes: 20_000 };

test("text and pictures are counted apart, and neither without end", async (t) => {
  const house = await openHouse(t, small);
  await house.add("a", show(9000), say("x".repeat(3000)));
  assert.equal(await house.isRead("a"), false);
  await house.add("a", show(2000));
  assert.equal(await house.isRead("a"), true);
  assert.equal(await house.isRead("a"), true, "too many pictures to keep");
  assert.equal((await house.read("a")).length, 3);
  await house.add("b", say("x".repeat(5000)));
  assert.equal(await house.isRead("b"), true);
  assert.equal(await house.isRead("b"), true, "too much text to keep");
});

test("what a compaction has replaced no longer weighs", async (t) => {
  const house = await openHouse(t, small);
  const kept = say("keep this");
  await house.add("a", show(9000), kept);
  await house.add("a", compact(kept.id));
  await house.add("a", show(9000));
  assert.equal(await house.isRead("a"), false);
  await house.add("b", show(9000), show(9000), kept);
  await house.add("b", compact(kept.id));
  await house.read("b");
  assert.equal(await house.isRead("b"), false, "kept again once it is small");
});

test("of all sessions together so much is kept; who has rested longest is read again", async (t) => {
  const house = await openHouse(t, small);
  await house.add("a", show(9000));
  await house.add("b", show(9000));
  assert.equal(await house.isRead("a"), false);
  await house.add("c", show(9000));
  assert.equal(await house.isRead("a"), false, "used after b");
  assert.equal(await house.isRead("c"), false);
  const again = await house.read("b");
  assert.equal(again.length, 1);
  assert.equal(await house.isRead("b"), false);
  assert.equal(await house.isRead("a"), true, "has rested longest by now");
});

test("the oldest entries of a long path are let go, and read when they are asked for", async (t) => {
  const house = await openHouse(t, small);
  for (let n = 0; n < 7; n++) await house.add("a", say(`n${n}`));
  assert.equal(await house.isRead("a", 3), false);
  const texts = (await house.read("a", 6)).map((entry) => entry.type === "message" && entry.message.content);
  assert.deepEqual(texts, ["n1", "n2", "n3", "n4", "n5", "n6"]);
});

test("a line of another program does not upset the count", async (t) => {
  const house = await openHouse(t, small);
  const strange = { type: "message", id: newEntryId(), timestamp } as unknown as NewEntry;
  const odd = { ...strange, id: newEntryId(), message: { content: [null, 5, { type: "image", data: 7 }] } };
  await house.add("a", strange, odd as unknown as NewEntry);
  house.cold();
  assert.equal((await house.read("a")).length, 2);
  assert.equal(await house.isRead("a"), false);
});
