/** The contract of `Transcripts` and of a session's lives: contexts, branches, forks, switching, and dying on the way. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newEntryId } from "../../src/base/ids.ts";
import type { EntryId, SessionId, TurnId } from "../../src/contracts/ids.ts";
import type { Store } from "../../src/contracts/store.ts";
import {
  begin,
  compactionStep,
  createStoreTest,
  dieEverywhere,
  heard,
  lastIdOf,
  mustClaim,
  nameStep,
  routeTo,
  type StoreHarness,
  say,
  spoken,
  userStep,
} from "./store-scene.ts";

const { sessionKey: key } = routeTo("a");
const presentLife = async (store: Store) => (await store.sessions.get(key))?.sessionId;
/** A branch: one thing said, as a child of an earlier entry. */
const branchStep = (text: string, parentId: EntryId | null) => ({ ...userStep(text), parentId });

export function storeTranscriptsContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store transcripts: ${name}`, () => {
    withStore("a context begins where the latest compaction begins to keep", async (store, { open }) => {
      const lines = [0, 1, 2, 3, 4, 5].map((n) => userStep(`line ${n}`));
      const [, , , third, fourth] = lines;
      assert.ok(third && fourth);
      await say(store, "m1", ...lines);
      await heard(store);
      await say(store, "m2", compactionStep(lastIdOf(third)), userStep("line 6"));
      await say(store, "m3", compactionStep(lastIdOf(fourth)), userStep("line 7"));
      const expected = ["line 4", "line 5", "(summary)", "line 6", "(summary)", "line 7"];
      assert.deepEqual(await heard(store), expected);
      const cold = await open();
      assert.deepEqual(await heard(cold), expected);
      assert.equal((await cold.transcripts.context(key, 6)).cut, false);
      assert.deepEqual(await heard(cold, 2), ["(summary)", "line 7"]);
      assert.equal((await cold.transcripts.context(key, 2)).cut, true);
      assert.equal((await cold.transcripts.whole(key))?.entries.length, 10, "the file keeps everything");
    });

    withStore("a compaction that keeps nothing, or what is not there, begins the context", async (store, { open }) => {
      for (const [id, firstKept] of [
        ["m1", newEntryId()],
        ["m2", undefined],
      ] as const) {
        const step = compactionStep(firstKept ?? newEntryId());
        const [entry] = step.entries;
        assert.ok(entry?.type === "compaction");
        if (firstKept === undefined) entry.firstKeptEntryId = entry.id;
        await say(store, id, userStep("before"), step, userStep("after"));
        assert.deepEqual(await heard(store), ["(summary)", "after"]);
      }
      assert.deepEqual(await heard(await open()), ["(summary)", "after"]);
    });

    withStore(
      "a long transcript gives the same context to who has followed it and to who has not",
      async (store, { open }) => {
        const many = (from: number, count: number) => ({
          ...userStep("x"),
          entries: Array.from({ length: count }, (_, n) => userStep(`n${from + n}`).entries).flat(),
        });
        await say(store, "m1", many(0, 100));
        for (const [from, count] of [
          [100, 700],
          [800, 600],
          [1400, 5],
        ] as const) {
          await heard(store, 50);
          await say(store, `m${from}`, many(from, count));
        }
        const warm = [await heard(store, 50), await heard(store, 700), await heard(store, 1300)];
        const { cut } = await store.transcripts.context(key, 1405);
        const cold = await open();
        assert.deepEqual([await heard(cold, 50), await heard(cold, 700), await heard(cold, 1300)], warm);
        assert.deepEqual([warm[2]?.length, warm[2]?.[0], warm[2]?.at(-1), cut], [1300, "n105", "n1404", false]);
        const kept = (await cold.transcripts.whole(key))?.entries[50]?.id;
        assert.ok(kept);
        await say(cold, "old", many(1405, 5), compactionStep(kept));
        const context = await heard(cold, 2000);
        assert.deepEqual([context[0], context.length], ["n50", 1361], "one that keeps what is no longer remembered");
      },
    );

    withStore("a branch goes on from an earlier entry; the left one stays in the file", async (store, { open }) => {
      const one = userStep("one");
      const two = userStep("two");
      await say(store, "m1", one, two, userStep("three"));
      await heard(store);
      await say(store, "m2", branchStep("other two", lastIdOf(one)), userStep("other three"));
      const expected = ["one", "other two", "other three"];
      assert.deepEqual(await heard(store), expected);
      const cold = await open();
      assert.deepEqual(await heard(cold), expected);
      const whole = await cold.transcripts.whole(key);
      assert.deepEqual(whole?.entries.map(spoken), ["one", "two", "three", "other two", "other three"]);
      assert.equal(whole?.leaf, whole?.entries.at(-1)?.id);
      await say(cold, "m3", branchStep("root", null));
      assert.deepEqual(await heard(cold), ["root"]);
      await say(cold, "m4", branchStep("third two", lastIdOf(two)));
      assert.deepEqual(await heard(cold), ["one", "two", "third two"]);
    });

    withStore("a branch from before a compaction has what the compaction had replaced", async (store) => {
      const steps = ["one", "two", "three"].map((text) => userStep(text));
      const [, two, three] = steps;
      assert.ok(two && three);
      await say(store, "m1", ...steps, compactionStep(lastIdOf(three)), userStep("four"));
      assert.deepEqual(await heard(store), ["three", "(summary)", "four"]);
      await say(store, "m2", branchStep("other", lastIdOf(three)));
      assert.deepEqual(await heard(store), ["one", "two", "three", "other"]);
    });

    withStore("a branch from nowhere, or of nothing, is refused before anything is recorded", async (store) => {
      await say(store, "m1", userStep("one"));
      const turn = await begin(store, "m2");
      const nowhere = branchStep("lost", newEntryId());
      await assert.rejects(store.turns.record(turn, nowhere), { code: "ENTRY_UNKNOWN" });
      const empty = { body: { type: "branch" } as const, entries: [], parentId: null };
      await assert.rejects(store.turns.record(turn, empty), { code: "STEP_INVALID" });
      assert.deepEqual(await store.turns.steps(turn), []);
      assert.deepEqual(await heard(store), ["one"]);
      const other = await begin(store, "b1", { type: "turn", kind: "agent", lane: "b", route: routeTo("b") });
      await assert.rejects(store.turns.record(other, nowhere), { code: "ENTRY_UNKNOWN" }, "a session without a file");
    });

    withStore("steps come back with their branch", async (store) => {
      const one = userStep("one");
      const turn = await begin(store, "m1");
      await store.turns.record(turn, one);
      await store.turns.record(turn, branchStep("two", lastIdOf(one)));
      await store.turns.record(turn, branchStep("root", null));
      const parents = (await store.turns.steps(turn)).map((step) => step.parentId);
      assert.deepEqual(parents, [undefined, lastIdOf(one), null]);
    });

    test("a branch that a crash cut off is written where it belongs, once", async () => {
      const one = userStep("one");
      const steps = [
        userStep("mine"),
        branchStep("branch", lastIdOf(one)),
        userStep("after"),
        branchStep("root", null),
      ];
      const rounds = await dieEverywhere(
        createHarness,
        (store) => say(store, "m1", one, userStep("two")),
        async (store) => {
          const turn = await begin(store, "m2");
          for (const step of steps) await store.turns.record(turn, step);
        },
        async (store, death) => {
          const turn = await mustClaim(store);
          for (const step of steps.slice((await store.turns.steps(turn)).length)) await store.turns.record(turn, step);
          const entries = (await store.transcripts.whole(key))?.entries ?? [];
          assert.deepEqual(entries.map(spoken), ["one", "two", "mine", "branch", "after", "root"], death);
          const [first, second, , branch] = entries;
          const parents = entries.map((entry) => entry.parentId);
          assert.deepEqual(parents, [null, first?.id, second?.id, first?.id, branch?.id, null], death);
        },
      );
      assert.ok(rounds >= 8, `died ${rounds} times`);
    });

    withStore("a kept life is taken up again and goes on; the one that was left is kept", async (store, { open }) => {
      await say(store, "m1", userStep("first life"));
      const first = await presentLife(store);
      assert.ok(first);
      await store.sessions.reset(key, "t1" as TurnId);
      assert.deepEqual(await heard(store), []);
      await say(store, "m2", userStep("second life"));
      const second = await presentLife(store);
      const back = await store.sessions.reset(key, "t2" as TurnId, first);
      assert.equal(back.sessionId, first);
      assert.deepEqual([back.totalTokens, back.cost], [0, 0]);
      assert.deepEqual(await heard(store), ["first life"]);
      await say(store, "m3", userStep("first goes on"));
      assert.equal((await store.sessions.reset(key, "t2" as TurnId, first)).sessionId, first, "once per command");
      const cold = await open();
      assert.deepEqual(await heard(cold), ["first life", "first goes on"]);
      const lives = await cold.transcripts.lives(key);
      assert.deepEqual(new Set(lives.map((life) => life.sessionId)), new Set([first, second]));
      assert.deepEqual(
        lives.filter((life) => life.isPresent).map((life) => life.sessionId),
        [first],
      );
      assert.ok(second);
      await cold.sessions.reset(key, "t3" as TurnId, second);
      await say(cold, "m4", userStep("second goes on"));
      assert.deepEqual(await heard(cold), ["second life", "second goes on"]);
      assert.equal((await cold.transcripts.lives(key)).length, 2);
    });

    withStore("a life that is not there cannot be taken up, and nothing changes", async (store) => {
      await say(store, "m1", userStep("one"));
      await store.sessions.open(routeTo("b"));
      const life = await presentLife(store);
      assert.ok(life);
      await assert.rejects(store.sessions.reset(key, "t1" as TurnId, "nope" as SessionId), { code: "LIFE_UNKNOWN" });
      const other = routeTo("b").sessionKey;
      await assert.rejects(store.sessions.reset(other, "t1" as TurnId, life), { code: "LIFE_UNKNOWN" }, "another's");
      assert.equal(await presentLife(store), life);
    });

    test("a switch of lives that a crash cut off is completed", async () => {
      let first: SessionId | undefined;
      const rounds = await dieEverywhere(
        createHarness,
        async (store) => {
          await say(store, "m1", userStep("first life"));
          first = await presentLife(store);
          await store.sessions.reset(key, "t1" as TurnId);
          await say(store, "m2", userStep("second life"));
        },
        async (store) => {
          await store.sessions.reset(key, "t2" as TurnId, first);
          await say(store, "m3", userStep("goes on"));
        },
        async (store, death) => {
          const turn = await store.turns.claim(60_000, ["slack-acme"]);
          if (turn) await store.turns.finish(turn, { outcome: "done", deliveries: [] });
          assert.deepEqual(await heard(store), ["first life", "goes on"], death);
          const lives = await store.transcripts.lives(key);
          assert.deepEqual(lives.map((life) => [life.opening, life.isPresent]).sort(), [
            ["first life", true],
            ["second life", false],
          ]);
        },
      );
      assert.ok(rounds >= 6, `died ${rounds} times`);
    });

    test("a new life that a crash cut off begins empty, and the old one is kept", async () => {
      await dieEverywhere(
        createHarness,
        (store) => say(store, "m1", userStep("old life")),
        async (store) => {
          await store.sessions.reset(key, "t1" as TurnId);
          await say(store, "m2", userStep("new life"));
        },
        async (store, death) => {
          const turn = await store.turns.claim(60_000, ["slack-acme"]);
          if (turn) await store.turns.finish(turn, { outcome: "done", deliveries: [] });
          assert.deepEqual(await heard(store), ["new life"], death);
          assert.deepEqual((await store.transcripts.lives(key)).map((life) => life.opening).sort(), [
            "new life",
            "old life",
          ]);
        },
      );
    });

    test("what a turn wrote before it changed lives stays in the old one", async () => {
      await dieEverywhere(
        createHarness,
        (store) => say(store, "m1", userStep("one")),
        async (store) => {
          const turn = await begin(store, "m2");
          await store.turns.record(turn, userStep("before"));
          await store.sessions.reset(key, turn.id);
          await store.turns.record(turn, userStep("after"));
        },
        async (store, death) => {
          const turn = await mustClaim(store);
          const done = (await store.turns.steps(turn)).length;
          if (done === 0) await store.turns.record(turn, userStep("before"));
          await store.sessions.reset(key, turn.id);
          if (done < 2) await store.turns.record(turn, userStep("after"));
          assert.deepEqual(await heard(store), ["after"], death);
          const old = (await store.transcripts.lives(key)).find((life) => !life.isPresent);
          assert.ok(old);
          await store.sessions.reset(key, "t9" as TurnId, old.sessionId);
          assert.deepEqual(await heard(store), ["one", "before"], death);
        },
      );
    });

    withStore(
      "a fork begins as a copy of the path to an entry and leaves the original alone",
      async (store, { open }) => {
        const one = userStep("one");
        const two = userStep("two");
        await say(store, "m1", one, userStep("left"), branchStep("branch", lastIdOf(one)), two, userStep("three"));
        const original = await presentLife(store);
        const by = "t1" as TurnId;
        const fork = await store.transcripts.fork(key, lastIdOf(two), by);
        assert.equal(await presentLife(store), original, "prepared, not taken up");
        assert.equal(await store.transcripts.fork(key, lastIdOf(two), by), fork);
        assert.notEqual(await store.transcripts.fork(key, lastIdOf(two), "t2" as TurnId), fork);
        await store.sessions.reset(key, by, fork);
        assert.deepEqual(await heard(store), ["one", "branch", "two"]);
        assert.equal(await store.transcripts.fork(key, lastIdOf(two), by), fork, "resumed after it was taken up");
        await say(store, "m2", userStep("elsewhere"));
        const cold = await open();
        const whole = await cold.transcripts.whole(key);
        assert.deepEqual(whole?.entries.map(spoken), ["one", "branch", "two", "elsewhere"]);
        assert.equal(whole?.entries[0]?.id, lastIdOf(one), "entries keep their ids");
        assert.deepEqual([whole?.header.id, whole?.header.parentSession], [fork, original]);
        assert.ok(original);
        await cold.sessions.reset(key, "t3" as TurnId, original);
        assert.deepEqual(await heard(cold), ["one", "branch", "two", "three"]);
        assert.equal((await cold.transcripts.lives(key)).length, 3);
      },
    );

    withStore("a fork needs an entry of the present life", async (store) => {
      const by = "t1" as TurnId;
      await assert.rejects(store.transcripts.fork(key, newEntryId(), by), { code: "ENTRY_UNKNOWN" });
      const one = userStep("one");
      await say(store, "m1", one);
      await assert.rejects(store.transcripts.fork(key, newEntryId(), by), { code: "ENTRY_UNKNOWN" });
      await store.sessions.reset(key, by);
      await assert.rejects(store.transcripts.fork(key, lastIdOf(one), by), { code: "ENTRY_UNKNOWN" });
      assert.equal((await store.transcripts.lives(key)).length, 1);
    });

    test("a fork that a crash cut off is made whole by the same command", async () => {
      const one = userStep("one");
      let fork: SessionId | undefined;
      const goOn = async (store: Store) => {
        fork = await store.transcripts.fork(key, lastIdOf(one), "t1" as TurnId);
        await store.sessions.reset(key, "t1" as TurnId, fork);
      };
      await dieEverywhere(
        createHarness,
        (store) => say(store, "m1", one, userStep("two")),
        goOn,
        async (store, death) => {
          await goOn(store);
          await say(store, "m2", userStep("forked"));
          assert.deepEqual(await heard(store), ["one", "forked"], death);
          assert.equal((await store.transcripts.lives(key)).length, 2, death);
        },
      );
    });

    withStore("lives say how they began, what they are called and when they were used", async (store, { clock }) => {
      await say(store, "m1", nameStep("Tea"), userStep(`  How do\n I brew ${"really ".repeat(40)}good tea?`));
      const at = (ms: number) => new Date(ms).toISOString();
      const later = userStep("x");
      for (const entry of later.entries) entry.timestamp = at(clock.now() + 50_000);
      await say(store, "m2", later);
      await clock.advance(100_000);
      await store.sessions.reset(key, "t1" as TurnId);
      assert.deepEqual(
        (await store.transcripts.lives(key)).map((life) => life.isPresent),
        [false],
      );
      await say(store, "m3", userStep("Coffee?"));
      const [now, before, ...more] = await store.transcripts.lives(key);
      assert.deepEqual(more, []);
      assert.ok(now && before);
      assert.deepEqual([now.isPresent, now.opening, now.name], [true, "Coffee?", undefined]);
      assert.equal(now.startedAt, clock.now());
      assert.deepEqual([before.isPresent, before.name], [false, "Tea"]);
      assert.match(before.opening ?? "", /^How do I brew (really )+.{0,7}…$/);
      assert.deepEqual([before.startedAt, before.updatedAt], [clock.now() - 100_000, clock.now() - 50_000]);
      assert.ok(before.bytes > 300);
      assert.deepEqual(await store.transcripts.lives(routeTo("nobody").sessionKey), []);
    });

    withStore("a name is found wherever it stands, and can be taken away", async (store) => {
      const long = () => userStep("x".repeat(100_000));
      await say(store, "m1", long(), nameStep("Old"), nameStep("Middle"), long());
      const nameOf = async () => (await store.transcripts.lives(key)).find((life) => life.isPresent)?.name;
      assert.equal(await nameOf(), "Middle");
      const whole = await store.transcripts.whole(key);
      const leaf = whole?.leaf;
      assert.ok(leaf);
      const fork = await store.transcripts.fork(key, leaf, "t1" as TurnId);
      const forked = (await store.transcripts.lives(key)).find((life) => life.sessionId === fork);
      assert.equal(forked?.name, "Middle");
      await say(store, "m2", nameStep(""));
      assert.equal(await nameOf(), undefined);
      await say(store, "m3", long());
      assert.equal(await nameOf(), undefined);
    });

    withStore("a session is called as its present life is, whichever that is", async (store) => {
      const labelled = async () => (await store.sessions.get(key))?.label;
      await say(store, "m1", userStep("one"), nameStep("Tea"));
      await store.sessions.choose(key, { label: "Tea", thinkingLevel: "high" });
      const tea = await presentLife(store);
      const leaf = (await store.transcripts.whole(key))?.leaf;
      assert.ok(tea && leaf);
      const by = "t1" as TurnId;
      await store.sessions.reset(key, by);
      assert.equal(await labelled(), undefined);
      await store.sessions.choose(key, { label: "Coffee" });
      await store.sessions.reset(key, by);
      assert.equal(await labelled(), "Coffee", "once per command");
      await store.sessions.reset(key, "t2" as TurnId, tea);
      assert.equal(await labelled(), "Tea");
      assert.equal((await store.sessions.get(key))?.thinkingLevel, "high", "other choices stay");
      await store.sessions.reset(key, "t3" as TurnId, await store.transcripts.fork(key, leaf, "t3" as TurnId));
      assert.equal(await labelled(), "Tea", "a copy has the name too");
      await say(store, "m2", nameStep(""));
      const nameless = await presentLife(store);
      await store.sessions.reset(key, "t4" as TurnId, tea);
      await store.sessions.reset(key, "t5" as TurnId, nameless);
      assert.equal(await labelled(), undefined, "its name was taken away");
    });

    withStore("a session without a transcript has none", async (store) => {
      assert.equal(await store.transcripts.whole(key), undefined);
      await store.sessions.open(routeTo("a"));
      assert.equal(await store.transcripts.whole(key), undefined);
      assert.deepEqual(await store.transcripts.context(key, 5), { entries: [], cut: false });
      assert.deepEqual(await store.transcripts.lives(key), []);
    });
  });
}
