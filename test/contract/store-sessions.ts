/** The contract of `Sessions` and chats where they end: windows on a session, forgetting one for good, removing a chat. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { Store, Verdict } from "../../src/contracts/store.ts";
import {
  begin,
  buildMessage,
  chat,
  createStoreTest,
  dieEverywhere,
  give,
  heard,
  mustClaim,
  nameStep,
  routeTo,
  type StoreHarness,
  say,
  turnFor,
  userStep,
} from "./store-scene.ts";

const { sessionKey: key } = routeTo("a");
const page = { adapter: chat.adapter, channelId: `session/${key}` };
const windowOnA: SessionRoute = { ...routeTo("a", page), isWindow: true };
const reset = (store: Store, by: string) => store.sessions.reset(key, by as TurnId);

/** Two lives of one session, the first with a name; another session beside it in the same chat. */
async function furnish(store: Store): Promise<void> {
  await say(store, "m1", userStep("first life"), nameStep("an old name"));
  await reset(store, "t1");
  await say(store, "m2", userStep("second life"));
  const other = await begin(store, "n1", turnFor("b"));
  await store.turns.record(other, userStep("of another session"));
  await store.turns.finish(other, { outcome: "done", deliveries: [] });
}

/** Nothing is left of the first session; the second has everything. */
async function ensureForgotten(store: Store, when = ""): Promise<void> {
  assert.equal(await store.sessions.get(key), undefined, when);
  assert.deepEqual(
    (await store.sessions.list()).map(({ sessionKey }) => sessionKey),
    [routeTo("b").sessionKey],
    when,
  );
  assert.deepEqual(await heard(store, 9, "b"), ["of another session"], when);
  assert.equal((await store.transcripts.lives(routeTo("b").sessionKey)).length, 1, when);
  await store.sessions.open(routeTo("a"));
  assert.deepEqual(await store.transcripts.lives(key), [], when);
  assert.deepEqual(await heard(store), [], when);
}

