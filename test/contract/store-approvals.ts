/** The contract of approvals: a question is answered once, an answer used once, and a rule kept once, whoever comes second. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AllowRule, NewApproval } from "../../src/contracts/approval.ts";
import type { ApprovalId, TurnId } from "../../src/contracts/ids.ts";
import { begin, chat, createStoreTest, routeTo, type StoreHarness } from "./store-scene.ts";

const listFiles: AllowRule = { program: "/usr/bin/ls", args: [{ type: "exact", text: "-l" }, { type: "path" }] };
const minute = 60_000;
const idOf = (text: string) => text as ApprovalId;

function buildAsked(nowMs: number, id = "k2m4p7", more: Partial<NewApproval> = {}): NewApproval {
  return {
    id: idOf(id),
    turnId: "t1" as TurnId,
    toolCallId: `call-${id}`,
    sessionKey: routeTo("a").sessionKey,
    agentId: "main",
    channel: chat,
    sender: "slack-acme:U1",
    subject: {
      tool: "bash",
      text: "ls -l notes\n# “ü” \u202e",
      exact: { argv: ["bash", "-c", "ls -l notes\n# “ü” \u202e"], cwd: "/data/workspace", env: { A: "b" } },
    },
    hash: "h1",
    reason: "programs are asked for here",
    rules: [listFiles],
    expiresAt: nowMs + 5 * minute,
    ...more,
  };
}

export function storeApprovalsContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store approvals: ${name}`, () => {
    withStore("a question is kept as it was asked, and survives a restart", async (store, { open, clock }) => {
      const asked = buildAsked(clock.now());
      const kept = { ...asked, state: "pending", createdAt: clock.now() };
      assert.deepEqual(await store.approvals.request(asked), kept);
      const again = await open();
      assert.deepEqual(await again.approvals.get(asked.id), kept);
      assert.deepEqual(await again.approvals.find(asked.turnId, asked.toolCallId), kept);
      assert.equal(await again.approvals.get(idOf("nobody")), undefined);
      assert.equal(await again.approvals.find(asked.turnId, "other"), undefined);
      assert.equal(await again.approvals.find("t2" as TurnId, asked.toolCallId), undefined);
    });

    withStore("one turn and call are one question, whatever has become of it", async (store, { clock, open }) => {
      const asked = buildAsked(clock.now());
      await store.approvals.request(asked);
      await store.approvals.answer(asked.id, "deny", "x:U9");
      await clock.advance(minute);
      const again = await open();
      const second = buildAsked(clock.now(), "zzzzzz", { toolCallId: asked.toolCallId, hash: "h2" });
      const { id, hash, state, expiresAt } = await again.approvals.request(second);
      assert.deepEqual([id, hash, state, expiresAt], [asked.id, "h1", "denied", asked.expiresAt]);
      assert.equal(await again.approvals.get(second.id), undefined);
    });

    withStore("the first answer counts, in a race too; later ones learn what it was", async (store, { clock }) => {
      const asked = buildAsked(clock.now());
      await store.approvals.request(asked);
      await clock.advance(minute);
      const results = await Promise.all([
        store.approvals.answer(asked.id, "once", "x:U1"),
        store.approvals.answer(asked.id, "deny", "x:U2"),
        store.approvals.answer(asked.id, "always", "x:U3"),
      ]);
      assert.deepEqual(
        results.map(({ type }) => type),
        ["answered", "late", "late"],
      );
      for (const result of results) {
        assert.ok(result.type !== "unknown");
        const { state, answeredBy, answeredAt } = result.approval;
        assert.deepEqual([state, answeredBy, answeredAt], ["allowed", "x:U1", clock.now()]);
      }
      assert.deepEqual(await store.approvals.rules("main"), [], "an `always` that came too late keeps nothing");
      assert.deepEqual(await store.approvals.answer(idOf("nobody"), "once", "x:U1"), { type: "unknown" });
    });

    withStore("a question whose time is over is expired for good", async (store, { clock, open }) => {
      const asked = buildAsked(clock.now());
      await store.approvals.request(asked);
      await clock.advance(5 * minute - 1);
      assert.equal((await store.approvals.get(asked.id))?.state, "pending");
      await clock.advance(1);
      const late = await store.approvals.answer(asked.id, "always", "x:U1");
      assert.deepEqual([late.type, late.type === "late" && late.approval.state], ["late", "expired"]);
      assert.equal(await store.approvals.use(asked.id, "h1"), false);
      assert.deepEqual(await store.approvals.rules("main"), []);
      await clock.advance(-minute);
      const again = await open();
      assert.equal((await again.approvals.get(asked.id))?.state, "expired", "also when the clock is set back");
      assert.equal((await again.approvals.answer(asked.id, "once", "x:U1")).type, "late");
    });

    withStore(
      "an allowed call is let through exactly once, and only with its very hash",
      async (store, { clock, open }) => {
        const asked = buildAsked(clock.now());
        await store.approvals.request(asked);
        assert.equal(await store.approvals.use(asked.id, "h1"), false, "not before it is allowed");
        await store.approvals.answer(asked.id, "once", "x:U1");
        assert.equal(await store.approvals.use(asked.id, "h2"), false);
        const uses = await Promise.all([1, 2, 3].map(() => store.approvals.use(asked.id, "h1")));
        assert.deepEqual(uses, [true, false, false]);
        const again = await open();
        assert.equal((await again.approvals.get(asked.id))?.state, "used");
        assert.equal(await again.approvals.use(asked.id, "h1"), false);
        assert.equal((await again.approvals.answer(asked.id, "once", "x:U1")).type, "late");
      },
    );

    withStore(
      "an answer outlives the time that was given for it, a refusal lets nothing through",
      async (store, harness) => {
        const { clock } = harness;
        await store.approvals.request(buildAsked(clock.now(), "yes222"));
        await store.approvals.request(buildAsked(clock.now(), "noo222"));
        await store.approvals.answer(idOf("yes222"), "once", "x:U1");
        await store.approvals.answer(idOf("noo222"), "deny", "x:U1");
        await clock.advance(60 * minute);
        assert.equal(await store.approvals.use(idOf("yes222"), "h1"), true);
        assert.equal(await store.approvals.use(idOf("noo222"), "h1"), false);
        assert.equal((await store.approvals.get(idOf("noo222")))?.state, "denied");
      },
    );

    withStore("questions are listed newest first, by state as it is now", async (store, { clock }) => {
      for (const id of ["aaa222", "bbb222", "ccc222", "ddd222"]) {
        await store.approvals.request(buildAsked(clock.now(), id));
        await clock.advance(minute);
      }
      await store.approvals.answer(idOf("ccc222"), "once", "x:U1");
      const ids = async (...[filter]: Parameters<typeof store.approvals.list>) =>
        (await store.approvals.list(filter)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 9 }), ["ddd222", "ccc222", "bbb222", "aaa222"]);
      assert.deepEqual(await ids({ limit: 2 }), ["ddd222", "ccc222"]);
      await clock.advance(minute);
      assert.deepEqual(await ids({ states: ["pending"], limit: 9 }), ["ddd222", "bbb222"]);
      assert.deepEqual(await ids({ states: ["expired", "allowed"], limit: 9 }), ["ccc222", "aaa222"]);
    });

    withStore("`always` keeps its rules for that agent, once", async (store, { clock, open }) => {
      const other: AllowRule = { program: "/usr/bin/wc", args: [] };
      await store.approvals.request(buildAsked(clock.now(), "aaa222", { rules: [listFiles, other] }));
      await store.approvals.answer(idOf("aaa222"), "always", "x:U1");
      await store.approvals.request(buildAsked(clock.now(), "bbb222"));
      await store.approvals.answer(idOf("bbb222"), "always", "x:U2");
      await store.approvals.request(buildAsked(clock.now(), "ccc222", { agentId: "other" }));
      await store.approvals.answer(idOf("ccc222"), "once", "x:U2");
      const again = await open();
      const createdAt = clock.now();
      assert.deepEqual(await again.approvals.rules("main"), [
        { ...listFiles, id: "a1", agentId: "main", by: "x:U1", createdAt },
        { ...other, id: "a2", agentId: "main", by: "x:U1", createdAt },
      ]);
      assert.deepEqual(await again.approvals.rules("other"), []);
    });

    withStore("a rule that is there stays as it is; one that was taken away leaves its id unused", async (store) => {
      const first = await store.approvals.addRule("main", listFiles, "x:U1");
      assert.deepEqual(await store.approvals.addRule("main", listFiles, "x:U2"), first);
      const second = await store.approvals.addRule("main", { ...listFiles, args: [] }, "x:U2");
      assert.deepEqual([first.id, second.id], ["a1", "a2"]);
      for (const id of ["a3", "1", "a0", "a2 ", "A2", "a-2"])
        assert.equal(await store.approvals.removeRule("main", id), false, id);
      assert.equal(await store.approvals.removeRule("other", "a2"), false);
      assert.equal(await store.approvals.removeRule("main", "a2"), true);
      assert.equal(await store.approvals.removeRule("main", "a2"), false);
      assert.equal((await store.approvals.addRule("main", { ...listFiles, args: [] }, "x:U2")).id, "a3");
      assert.deepEqual(
        (await store.approvals.rules("main")).map(({ id }) => id),
        ["a1", "a3"],
      );
    });

    withStore(
      "old questions go with the rest; those that a turn may come back to, and rules, stay",
      async (store, { clock }) => {
        const turn = await begin(store, "m1");
        await store.approvals.request(buildAsked(clock.now(), "old222"));
        await store.approvals.request(buildAsked(clock.now(), "run222", { turnId: turn.id }));
        await store.approvals.answer(idOf("run222"), "always", "x:U1");
        await clock.advance(60 * minute);
        const since = clock.now();
        await store.approvals.request(buildAsked(clock.now(), "new222"));
        assert.equal(await store.prune(since), 1);
        const left = await store.approvals.list({ limit: 9 });
        assert.deepEqual(
          left.map(({ id }) => id),
          ["new222", "run222"],
        );
        assert.equal((await store.approvals.rules("main")).length, 1);
      },
    );
  });
}
