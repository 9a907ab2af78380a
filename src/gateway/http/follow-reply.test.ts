/** Where the feed says nothing: the record knows how the turn ended. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createGatewayHouse } from "../../../test/fakes/gateway-house.ts";
import { collect } from "../../../test/fakes/openai-stage.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { TurnFeed, TurnSign } from "../parts.ts";
import { GatewayFault } from "../protocol/index.ts";
import { followReply } from "./follow-reply.ts";

const usageOf = () => undefined;
/** Tells these, and then nothing more until it is told to end. */
const buildFeed = (...signs: TurnSign[]): TurnFeed => ({
  usageOf,
  async *follow(_turnId, signal) {
    yield* signs;
    if (!signal.aborted) await once(signal, "abort");
  },
});
const emptyFeed: TurnFeed = { usageOf, async *follow() {} };

const isNever = new AbortController().signal;
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

async function createScene(t: Parameters<typeof createGatewayHouse>[0]) {
  const clock = createFakeClock();
  const scene = await createGatewayHouse(t, { clock });
  const to = { type: "named" as const, agentId: "main", name: "user-a" };
  const say = async (messageId: string) => {
    const said = await scene.house.say({
      messageId,
      deviceName: "d",
      isAdmin: false,
      text: "Hello",
      attachments: [],
      to,
    });
    assert.ok(said.type === "accepted");
    return said.turnId;
  };
  return { ...scene, clock, say };
}

describe("a reply that the feed does not know", () => {
  test("is read from the record", async (t) => {
    const { house, clock, say, turns } = await createScene(t);
    const turnId = await say("1");
    const turn = await turns.next();
    await turn.aside("Working on it");
    await turn.end("One", { bodies: [{ type: "text", text: "two" }] });
    const signs = await collect(followReply({ house, feed: emptyFeed, clock }, turnId, isNever));
    assert.deepEqual(signs, [
      { type: "text", delta: "One\n\ntwo" },
      { type: "answered", reply: "One\n\ntwo", isCut: false, tokens: none },
    ]);
  });

  test("is waited for where the turn still runs", async (t) => {
    const { house, clock, say, turns } = await createScene(t);
    const turnId = await say("1");
    const following = collect(followReply({ house, feed: emptyFeed, clock }, turnId, isNever));
    const turn = await turns.next();
    await turn.end("Sorry", { outcome: "failed", error: "e" });
    assert.deepEqual(await following, [{ type: "failed", message: "Sorry" }]);
  });

  test("is that of the turn which took the message in", async (t) => {
    const { house, clock, say, turns } = await createScene(t);
    const first = await say("1");
    const second = await say("2");
    const turn = await turns.next();
    await house.store.turns.absorb(turn.turn, () => ({ body: { type: "note" }, entries: [] }));
    const feed: TurnFeed = {
      usageOf,
      async *follow(turnId) {
        if (turnId === second) yield { type: "end", state: "done" };
      },
    };
    const following = collect(followReply({ house, feed, clock }, second, isNever));
    await turn.end("Both");
    assert.deepEqual((await following).at(-1), { type: "answered", reply: "Both", isCut: false, tokens: none });
    assert.equal((await house.store.turns.get(second))?.mergedInto, first);
  });

  test("is found where the feed has missed the end", async (t) => {
    const { house, clock, say, turns } = await createScene(t);
    const turnId = await say("1");
    const feed = buildFeed({ type: "event", event: { type: "text_delta", delta: "Hel" } });
    const signs = followReply({ house, feed, clock }, turnId, isNever);
    assert.deepEqual((await signs.next()).value, { type: "text", delta: "Hel" });
    const rest = collect(signs);
    await (await turns.next()).end("Hello");
    await clock.advance(5_000);
    await clock.advance(5_000);
    assert.deepEqual(await rest, [
      { type: "text", delta: "lo" },
      { type: "answered", reply: "Hello", isCut: false, tokens: none },
    ]);
  });

  test("goes on from the record for who reads too slowly", async (t) => {
    const { house, clock, say, turns } = await createScene(t);
    const turnId = await say("1");
    const feed: TurnFeed = {
      usageOf,
      async *follow() {
        yield { type: "event", event: { type: "text_delta", delta: "Hel" } };
        throw new GatewayFault({ code: "UNAVAILABLE", message: "too slow" });
      },
    };
    await (await turns.next()).end("Hello");
    const signs = await collect(followReply({ house, feed, clock }, turnId, isNever));
    assert.equal(signs.map((sign) => (sign.type === "text" ? sign.delta : "")).join(""), "Hello");
  });

  test("of a turn that nobody knows has failed", async (t) => {
    const { house, clock } = await createScene(t);
    const signs = await collect(followReply({ house, feed: emptyFeed, clock }, "nobody" as TurnId, isNever));
    assert.deepEqual(signs, [{ type: "failed", message: "mom could not answer this." }]);
  });

  test("ends without a word when nobody listens any more", async (t) => {
    const { house, clock, say } = await createScene(t);
    const turnId = await say("1");
    const gone = new AbortController();
    const following = collect(followReply({ house, feed: buildFeed(), clock }, turnId, gone.signal));
    gone.abort();
    assert.deepEqual(await following, []);
    const waiting = new AbortController();
    const late = collect(followReply({ house, feed: emptyFeed, clock }, turnId, waiting.signal));
    waiting.abort();
    assert.deepEqual(await late, []);
  });
});