export function storeSessionsContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store sessions: ${name}`, () => {
    withStore("who looks through a window uses a session and does not move it", async (store, { open, clock }) => {
      const { lastChannel, updatedAt } = await store.sessions.open(routeTo("a"));
      await clock.advance(120_000);
      const seen = await store.sessions.open(windowOnA);
      assert.deepEqual(seen.lastChannel, lastChannel);
      assert.deepEqual(seen.channel, chat);
      assert.equal(seen.updatedAt, updatedAt + 120_000);
      const elsewhere = { adapter: chat.adapter, channelId: "C2" };
      assert.deepEqual((await store.sessions.open(routeTo("a", elsewhere))).lastChannel, elsewhere);
      assert.deepEqual((await store.sessions.open(windowOnA)).lastChannel, elsewhere);
      assert.deepEqual((await (await open()).sessions.get(key))?.lastChannel, elsewhere);
    });

    withStore("a session that is first met through a window lives there", async (store) => {
      const session = await store.sessions.open(windowOnA);
      assert.deepEqual([session.channel, session.lastChannel], [page, page]);
    });

    withStore("what is said through a window is said in the session, also after a crash", async (store, { open }) => {
      await say(store, "m1", userStep("at home"));
      const verdict: Verdict = { type: "turn", kind: "agent", lane: "a", route: windowOnA };
      const message = { ...buildMessage("w1"), channelId: page.channelId };
      await store.inbox.accept({ adapter: page.adapter, message, verdict });
      const turn = await mustClaim(store);
      await store.turns.record(turn, userStep("through the window"));
      const again = await open();
      const resumed = await mustClaim(again);
      assert.deepEqual(resumed.route, windowOnA);
      await again.sessions.open(resumed.route);
      await again.turns.finish(resumed, { outcome: "done", deliveries: [] });
      assert.deepEqual(await heard(again), ["at home", "through the window"]);
      assert.deepEqual((await again.sessions.get(key))?.lastChannel, chat);
    });

    withStore("a session is forgotten with all its lives, and no other", async (store, { open }) => {
      await furnish(store);
      assert.equal(await store.sessions.delete(key), true);
      assert.equal(await store.sessions.delete(key), false);
      assert.equal(await store.sessions.delete("nope" as SessionKey), false);
      await ensureForgotten(store);
      await store.sessions.delete(key);
      await ensureForgotten(await open());
    });

    withStore("what was said stays in the chat's log, and what it cost in the ledger", async (store) => {
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
      const turn = await begin(store, "m1");
      await store.turns.record(turn, { ...userStep("hello"), usage: [{ model: "m", usage: { ...usage, cost } }] });
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      await store.sessions.delete(key);
      assert.deepEqual(
        (await store.channels.tail(chat, 9)).map(({ id }) => id),
        ["m1"],
      );
      assert.equal((await store.usage.totals("session"))[0]?.cost, 0.5);
      assert.equal((await store.turns.get(turn.id))?.state, "done");
      assert.deepEqual(await give(store, "m1"), { type: "duplicate" });
    });

    withStore("a session that begins anew knows nothing of its names, choices and what it had seen", async (store) => {
      await give(store, "h1", { type: "heard" });
      const turn = await begin(store, "m1");
      await store.turns.record(turn, userStep("folded", turn.seq));
      await store.turns.record(turn, nameStep("an old name"));
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      await store.sessions.choose(key, { chosenModel: "big", label: "mine", isQuiet: true });
      const before = await store.sessions.get(key);
      await store.sessions.delete(key);
      const after = await store.sessions.open(routeTo("a"));
      assert.deepEqual([after.chosenModel, after.label, after.isQuiet], [undefined, undefined, undefined]);
      assert.notEqual(after.sessionId, before?.sessionId);
      assert.equal((await store.inbox.unseen(key, chat, 99, 9)).length, 1, "it has not been shown to this one");
      await say(store, "m2", userStep("anew"));
      assert.deepEqual(await heard(store), ["anew"]);
      assert.deepEqual(
        (await store.transcripts.lives(key)).map(({ name: named, isPresent }) => [named, isPresent]),
        [[undefined, true]],
      );
    });

    withStore("nobody deletes a session while a turn of it waits or runs", async (store, { open }) => {
      await say(store, "m1", userStep("kept"));
      const refuse = (from: Store) => assert.rejects(from.sessions.delete(key), { code: "SESSION_BUSY" });
      await give(store, "m2");
      await refuse(store);
      const turn = await mustClaim(store);
      await refuse(store);
      await give(store, "m3");
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      await refuse(store);
      const again = await open();
      const last = await mustClaim(again);
      await refuse(again);
      assert.deepEqual(await heard(again), ["kept"]);
      await give(again, "n1", turnFor("b"));
      await again.turns.finish(last, { outcome: "done", deliveries: [] });
      assert.equal(await again.sessions.delete(key), true, "another session's turns do not matter");
    });

    withStore("a message that comes while the files go begins the session anew", async (store) => {
      await furnish(store);
      const deleting = store.sessions.delete(key);
      const turn = await begin(store, "m3");
      await store.turns.record(turn, userStep("anew"));
      assert.equal(await deleting, true);
      assert.deepEqual(await heard(store), ["anew"]);
      assert.equal((await store.transcripts.lives(key)).length, 1);
    });

    test("wherever a process dies that forgets a session, the next one makes it good", async () => {
      const rounds = await dieEverywhere(
        createHarness,
        furnish,
        (store) => store.sessions.delete(key),
        ensureForgotten,
      );
      assert.ok(rounds >= 0);
    });

    withStore("a chat is removed with its log, files and transcripts, and no other", async (store, { open }) => {
      const elsewhere = { adapter: chat.adapter, channelId: "C10" };
      const data = async function* () {
        yield new Uint8Array(3);
      };
      await say(store, "m1", userStep("gone"));
      for (const each of [chat, elsewhere]) {
        await store.channels.saveAttachment(each, { filename: "a.txt", data: data(), maxBytes: 9 });
      }
      const message = { ...buildMessage("m1"), channelId: elsewhere.channelId };
      await store.inbox.accept({ adapter: chat.adapter, message, verdict: { type: "heard" } });
      assert.equal((await store.channels.tail(chat, 9)).length, 1);
      await give(store, "m2", { type: "heard" });
      await store.channels.remove(chat);
      await store.channels.remove(chat);
      assert.deepEqual(await store.channels.tail(chat, 9), []);
      assert.deepEqual(await heard(store), [], "what is remembered of its transcripts is gone too");
      const again = await open();
      assert.deepEqual(await again.channels.list(), [elsewhere]);
      assert.equal((await again.channels.tail(elsewhere, 9)).length, 1);
      await say(again, "m3", userStep("anew"));
      assert.deepEqual(await heard(again), ["anew"]);
      assert.deepEqual(
        (await again.channels.tail(chat, 9)).map(({ id }) => id),
        ["m3"],
      );
    });
  });
}
