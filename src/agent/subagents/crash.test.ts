/** The process dies before and after every write of a subagent's life; the next one makes it whole: nothing lost, nothing twice. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  createWorld,
  type Death,
  group,
  groupKey,
  mainKey,
  openHouse,
  owner,
  type SubagentHouse,
  type World,
} from "../../../test/fakes/subagent-house.ts";
import type { TurnId } from "../../contracts/ids.ts";

interface Story {
  world(): World;
  /** Before anything can go wrong. */
  prepare(house: SubagentHouse): Promise<void>;
  /** What every process does, from wherever the last one got to. */
  play(house: SubagentHouse): Promise<void>;
  check(house: SubagentHouse, death: string): Promise<void>;
}

/** The number of deaths. */
async function dieEverywhere({ world: create, prepare, play, check }: Story): Promise<number> {
  for (let round = 0; ; round++) {
    const death: Death = { at: 1 + Math.floor(round / 2), when: round % 2 === 0 ? "before" : "after" };
    const world = create();
    const dir = await mkdtemp(join(tmpdir(), "mom-subagents-"));
    try {
      const first = await openHouse(world, dir);
      await prepare(first);
      await first.close();
      const mortal = await openHouse(world, dir, death);
      const isDead = await play(mortal).then(
        () => false,
        () => true,
      );
      const died = isDead || world.log.lines.some(({ fields }) => String(fields["error"]).includes("has died"));
      await mortal.close();
      await world.clock.advance(3600_000);
      const last = await openHouse(world, dir);
      await play(last);
      await check(last, died ? `${death.when} ${death.at}` : "no death");
      await last.close();
      if (!died) return round;
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

test("spawned, done, announced and put away: once each, whenever it dies", async () => {
  const deaths = await dieEverywhere({
    world() {
      const world = createWorld();
      world.config = { maxParallel: 1 };
      world.act = async ({ message }, scope, { room }) => {
        if (message.text !== "go") return;
        await room.spawn(scope, { task: "a", callId: "c1" });
        await room.spawn(scope, { task: "b", callId: "c2", cleanup: "delete" });
      };
      world.answer = ({ message: { text } }) => ({ outcome: "done", reply: `findings of ${text}` });
      return world;
    },
    prepare: async (house) => void (await house.post(owner.channel, "U1", "go")),
    play: (house) => house.settle(),
    async check({ store, room }, death) {
      const turns = await store.turns.list({ limit: 100 });
      assert.ok(
        turns.every(({ state }) => state === "done"),
        death,
      );
      const texts = turns.map(({ message }) => message.text.split("\n")[0] ?? "").sort();
      assert.equal(texts.length, 5, `${death}: ${texts.join(" | ")}`);
      assert.match(texts[0] ?? "", /^\[SUBAGENT \w+: done\] findings of [ab]$/, death);
      assert.match(texts[1] ?? "", /^\[SUBAGENT \w+: done\] findings of [ab]$/, death);
      assert.notEqual(texts[0]?.at(-1), texts[1]?.at(-1), death);
      assert.deepEqual(texts.slice(2), ["a", "b", "go"], death);
      const runs = await room.list();
      assert.deepEqual(
        runs.map(({ state, tokens }) => [state, tokens]),
        [
          ["done", 120],
          ["done", 120],
        ],
        death,
      );
      for (const { cleanup, sessionKey } of runs) {
        assert.equal((await store.sessions.get(sessionKey)) === undefined, cleanup === "delete", `${death} ${cleanup}`);
      }
      assert.ok(
        (await store.due.list("subagent")).every(({ dueAt }) => dueAt === undefined),
        death,
      );
    },
  });
  assert.ok(deaths > 20, `${deaths} deaths`);
});

test("stopped with the conversation: both end, and are told once, whenever it dies", async () => {
  const by = "t-stop" as TurnId;
  const deaths = await dieEverywhere({
    world() {
      const world = createWorld();
      world.config = { maxParallel: 1 };
      world.act = async ({ message }, scope, { room }) => {
        if (message.text !== "go") return;
        await room.spawn(scope, { task: "a", callId: "c1" });
        await room.spawn(scope, { task: "b", callId: "c2" });
      };
      world.answer = ({ message: { text } }) => (text === "go" ? { outcome: "done", reply: "ok" } : "hold");
      return world;
    },
    async prepare(house) {
      await house.post(owner.channel, "U1", "go");
      await house.settle();
    },
    async play(house) {
      await house.settle();
      assert.equal(await house.room.stopAllOf(mainKey, by), 2);
      await house.settle();
    },
    async check({ store, room, post }, death) {
      assert.deepEqual(
        (await room.list()).map(({ state }) => state),
        ["stopped", "stopped"],
        death,
      );
      assert.equal((await store.turns.list({ states: ["running", "queued", "received"], limit: 9 })).length, 0, death);
      await post(owner.channel, "U1", "and now?");
      const heard = await store.inbox.unseen(mainKey, owner.channel, Number.MAX_SAFE_INTEGER, 20);
      const told = heard.filter(({ text }) => text.startsWith("[SUBAGENT"));
      assert.equal(told.length, 2, death);
      assert.ok(
        (await store.due.list("subagent")).every(({ dueAt }) => dueAt === undefined),
        death,
      );
    },
  });
  assert.ok(deaths > 6, `${deaths} deaths`);
});

test("a word to another session and its answer: once each, whenever it dies", async () => {
  const deaths = await dieEverywhere({
    world() {
      const world = createWorld();
      world.act = async ({ message }, scope, { room }) => {
        if (message.text === "go") await room.door.send(scope, { to: groupKey, message: "well?", callId: "c1" });
      };
      world.answer = ({ route }) => ({ outcome: "done", reply: `from ${route.type}` });
      return world;
    },
    async prepare(house) {
      await house.finish((await house.speak(group.channel, "U2", "hi")).turn);
      await house.post(owner.channel, "U1", "go");
    },
    play: (house) => house.settle(),
    async check({ store }, death) {
      const turns = await store.turns.list({ limit: 100 });
      const heads = turns.map(({ message }) => message.text.split("]")[0]);
      assert.deepEqual(heads, ["hi", "go", `[FROM SESSION ${mainKey}`, `[SESSION ${groupKey} answers`], death);
      const posts = await store.outbox.list({ limit: 9 });
      assert.deepEqual(
        posts.map(({ body }) => body),
        [{ type: "text", text: "from main" }],
        death,
      );
    },
  });
  assert.ok(deaths > 5, `${deaths} deaths`);
});
