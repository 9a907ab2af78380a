/** The contract of the durable clock (`Store.due`): what is due, and that every due time ends once. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { DueItem, OccurrenceEnd } from "../../src/contracts/schedule.ts";
import type { Letter, Store } from "../../src/contracts/store.ts";
import {
  buildMessage,
  buildPost,
  chat,
  createStoreTest,
  dieEverywhere,
  mustClaim,
  type StoreHarness,
  turnFor,
} from "./store-scene.ts";

const letterOf = (id: string, verdict: Letter["verdict"] = turnFor("a")): Letter => ({
  adapter: chat.adapter,
  message: buildMessage(id),
  verdict,
});
const ran = (next: OccurrenceEnd["next"], letters: Letter[] = []): OccurrenceEnd => ({ state: "ran", next, letters });
const add = (store: Store, id: string, dueAt?: number, data: unknown = { n: 1 }): Promise<DueItem> =>
  store.due.put({ source: "cron", id, data, ...(dueAt !== undefined && { dueAt }) });
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const turnsOf = async (store: Store) => (await store.turns.list({ limit: 99 })).map(({ message }) => message.id);

export function storeDueContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);
  describe(`store due: ${name}`, () => {
    withStore("what is put on the clock is there after a crash, as it was put", async (store, { open, clock }) => {
      const data = { text: 'a "word" 🍵', list: [1, null], deep: { yes: true } };
      const put = await add(store, "a", 5, data);
      assert.deepEqual(put, {
        source: "cron",
        id: "a",
        dueAt: 5,
        data,
        createdAt: clock.now(),
        updatedAt: clock.now(),
      });
      await store.due.put({ source: "event", id: "a", data: null });
      const again = await open();
      assert.deepEqual(await again.due.get("cron", "a"), put);
      assert.equal((await again.due.get("event", "a"))?.dueAt, undefined);
      assert.equal(await again.due.get("heartbeat", "a"), undefined);
      assert.equal(await again.due.remove("event", "a"), true);
      assert.equal(await again.due.remove("event", "a"), false);
      assert.deepEqual(await again.due.list("cron"), [put]);
      assert.deepEqual(await again.due.list("event"), []);
    });

    withStore("one that is put again takes the place of the first, and is another", async (store, { clock }) => {
      const first = await add(store, "a", 5);
      const second = await add(store, "a", 5, "new");
      assert.ok(second.updatedAt > first.updatedAt, "also within a millisecond");
      assert.equal(second.createdAt, first.createdAt);
      await clock.advance(-1000);
      const third = await add(store, "a", 5, "newer");
      assert.ok(third.updatedAt > second.updatedAt, "also where the clock was turned back");
      assert.deepEqual(await store.due.list("cron"), [third]);
    });

    withStore("what is due comes soonest first, page by page, and nothing that rests", async (store) => {
      const expected: string[] = [];
      for (let n = 0; n < 230; n++) {
        const id = `i${String(n).padStart(3, "0")}`;
        await add(store, id, 1000 + Math.floor(n / 50));
        expected.push(id);
      }
      await add(store, "later", 5000);
      await add(store, "rests");
      assert.deepEqual(await store.due.due(999), []);
      const found: string[] = [];
      let page = await store.due.due(1004);
      while (page.length > 0) {
        assert.ok(page.length < 230, "bounded");
        found.push(...idsOf(page));
        page = await store.due.due(1004, page.at(-1));
      }
      assert.deepEqual(found, expected);
      assert.equal(await store.due.nextDueAt(0), 1000);
      assert.equal(await store.due.nextDueAt(1000), 1001);
      assert.equal(await store.due.nextDueAt(1004), 5000);
      assert.equal(await store.due.nextDueAt(5000), undefined);
    });

    withStore("a change reads and writes in one step, or not at all", async (store) => {
      const item = await add(store, "a", 5);
      assert.equal(await store.due.change("cron", "nobody", () => assert.fail("there is none")), undefined);
      assert.equal(await store.due.change("cron", "a", () => undefined), undefined);
      assert.deepEqual(await store.due.get("cron", "a"), item);
      const changed = await store.due.change("cron", "a", ({ data, dueAt = 0 }) => ({
        data: [data, "more"],
        dueAt: dueAt + 1,
      }));
      assert.deepEqual([changed?.data, changed?.dueAt], [[{ n: 1 }, "more"], 6]);
      assert.deepEqual(await store.due.get("cron", "a"), changed);
      const rests = await store.due.change("cron", "a", ({ data }) => ({ data }));
      assert.equal(rests && "dueAt" in rests, false);
      await assert.rejects(
        store.due.change("cron", "a", () => {
          throw new Error("no");
        }),
        /no/,
      );
      assert.deepEqual(await store.due.get("cron", "a"), rests);
    });

    withStore("a due time ends once: ledger, item, letters and posts together", async (store, { open, clock }) => {
      const item = await add(store, "a", 5);
      const end: OccurrenceEnd = {
        ...ran({ dueAt: 9, data: { n: 2 } }, [letterOf("heard", { type: "heard" }), letterOf("cron:a:5")]),
        reason: "late",
        deliveries: [buildPost("x")],
        missed: [
          { dueAt: 3, reason: "down" },
          { dueAt: 4, reason: "down" },
        ],
      };
      const settled = await store.due.settle(item, end);
      const turnId = settled?.accepted.map((each) => each.type === "accepted" && each.turnId)[1];
      assert.ok(turnId);
      assert.equal(await store.due.settle(item, end), undefined);
      const again = await open();
      assert.equal(await again.due.settle(item, end), undefined);
      const next = await again.due.get("cron", "a");
      assert.deepEqual([next?.dueAt, next?.data], [9, { n: 2 }]);
      assert.deepEqual(await turnsOf(again), ["cron:a:5"]);
      assert.equal((await again.outbox.list({ limit: 9 })).length, 1);
      const common = { source: "cron", id: "a", settledAt: clock.now() };
      assert.deepEqual(await again.due.ledger({ limit: 9 }), [
        { ...common, dueAt: 5, state: "ran", reason: "late", turnId },
        { ...common, dueAt: 4, state: "missed", reason: "down" },
        { ...common, dueAt: 3, state: "missed", reason: "down" },
      ]);
      assert.deepEqual(
        (await again.channels.tail(chat, 9)).map(({ id }) => id),
        ["heard", "cron:a:5"],
      );
    });

    withStore("of several who look at the same clock, one ends it", async (store) => {
      const item = await add(store, "a", 5);
      const ends = await Promise.all(
        [1, 2, 3].map((n) => store.due.settle(item, ran({ dueAt: 9 }, [letterOf(`by ${n}`)]))),
      );
      assert.equal(ends.filter((end) => end !== undefined).length, 1);
      assert.equal((await turnsOf(store)).length, 1);
    });

    withStore("an item that was changed, moved or removed meanwhile is not ended as it was", async (store) => {
      const untouched = async (item: DueItem) => {
        assert.equal(await store.due.settle(item, ran({ dueAt: 99 }, [letterOf("no")])), undefined);
        assert.deepEqual(await store.due.ledger({ limit: 9 }), []);
        assert.deepEqual(await turnsOf(store), []);
      };
      const first = await add(store, "a", 5);
      await store.due.change("cron", "a", () => ({ data: "other", dueAt: 5 }));
      await untouched(first);
      const second = await add(store, "a", 6);
      await untouched({ ...second, dueAt: 5 });
      await store.due.remove("cron", "a");
      await untouched(second);
      assert.equal(await store.due.get("cron", "a"), undefined);
      const rests = await add(store, "b");
      await untouched(rests);
    });

    withStore("what is over is gone, or rests; its data stays unless it was given anew", async (store) => {
      await store.due.settle(await add(store, "gone", 5), ran(null));
      assert.equal(await store.due.get("cron", "gone"), undefined);
      await store.due.settle(await add(store, "rests", 5, "kept"), ran({}));
      const rests = await store.due.get("cron", "rests");
      assert.deepEqual([rests?.data, rests?.dueAt], ["kept", undefined]);
      assert.deepEqual(await store.due.due(99), []);
    });

    withStore("a time that comes again was served: nothing happens, and the item goes on", async (store) => {
      await store.due.settle(await add(store, "a", 5), ran(null, [letterOf("first")]));
      const anew = await add(store, "a", 5);
      assert.equal(await store.due.settle(anew, ran({ dueAt: 9 }, [letterOf("second")])), undefined);
      assert.equal((await store.due.get("cron", "a"))?.dueAt, 9);
      assert.deepEqual(await turnsOf(store), ["first"]);
      assert.equal((await store.due.ledger({ limit: 9 })).length, 1);
    });

    withStore("a time that was only skipped or missed may still come; then it has run for good", async (store) => {
      const skip: OccurrenceEnd = { state: "skipped", reason: "busy", next: { dueAt: 9 } };
      await store.due.settle(await add(store, "a", 5), { ...skip, missed: [{ dueAt: 7, reason: "down" }] });
      for (const at of [5, 7]) {
        const settled = await store.due.settle(await add(store, "a", at), ran(null, [letterOf(`run ${at}`)]));
        assert.equal(settled?.accepted.length, 1);
        const anew = await add(store, "a", at);
        assert.equal(await store.due.settle(anew, ran(null, [letterOf(`again ${at}`)])), undefined);
        const later = await add(store, "a", at);
        assert.equal(await store.due.settle(later, { ...skip, missed: [{ dueAt: 5, reason: "down" }] }), undefined);
      }
      await store.due.settle(await add(store, "a", 10), {
        ...skip,
        missed: [{ dueAt: 5, reason: "down" }],
        next: null,
      });
      const rows = await store.due.ledger({ limit: 9 });
      assert.deepEqual(
        rows.map(({ dueAt, state, reason, turnId }) => [dueAt, state, reason, turnId !== undefined]),
        [
          [10, "skipped", "busy", false],
          [7, "ran", undefined, true],
          [5, "ran", undefined, true],
        ],
      );
      assert.deepEqual((await turnsOf(store)).sort(), ["run 5", "run 7"]);
    });

    withStore(
      "rows of a future that has not come go, but what ran; and they push out nothing",
      async (store, { clock }) => {
        const today = clock.now();
        await clock.advance(365 * 24 * 3600_000);
        const year = clock.now();
        for (let n = 250; n > 0; n--) await store.due.settle(await add(store, "a", year - 2 * n), ran(null));
        const missed = Array.from({ length: 90 }, (_, n) => ({ dueAt: year - 2 * n - 1, reason: "down" }));
        await store.due.settle(await add(store, "a", year), { state: "missed", next: null, missed });
        await clock.advance(today - year);
        for (const at of [today - 1, today]) {
          await store.due.settle(await add(store, "a", at), { state: "ran", next: null });
        }
        const rows = await store.due.ledger({ source: "cron", id: "a", limit: 1000 });
        const real = rows.filter(({ dueAt }) => dueAt <= today);
        assert.deepEqual(
          real.map(({ dueAt }) => dueAt),
          [today, today - 1],
        );
        const ahead = rows.filter(({ dueAt }) => dueAt > today);
        assert.ok(ahead.length > 0 && ahead.length <= 200);
        assert.ok(ahead.every(({ state }) => state === "ran"));
        const anew = await add(store, "a", ahead[0]?.dueAt);
        assert.equal(await store.due.settle(anew, ran(null, [letterOf("twice")])), undefined);
      },
    );

    withStore("a run that somebody asks for stands beside the due time", async (store) => {
      const item = await add(store, "a", 5);
      const keep = ran({ dueAt: 5 });
      assert.ok(await store.due.settle(item, { ...keep, letters: [letterOf("by hand")] }, 2));
      const after = await store.due.get("cron", "a");
      assert.ok(after);
      assert.equal(await store.due.settle(after, ran(null), 2), undefined, "twice in one millisecond is once");
      assert.deepEqual(await store.due.get("cron", "a"), after);
      assert.ok(await store.due.settle(after, ran({ dueAt: 9 })));
      const rests = await add(store, "rests");
      assert.ok(await store.due.settle(rests, ran({}), 7), "also of one that rests");
      assert.deepEqual(
        (await store.due.ledger({ source: "cron", limit: 9 })).map(({ id, dueAt }) => `${id} ${dueAt}`),
        ["rests 7", "a 5", "a 2"],
      );
    });

    withStore("one more skip alike needs no row, but what has letters always has one", async (store) => {
      const skip: OccurrenceEnd = { state: "skipped", reason: "quiet", next: { dueAt: 6 }, isUnlisted: true };
      assert.deepEqual(await store.due.settle(await add(store, "a", 5), skip), { accepted: [] });
      assert.deepEqual(await store.due.ledger({ limit: 9 }), []);
      const next = await store.due.get("cron", "a");
      assert.equal(next?.dueAt, 6);
      await store.due.settle(next, { ...skip, next: null, letters: [letterOf("x")] });
      assert.equal((await store.due.ledger({ limit: 9 })).length, 1);
    });

    withStore("a letter that the inbox has already is no reason to run it again", async (store) => {
      await store.inbox.accept(letterOf("cron:a:5"));
      const settled = await store.due.settle(await add(store, "a", 5), ran(null, [letterOf("cron:a:5")]));
      assert.deepEqual(settled, { accepted: [{ type: "duplicate" }] });
      assert.deepEqual(await turnsOf(store), ["cron:a:5"]);
    });

    withStore("what cannot be written changes nothing", async (store) => {
      const item = await add(store, "a", 5);
      const broken = { ...letterOf("b"), message: { ...buildMessage("b"), metadata: { n: 1n } } };
      await assert.rejects(store.due.settle(item, ran({ dueAt: 9 }, [letterOf("a"), broken])));
      await assert.rejects(store.due.settle(item, ran({ dueAt: 9.5 }, [letterOf("a")])));
      assert.deepEqual(await store.due.get("cron", "a"), item);
      assert.deepEqual(await store.due.ledger({ limit: 9 }), []);
      assert.deepEqual(await turnsOf(store), []);
      assert.ok(await store.due.settle(item, ran(null, [letterOf("a")])));
    });

    withStore("the ledger is asked by source and item, newest first, and is bounded per item", async (store) => {
      for (let n = 0; n < 3; n++) await store.due.settle(await add(store, "few", n), ran(null));
      const missed = Array.from({ length: 250 }, (_, n) => ({ dueAt: n, reason: "down" }));
      await store.due.settle(await add(store, "many", 250), { ...ran(null), missed });
      const times = async (id: string, limit: number) =>
        (await store.due.ledger({ source: "cron", id, limit })).map(({ dueAt }) => dueAt);
      assert.deepEqual(await times("few", 2), [2, 1]);
      assert.equal((await times("few", 9)).length, 3);
      const kept = await times("many", 999);
      assert.deepEqual([kept.length, kept[0], kept.at(-1)], [200, 250, 51]);
      assert.deepEqual(await store.due.ledger({ source: "event", limit: 9 }), []);
      assert.equal((await store.due.ledger({ limit: 999 })).length, 203);
    });

    withStore("prune drops what was ended before, and nothing that is due", async (store, { clock }) => {
      await store.due.settle(await add(store, "a", 5), ran({ dueAt: 6 }));
      await clock.advance(1000);
      const cutOff = clock.now();
      await store.due.settle(await add(store, "b", 5), ran(null));
      assert.equal(await store.prune(cutOff), 1);
      assert.deepEqual(idsOf(await store.due.ledger({ limit: 9 })), ["b"]);
      assert.deepEqual(idsOf(await store.due.list("cron")), ["a"]);
      assert.equal(await store.prune(cutOff), 0);
    });

    withStore("wherever it dies, a due time is ended whole or not at all", async () => {
      await dieEverywhere(
        createHarness,
        async (store) => void (await add(store, "a", 5)),
        async (store) => {
          const [item] = await store.due.due(9);
          assert.ok(item);
          await store.due.settle(item, ran({ dueAt: 9 }, [letterOf("cron:a:5")]));
          const turn = await mustClaim(store);
          await store.turns.finish(turn, { outcome: "done", deliveries: [], letters: [letterOf("found")] });
          await store.channels.tail(chat, 9);
        },
        async (store, death) => {
          const [item] = await store.due.due(9);
          assert.ok(item, death);
          if (item.dueAt === 5) await store.due.settle(item, ran({ dueAt: 9 }, [letterOf("cron:a:5")]));
          const turns = await turnsOf(store);
          assert.equal(turns.filter((id) => id === "cron:a:5").length, 1, death);
          assert.equal((await store.due.get("cron", "a"))?.dueAt, 9, death);
          assert.equal((await store.due.ledger({ limit: 9 })).length, 1, death);
        },
      );
    });
  });
}
