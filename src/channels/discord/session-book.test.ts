/** How far a session is taken, in all orders of things. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeMemory } from "../../../test/fakes/channel-deps.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../../test/fakes/log.ts";
import { createChatCursors } from "./chat-cursors.ts";
import { toId } from "./format.ts";
import { createSessionBook } from "./session-book.ts";

const info = { sessionId: "s1", resumeURL: "ws://x", sequence: 1, shardId: 0, shardCount: 1 };

function createScene() {
  const clock = createFakeClock();
  const memory = createFakeMemory();
  const deps = { clock, log: silentLog, memory };
  const kept = () => JSON.parse(memory.values.get("session") ?? "null")?.sequence;
  return { clock, memory, kept, book: createSessionBook(deps), another: () => createSessionBook(deps), deps };
}

test("the sequence that is kept is that before which everything is taken", async () => {
  const { clock, book, kept } = createScene();
  book.set(info);
  assert.equal(book.info?.sequence, 0);
  book.beginFirst()();
  await book.kept;
  assert.equal(kept(), 1);
  const done = [2, 3, 4].map((sequence) => book.begin(sequence) ?? assert.fail());
  done[1]?.();
  assert.equal(book.info?.sequence, 1);
  done[0]?.();
  assert.equal(book.info?.sequence, 3);
  assert.equal(book.begin(3), undefined, "a replay of what is known");
  assert.equal(book.begin(4), undefined, "a replay of what is being taken");
  await clock.advance(1000);
  assert.equal(kept(), 3);
  done[2]?.();
  await book.end();
  assert.equal(kept(), 4);
  assert.equal(clock.pending, 0);
});

test("a new session is kept only when what was missed before it is there; until then the old one stays", async () => {
  const { clock, book, another, kept } = createScene();
  book.set(info);
  book.beginFirst()();
  await book.kept;
  book.set({ ...info, sessionId: "s2", sequence: 7 });
  const late = book.begin(8) ?? assert.fail();
  late();
  await clock.advance(5000);
  assert.equal(kept(), 1);
  const next = another();
  await next.load();
  assert.equal(next.info?.sessionId, "s1");
  book.beginFirst()();
  await book.kept;
  assert.equal(kept(), 8);
});

test("what belongs to an old session changes nothing in the new one, and nobody waits for it", async () => {
  const { book } = createScene();
  book.set(info);
  const old = book.begin(2) ?? assert.fail();
  const waiting = book.kept;
  book.set(null);
  book.set({ ...info, sessionId: "s2" });
  await waiting;
  book.beginFirst()();
  const open = book.begin(2) ?? assert.fail();
  old();
  assert.equal(book.info?.sequence, 1);
  open();
  assert.equal(book.info?.sequence, 2);
});

test("too many at once are turned away until half of them are taken", async () => {
  const { book } = createScene();
  book.set(info);
  book.beginFirst()();
  const done = Array.from({ length: 1000 }, (_, n) => book.begin(n + 2) ?? assert.fail());
  assert.equal(book.begin(1002), undefined);
  assert.equal(book.isFull, true);
  let hasRoom = false;
  const waiting = book.whenRoom().then(() => {
    hasRoom = true;
  });
  for (const each of done.slice(0, 499)) each();
  await Promise.resolve();
  assert.equal(hasRoom, false);
  assert.equal(book.begin(1002), undefined, "nor is what comes behind it");
  done[499]?.();
  await waiting;
  assert.equal(book.isFull, false);
  assert.ok(book.begin(1002));
});

test("cursors go forward only, outlive a restart, and are bounded", async () => {
  const { deps, clock } = createScene();
  const cursors = createChatCursors(deps);
  cursors.saw("c1", "200", false);
  cursors.saw("c1", "100", false);
  cursors.saw("d1", "150", true);
  cursors.saw("c2", "not an id", false);
  assert.deepEqual([cursors.after("c1"), cursors.after("elsewhere")], ["200", undefined]);
  cursors.beginSession();
  assert.equal(cursors.after("elsewhere"), undefined, "before the first session everything is old");
  cursors.beginSession();
  const born = toId(clock.now());
  assert.deepEqual([cursors.after("elsewhere"), cursors.unheardSince("c1")], [born, undefined]);
  await clock.advance(48 * 3600_000);
  assert.equal(cursors.after("elsewhere"), toId(clock.now() - 24 * 3600_000));
  await cursors.end();

  const next = createChatCursors(deps);
  await next.load();
  assert.deepEqual([next.after("c1"), next.after("d1"), next.directChats()], ["200", "150", ["d1"]]);
  for (let n = 0; n < 600; n++) next.saw(`c${n + 10}`, String(1000 + n), false);
  assert.equal(next.after("d1"), undefined);
  await clock.advance(5000);
  assert.equal(JSON.parse(deps.memory.values.get("chats") ?? "[]").length, 500);
});
