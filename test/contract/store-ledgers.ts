/** The contract of what is kept beside conversations: usage and budgets, standing orders, what people chose for a session. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { UsageRow } from "../../src/contracts/store.ts";
import { begin, createStoreTest, mustClaim, routeTo, type StoreHarness, usage } from "./store-scene.ts";

const route = routeTo("a");
const { sessionKey: key } = route;
const row = (more: Partial<UsageRow> = {}): UsageRow => ({
  sessionKey: key,
  agentId: "main",
  sender: "slack-acme:U1",
  model: "lab/m1",
  usage,
  ...more,
});
const order = { agentId: "main", text: "no mail", denyTools: ["mail"], denyRecipients: ["@boss"], by: "slack-acme:U1" };

export function storeLedgersContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store ledgers: ${name}`, () => {
    withStore("usage is booked with the step that caused it, for whoever asked, and adds up", async (store) => {
      const turn = await begin(store, "a1");
      const call = (model: string) => ({ model, usage });
      const calls = [call("lab/m1"), call("lab/m1"), call("lab/m3")];
      await store.turns.record(turn, { body: { type: "assistant" }, entries: [], usage: calls });
      await store.usage.record(row({ agentId: "other", sender: "x:U2", model: "lab/m2" }));
      const totals = async (by: Parameters<typeof store.usage.totals>[0]) =>
        (await store.usage.totals(by)).map((total) => [total.key, total.calls, total.input, total.cost]);
      const cost = [0.3, 0.6, 0.9].map((value) => Math.round(value * 1000) / 1000);
      const rounded = (list: (string | number)[][]) =>
        list.map(([id, n, input, spent]) => [id, n, input, Math.round(Number(spent) * 1000) / 1000]);
      assert.deepEqual(rounded(await totals("model")), [
        ["lab/m1", 2, 20, cost[1]],
        ["lab/m2", 1, 10, cost[0]],
        ["lab/m3", 1, 10, cost[0]],
      ]);
      assert.deepEqual(rounded(await totals("sender")), [
        ["slack-acme:U1", 3, 30, cost[2]],
        ["x:U2", 1, 10, cost[0]],
      ]);
      assert.deepEqual(rounded(await totals("agent")), [
        ["main", 3, 30, cost[2]],
        ["other", 1, 10, cost[0]],
      ]);
      assert.deepEqual(
        (await totals("session")).map(([id]) => id),
        [key],
      );
      assert.equal((await store.sessions.get(key))?.totalTokens, 60);
    });

    withStore("a step that is refused books nothing", async (store) => {
      const turn = await begin(store, "a1");
      await store.turns.release(turn);
      await mustClaim(store);
      const step = { body: { type: "assistant" } as const, entries: [], usage: [{ model: "lab/m1", usage }] };
      await assert.rejects(store.turns.record(turn, step), { code: "LEASE_LOST" });
      assert.deepEqual(await store.usage.totals("day"), []);
    });

    withStore(
      "what was spent is counted per day and month of the place, for all that is named",
      async (store, { clock }) => {
        const zone = process.env["TZ"];
        // Half past eleven in the evening of the 30th there, the 31st in UTC.
        process.env["TZ"] = "America/St_Johns";
        try {
          await clock.advance(Date.UTC(2026, 2, 31, 2) - clock.now());
          await store.usage.record(row());
          await clock.advance(3600_000);
          await store.usage.record(row({ sender: "x:U2", sessionKey: "s2" as SessionKey }));
          await store.usage.record(row({ agentId: "other" }));
          const days = (await store.usage.totals("day")).map((total) => [total.key, total.calls]);
          assert.deepEqual(days, [
            ["2026-03-30", 1],
            ["2026-03-31", 2],
          ]);
          assert.equal((await store.usage.totals("model", "2026-03-31"))[0]?.calls, 2);
          const tokens = async (who: Parameters<typeof store.usage.spent>[0]) => [
            (await store.usage.spent(who, "day")).tokens,
            (await store.usage.spent(who, "month")).tokens,
          ];
          assert.deepEqual(await tokens({ agentId: "main" }), [15, 30]);
          assert.deepEqual(await tokens({ sender: "slack-acme:U1" }), [15, 30]);
          assert.deepEqual(await tokens({ sender: "slack-acme:U1", agentId: "main" }), [0, 15]);
          assert.deepEqual(await tokens({ sessionKey: key }), [15, 30]);
          assert.deepEqual(await tokens({ sessionKey: key, agentId: "other", sender: "slack-acme:U1" }), [15, 15]);
          assert.deepEqual(await tokens({}), [30, 45]);
          await store.usage.record(row());
          assert.deepEqual(await tokens({ agentId: "main" }), [30, 45], "what comes later the same day counts at once");
          assert.ok(Math.abs((await store.usage.spent({ agentId: "main" }, "month")).cost - 0.9) < 1e-9);
          await clock.advance(24 * 3600_000);
          assert.deepEqual(await tokens({ agentId: "main" }), [0, 0], "a new month");
        } finally {
          if (zone === undefined) delete process.env["TZ"];
          else process.env["TZ"] = zone;
        }
      },
    );

    withStore(
      "a standing order is added once per command and kept in order, per agent",
      async (store, { open, clock }) => {
        const first = await store.standingOrders.add(order, "t1" as TurnId);
        assert.deepEqual(first, { ...order, id: "r1", createdAt: clock.now() });
        assert.deepEqual(await store.standingOrders.add({ ...order, text: "again" }, "t1" as TurnId), first);
        await store.standingOrders.add({ ...order, text: "second" }, "t2" as TurnId);
        await store.standingOrders.add({ ...order, agentId: "other" }, "t3" as TurnId);
        const again = await open();
        const texts = async (agentId: string) =>
          (await again.standingOrders.list(agentId)).map(({ id, text }) => `${id} ${text}`);
        assert.deepEqual(await texts("main"), ["r1 no mail", "r2 second"]);
        assert.deepEqual(await texts("other"), ["r1 no mail"]);
        assert.deepEqual(await texts("nobody"), []);
      },
    );

    withStore("an order that was withdrawn does not come back, and its number is not used again", async (store) => {
      await store.standingOrders.add(order, "t1" as TurnId);
      await store.standingOrders.add({ ...order, text: "second" }, "t2" as TurnId);
      assert.equal((await store.standingOrders.list("main")).length, 2);
      for (const id of ["r3", "2", "r0", "r2 ", "r-2"])
        assert.equal(await store.standingOrders.remove("main", id), false);
      assert.equal(await store.standingOrders.remove("other", "r2"), false);
      assert.equal(await store.standingOrders.remove("main", "r2"), true);
      assert.equal(await store.standingOrders.remove("main", "r2"), false);
      assert.deepEqual(
        (await store.standingOrders.list("main")).map(({ id }) => id),
        ["r1"],
      );
      await store.standingOrders.add({ ...order, text: "second" }, "t2" as TurnId);
      assert.deepEqual(
        (await store.standingOrders.list("main")).map(({ id }) => id),
        ["r1"],
        "a resumed command",
      );
      const third = await store.standingOrders.add(order, "t4" as TurnId);
      assert.equal(third.id, "r3");
    });

    withStore("who is given the orders cannot change them", async (store) => {
      await store.standingOrders.add(order, "t1" as TurnId);
      (await store.standingOrders.list("main")).pop();
      assert.equal((await store.standingOrders.list("main")).length, 1);
    });

    withStore(
      "what a person chose is kept, survives a reset, and goes back to the default",
      async (store, { open }) => {
        await store.sessions.open(route);
        const chosen = await store.sessions.choose(key, {
          label: "work",
          chosenModel: "fast",
          thinkingLevel: "high",
          queueMode: "collect",
          isQuiet: true,
        });
        const choicesOf = ({ label, chosenModel, thinkingLevel, queueMode, isQuiet }: typeof chosen) => ({
          label,
          chosenModel,
          thinkingLevel,
          queueMode,
          isQuiet,
        });
        const all = { label: "work", chosenModel: "fast", thinkingLevel: "high", queueMode: "collect", isQuiet: true };
        assert.deepEqual(choicesOf(chosen), all);
        assert.deepEqual(choicesOf(await store.sessions.choose(key, {})), all);
        await store.sessions.reset(key, "t1" as TurnId);
        const again = await open();
        const kept = await again.sessions.get(key);
        assert.ok(kept);
        assert.deepEqual(choicesOf(kept), { ...all, label: undefined }, "a label is the name of one life");
        await again.sessions.choose(key, { label: "play" });
        const back = await again.sessions.choose(key, { chosenModel: null, isQuiet: null, queueMode: null });
        assert.deepEqual(
          Object.keys(back).filter((name) => ["chosenModel", "isQuiet", "queueMode"].includes(name)),
          [],
        );
        assert.deepEqual([back.label, back.thinkingLevel], ["play", "high"]);
        await assert.rejects(again.sessions.choose("nope" as SessionKey, { label: "x" }), { code: "SESSION_UNKNOWN" });
      },
    );

    withStore("a session knows which model and key answered last", async (store) => {
      await store.sessions.open(route);
      const usedBy = async () => {
        const session = await store.sessions.get(key);
        return [session?.modelProvider, session?.model, session?.authProfile];
      };
      await store.sessions.noteModel(key, { provider: "lab", ref: "lab/m1", authProfile: "lab:one" });
      assert.deepEqual(await usedBy(), ["lab", "lab/m1", "lab:one"]);
      await store.sessions.noteModel(key, { provider: "lab", ref: "lab/m1", authProfile: "lab:two" });
      assert.deepEqual(await usedBy(), ["lab", "lab/m1", "lab:two"]);
      await store.sessions.noteModel(key, { provider: "mom", ref: "mom/offline" });
      assert.deepEqual(await usedBy(), ["mom", "mom/offline", undefined]);
    });
  });
}
