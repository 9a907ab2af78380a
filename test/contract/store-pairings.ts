/** The contract of pairings: a code is given once, holds for an hour, lets one person in, and is worth nothing afterwards. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Store } from "../../src/contracts/store.ts";
import { buildMessage, chat, createStoreTest, type StoreHarness } from "./store-scene.ts";

const minute = 60_000;
const { adapter } = chat;

/** A stranger writes. The result is why it was refused, and the code that was told, if one was. */
async function ask(store: Store, id: string, senderId: string, at = adapter) {
  let told: string | undefined;
  const channelId = `D-${senderId}`;
  const sender = { id: senderId, username: `name of ${senderId}`, isBot: false };
  const toText = (code: string) => {
    told = code;
    return `your code: ${code}`;
  };
  const accepted = await store.inbox.accept({
    adapter: at,
    message: { ...buildMessage(id), channelId, sender },
    verdict: { type: "refused", reason: "stranger", pairing: { toText } },
  });
  const line = (await store.channels.tail({ adapter: at, channelId }, 9)).findLast((each) => each.id === id);
  return { accepted, refused: line?.refused, code: told };
}

async function mustAsk(store: Store, id: string, senderId: string, at = adapter): Promise<string> {
  const { code } = await ask(store, id, senderId, at);
  assert.ok(code, `${senderId} should be told a code`);
  return code;
}

const peopleOf = async (store: Store) =>
  (await store.pairings.list()).map(({ adapter: at, senderId, state }) => `${at} ${senderId} ${state}`);

export function storePairingsContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store pairings: ${name}`, () => {
    withStore("the code and the post that tells it come with the refusal", async (store, { open, clock }) => {
      const { accepted, refused, code } = await ask(store, "m1", "U9");
      assert.equal(accepted.type, "accepted");
      assert.equal(refused, "stranger; a pairing code was given");
      assert.match(code ?? "", /^[2-9A-HJKMNP-Z]{8}$/);
      const pending = {
        adapter,
        senderId: "U9",
        username: "name of U9",
        channelId: "D-U9",
        state: "pending",
        code,
        createdAt: clock.now(),
        expiresAt: clock.now() + 60 * minute,
      };
      const again = await open();
      assert.deepEqual(await again.pairings.list(), [pending]);
      assert.equal(await again.pairings.isApproved(adapter, "U9"), false);
      const [post, ...more] = await again.outbox.list({ limit: 9 });
      assert.deepEqual([post?.body, more], [{ type: "text", text: `your code: ${code}` }, []]);
      assert.deepEqual(post?.channel, { adapter, channelId: "D-U9" });
      assert.equal(post?.id.startsWith("pair-"), true);
      assert.equal(post?.id.includes(code ?? "-"), false);
    });

    withStore("who has a code is not told another; what comes twice changes nothing", async (store) => {
      const code = await mustAsk(store, "m1", "U9");
      const second = await ask(store, "m2", "U9");
      assert.deepEqual([second.code, second.refused], [undefined, "stranger; a pairing code waits already"]);
      assert.deepEqual((await ask(store, "m1", "U9")).accepted, { type: "duplicate" });
      assert.equal((await store.outbox.list({ limit: 9 })).length, 1);
      assert.deepEqual(
        (await store.pairings.list()).map((each) => each.code),
        [code],
      );
    });

    withStore("three wait per adapter; the fourth gets none until one is settled", async (store, { clock }) => {
      const first = await mustAsk(store, "m1", "U1");
      await mustAsk(store, "m2", "U2");
      await clock.advance(minute);
      await mustAsk(store, "m3", "U3");
      const full = { code: undefined, refused: "stranger; no pairing code was given, because 3 wait already" };
      const { accepted: _first, ...fourth } = await ask(store, "m4", "U4");
      assert.deepEqual(fourth, full);
      assert.equal((await store.outbox.list({ limit: 9 })).length, 3, "nothing is posted");
      await mustAsk(store, "m5", "U4", "other");

      await store.pairings.approve(first, "cli");
      await mustAsk(store, "m6", "U4");
      assert.equal((await ask(store, "m7", "U5")).code, undefined);
      assert.equal(await store.pairings.revoke(adapter, "U3"), true);
      await mustAsk(store, "m8", "U5");
      assert.equal((await ask(store, "m9", "U6")).code, undefined);
      await clock.advance(59 * minute);
      await mustAsk(store, "m10", "U6");
      assert.deepEqual((await peopleOf(store)).sort(), [
        "other U4 pending",
        `${adapter} U1 approved`,
        `${adapter} U4 pending`,
        `${adapter} U5 pending`,
        `${adapter} U6 pending`,
      ]);
    });

    withStore("an approved code lets that person in on that adapter, and is used up", async (store, harness) => {
      const { clock, open } = harness;
      const code = await mustAsk(store, "m1", "U9");
      await mustAsk(store, "m2", "U9", "other");
      await clock.advance(minute);
      const answer = await store.pairings.approve(code, "cli:ann");
      const pairing = {
        adapter,
        senderId: "U9",
        username: "name of U9",
        channelId: "D-U9",
        state: "approved",
        createdAt: clock.now() - minute,
        approvedAt: clock.now(),
        approvedBy: "cli:ann",
      };
      assert.deepEqual(answer, { type: "approved", pairing });
      assert.deepEqual(await store.pairings.approve(code, "cli:bob"), { type: "unknown" });
      await clock.advance(24 * 60 * minute);
      const again = await open();
      assert.deepEqual(await again.pairings.list(), [pairing]);
      assert.equal(await again.pairings.isApproved(adapter, "U9"), true);
      for (const [at, id] of [
        ["other", "U9"],
        [adapter, "u9"],
        [adapter, "U9 "],
        [adapter, "name of U9"],
        [adapter, ""],
      ] as const)
        assert.equal(await again.pairings.isApproved(at, id), false, `${at} ${id}`);
      assert.equal((await ask(again, "m3", "U9")).code, undefined, "a code is for who is not in");
      assert.deepEqual(await again.pairings.list(), [pairing]);
    });

    withStore("case and spaces do not matter in a code; everything else does", async (store) => {
      const code = await mustAsk(store, "m1", "U9");
      const other = await mustAsk(store, "m2", "U8", "other");
      const wrong = code.replace(/.$/, (last) => (last === "2" ? "3" : "2"));
      for (const typed of [wrong, code.slice(1), `${code}2`, "", "%", "0OIL1111", code.replace(/^./, "%")])
        assert.deepEqual(await store.pairings.approve(typed, "cli"), { type: "unknown" }, typed);
      assert.deepEqual(await store.pairings.approve(other, "cli", adapter), { type: "unknown" }, "another adapter's");
      assert.equal(await store.pairings.isApproved("other", "U8"), false);
      const typed = ` ${code.slice(0, 4).toLowerCase()} ${code.slice(4).toLowerCase()}\n`;
      assert.equal((await store.pairings.approve(typed, "cli", adapter)).type, "approved");
      assert.equal((await store.pairings.approve(other, "cli")).type, "approved");
    });

    withStore("of several who approve a code at once, one does", async (store) => {
      const code = await mustAsk(store, "m1", "U9");
      const answers = await Promise.all(["x:U1", "x:U2", "cli"].map((by) => store.pairings.approve(code, by)));
      assert.deepEqual(
        answers.map(({ type }) => type),
        ["approved", "unknown", "unknown"],
      );
      assert.equal((await store.pairings.list())[0]?.approvedBy, "x:U1");
    });

    withStore("a code is over after an hour, for good", async (store, { clock, open }) => {
      const code = await mustAsk(store, "m1", "U9");
      await clock.advance(60 * minute - 1);
      assert.deepEqual(await peopleOf(store), [`${adapter} U9 pending`]);
      assert.equal((await ask(store, "m2", "U9")).code, undefined);
      await clock.advance(1);
      assert.deepEqual(await store.pairings.approve(code, "cli"), { type: "unknown" });
      assert.deepEqual(await peopleOf(store), []);
      await clock.advance(-minute);
      const again = await open();
      assert.deepEqual(
        await again.pairings.approve(code, "cli"),
        { type: "unknown" },
        "also when the clock is set back",
      );
      const next = await mustAsk(again, "m3", "U9");
      assert.notEqual(next, code);
      assert.equal((await again.pairings.approve(next, "cli")).type, "approved");
    });

    withStore("revoking takes the trust away, or the code, and can be begun anew", async (store) => {
      const code = await mustAsk(store, "m1", "U9");
      assert.equal(await store.pairings.revoke("other", "U9"), false);
      assert.equal(await store.pairings.revoke(adapter, "u9"), false);
      assert.equal(await store.pairings.revoke(adapter, "U9"), true);
      assert.deepEqual(await store.pairings.approve(code, "cli"), { type: "unknown" });
      const second = await mustAsk(store, "m2", "U9");
      await store.pairings.approve(second, "cli");
      assert.equal(await store.pairings.revoke(adapter, "U9"), true);
      assert.equal(await store.pairings.isApproved(adapter, "U9"), false);
      assert.equal(await store.pairings.revoke(adapter, "U9"), false);
      await mustAsk(store, "m3", "U9");
    });

    withStore("they are listed newest first, and old ones are not pruned", async (store, { clock }) => {
      const first = await mustAsk(store, "m1", "U1");
      await clock.advance(minute);
      await mustAsk(store, "m2", "U2");
      await clock.advance(minute);
      await store.pairings.approve(first, "cli");
      await clock.advance(minute);
      await mustAsk(store, "m3", "U3");
      const expected = [`${adapter} U3 pending`, `${adapter} U1 approved`, `${adapter} U2 pending`];
      assert.deepEqual(await peopleOf(store), expected);
      await store.prune(clock.now() + minute);
      assert.deepEqual(await peopleOf(store), expected);
    });

    withStore("a refusal without an offer gives nothing", async (store) => {
      const verdict = { type: "refused", reason: "stranger" } as const;
      await store.inbox.accept({ adapter, message: buildMessage("m1"), verdict });
      assert.deepEqual(await store.pairings.list(), []);
      assert.deepEqual(await store.outbox.list({ limit: 9 }), []);
    });
  });
}
