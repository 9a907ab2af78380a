/** The contract of the `Store` port. Every implementation passes it; nothing here knows how one is built. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { ChannelMessage } from "../../src/contracts/message.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { Verdict } from "../../src/contracts/store.ts";
import type { ClaimedTurn } from "../../src/contracts/turn.ts";
import {
  begin,
  buildMessage,
  buildPost,
  chat,
  createStoreTest,
  give,
  mustClaim,
  routeTo,
  type StoreHarness,
  spoken,
  turnFor,
  userStep,
} from "./store-scene.ts";

export function storeContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);
  describe(`store contract: ${name}`, () => {
    withStore("a message is taken once, whenever and however often it comes", async (store, { open }) => {
      const first = await give(store, "m1");
      assert.equal(first.type, "accepted");
      assert.deepEqual(await give(store, "m1"), { type: "duplicate" });
      const again = await open();
      assert.deepEqual(await give(again, "m1"), { type: "duplicate" });
      assert.equal((await again.turns.list({ limit: 10 })).length, 1);
    });

    withStore("the same id in another channel or adapter is another message", async (store) => {
      await give(store, "m1");
      const message = { ...buildMessage("m1"), channelId: "C2" };
      const verdict = turnFor("b");
      assert.equal((await store.inbox.accept({ adapter: chat.adapter, message, verdict })).type, "accepted");
      assert.equal((await store.inbox.accept({ adapter: "other", message, verdict })).type, "accepted");
    });

    withStore("one lane runs one turn at a time, in order; other lanes run beside it", async (store) => {
      await give(store, "a1");
      await give(store, "a2");
      await give(store, "b1", turnFor("b"));
      const first = await mustClaim(store);
      assert.equal(first.message.id, "a1");
      assert.equal((await mustClaim(store)).message.id, "b1");
      assert.equal(await store.turns.claim(1000, [chat.adapter]), undefined);
      await store.turns.finish(first, { outcome: "done", deliveries: [] });
      assert.equal((await mustClaim(store)).message.id, "a2");
    });

    withStore("a turn whose owner died is claimed again with its steps, before new ones", async (store, { open }) => {
      await give(store, "a1");
      await give(store, "b1", turnFor("b"));
      const turn = await mustClaim(store);
      await store.turns.record(turn, userStep("hello"));
      const again = await open();
      const resumed = await mustClaim(again);
      assert.equal(resumed.id, turn.id);
      assert.equal(resumed.attempt, 2);
      const steps = await again.turns.steps(resumed);
      assert.deepEqual(
        steps.map((step) => step.body.type),
        ["input"],
      );
      assert.equal((await again.transcripts.context(turn.route.sessionKey, 10)).entries.length, 1);
    });

    withStore("whoever lost a turn cannot write any more", async (store) => {
      await give(store, "a1");
      const old = await mustClaim(store);
      assert.equal(await store.turns.renew(old, 60_000), true);
      await store.turns.release(old);
      const taken = await mustClaim(store);
      assert.equal(taken.id, old.id);
      assert.equal(await store.turns.renew(old, 60_000), false);
      await assert.rejects(store.turns.record(old, userStep("late")), { code: "LEASE_LOST" });
      await assert.rejects(store.turns.finish(old, { outcome: "done", deliveries: [] }), { code: "LEASE_LOST" });
      await store.turns.record(taken, userStep("mine"));
    });

    withStore("a turn given back is claimed again, and that is no crash", async (store, { open }) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      await store.turns.release(turn);
      const again = await mustClaim(store);
      assert.deepEqual([again.id, again.attempt, again.crashes], [turn.id, 2, 0]);
      const later = await open();
      assert.equal((await mustClaim(later)).crashes, 1);
    });

    withStore("a clock that jumps gives nobody their own work a second time", async (store, { clock }) => {
      await give(store, "a1");
      await mustClaim(store);
      await store.outbox.post([buildPost("x")]);
      assert.ok(await store.outbox.claim([chat.adapter], 1000));
      await clock.advance(24 * 3600_000);
      assert.equal(await store.turns.claim(1000, [chat.adapter]), undefined);
      assert.equal(await store.outbox.claim([chat.adapter], 1000), undefined);
    });

    withStore("turns of adapters that are not running wait", async (store) => {
      await give(store, "a1");
      assert.equal(await store.turns.claim(1000, ["other"]), undefined);
      assert.equal((await mustClaim(store)).message.id, "a1");
    });

    withStore("a finished turn delivers its posts in order and is done with the last receipt", async (store) => {
      const accepted = await give(store, "a1");
      const turn = await mustClaim(store);
      const deliveries = [0, 1].map((n) => ({ ...buildPost(turn.id, n), turnId: turn.id }));
      await store.turns.finish(turn, { outcome: "done", deliveries });
      assert.equal((await store.turns.get(turn.id))?.state, "delivering");
      const first = await store.outbox.claim([chat.adapter], 1000);
      assert.ok(first);
      assert.equal(first.id, deliveries[0]?.id);
      assert.equal(first.uncertain, false);
      assert.equal(await store.outbox.claim([chat.adapter], 1000), undefined, "one at a time per chat");
      await store.outbox.settle(first, { type: "sent", messageId: "P1" });
      const second = await store.outbox.claim([chat.adapter], 1000);
      assert.ok(second);
      await store.outbox.settle(second, { type: "sent", messageId: "P2" });
      assert.equal((await store.turns.get(turn.id))?.state, "done");
      const lines = await store.channels.tail(chat, 10);
      assert.deepEqual(
        lines.map((line) => line.id),
        ["a1", "P1", "P2"],
      );
      assert.equal(accepted.type, "accepted");
    });

    withStore("a post that can never go out fails its turn", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      const deliveries = [{ ...buildPost(turn.id), turnId: turn.id }];
      await store.turns.finish(turn, { outcome: "done", deliveries });
      const post = await store.outbox.claim([chat.adapter], 1000);
      assert.ok(post);
      await store.outbox.settle(post, { type: "failed", error: "channel is gone" });
      assert.equal((await store.turns.get(turn.id))?.state, "failed");
    });

    withStore("a post whose call was cut off comes back as uncertain", async (store, { open }) => {
      await store.outbox.post([buildPost("x")]);
      assert.ok(await store.outbox.claim([chat.adapter], 60_000));
      const again = await open();
      const post = await again.outbox.claim([chat.adapter], 60_000);
      assert.equal(post?.uncertain, true);
      assert.equal(post?.attempts, 2);
      assert.ok(post);
      await again.outbox.noteRepeat(post);
      assert.equal((await again.outbox.list({ limit: 5 }))[0]?.repeats, 1);
    });

    withStore("a retry waits until it is due and keeps its chat in order, not others", async (store, { clock }) => {
      const elsewhere = { adapter: chat.adapter, channelId: "C2" };
      await store.outbox.post([buildPost("x", 0), buildPost("x", 1), buildPost("y", 0, elsewhere)]);
      const first = await store.outbox.claim([chat.adapter], 1000);
      assert.ok(first);
      const dueAt = clock.now() + 5000;
      await store.outbox.settle(first, { type: "retry", dueAt, error: "429", uncertain: false });
      const other = await store.outbox.claim([chat.adapter], 1000);
      assert.equal(other?.channel.channelId, "C2");
      assert.equal(await store.outbox.claim([chat.adapter], 1000), undefined);
      await clock.advance(5000);
      assert.equal((await store.outbox.claim([chat.adapter], 1000))?.id, first.id);
    });

    withStore("posts of adapters that are not running stay; the same id is posted once", async (store, { clock }) => {
      await store.outbox.post([buildPost("x"), buildPost("x")]);
      assert.equal(await store.outbox.claim(["other"], 1000), undefined);
      assert.equal((await store.outbox.list({ limit: 10 })).length, 1);
      assert.equal(await store.outbox.nextDueAt(clock.now() - 1), clock.now());
      assert.equal(await store.outbox.nextDueAt(clock.now()), undefined);
    });

    withStore("a stop ends what runs and what waits, in the same step as the command", async (store, { open }) => {
      await give(store, "a1");
      await give(store, "a2");
      await give(store, "b1", turnFor("b"));
      const running = await mustClaim(store);
      const route = routeTo("a");
      const verdict: Verdict = { type: "turn", kind: "command", lane: "control", route, stops: route.sessionKey };
      const stop = await give(store, "stop", verdict);
      assert.deepEqual(stop.type === "accepted" && stop.stopped, [running.id]);
      const again = await open();
      const resumed = await mustClaim(again);
      assert.equal(resumed.id, running.id);
      assert.equal(resumed.stopRequested, true);
      const states = Object.fromEntries((await again.turns.list({ limit: 9 })).map((t) => [t.message.id, t.state]));
      assert.equal(states["a2"], "stopped");
      assert.equal(states["b1"], "queued", "another session goes on");
      const command = (await again.turns.list({ limit: 9 })).find((turn) => turn.message.id === "stop");
      assert.deepEqual(command?.stopped, { running: 1, waiting: 1 });
    });

    withStore("a stop ends a command on the session's own lane, and none beside it", async (store, { open }) => {
      const route = routeTo("a");
      const own: Verdict = { type: "turn", kind: "command", lane: route.sessionKey, route };
      const beside: Verdict = { ...own, lane: `${route.sessionKey}#beside` };
      await give(store, "compact", own);
      await give(store, "status", beside);
      await give(store, "new", own);
      const compact = await mustClaim(store);
      const status = await mustClaim(store);
      const accepted = await give(store, "stop", { ...beside, stops: route.sessionKey });
      assert.deepEqual(accepted.type === "accepted" && accepted.stopped, [compact.id]);
      const stop = (await store.turns.list({ limit: 9 })).find((turn) => turn.message.id === "stop");
      assert.deepEqual(stop?.stopped, { running: 1, waiting: 0 });
      const end = (turn: ClaimedTurn) => ({
        outcome: "done" as const,
        deliveries: [{ ...buildPost(turn.id), turnId: turn.id }],
      });
      await store.turns.finish(status, end(status));
      const again = await open();
      const resumed = await mustClaim(again);
      assert.deepEqual([resumed.id, resumed.stopRequested], [compact.id, true]);
      await again.turns.finish(resumed, end(resumed));
      assert.equal((await again.turns.get(compact.id))?.state, "stopped");
      const posts = await again.outbox.list({ limit: 9 });
      assert.deepEqual(
        posts.map((post) => post.turnId),
        [status.id],
      );
      assert.deepEqual(await again.turns.requestStop(route.sessionKey), { running: [], waiting: 0 });
      assert.equal((await mustClaim(again)).message.id, "new", "a command that waits is not lost");
    });

    withStore("waiting messages are taken into a running turn together with their step", async (store, { open }) => {
      await give(store, "a1");
      await give(store, "a2");
      await give(store, "a3");
      const turn = await mustClaim(store);
      const taken = await store.turns.absorb(turn, (messages) => userStep(messages.map((m) => m.id).join("+")));
      assert.deepEqual(
        taken.map((message) => message.id),
        ["a2", "a3"],
      );
      assert.deepEqual(await store.turns.absorb(turn, () => assert.fail("nobody waits")), []);
      const again = await open();
      const resumed = await mustClaim(again);
      assert.equal(spoken((await again.turns.steps(resumed))[0]?.entries[0]), "a2+a3");
      const merged = (await again.turns.list({ limit: 9 })).filter((t) => t.mergedInto === turn.id);
      assert.deepEqual(
        merged.map((t) => t.state),
        ["done", "done"],
      );
    });

    withStore("only what the same person says in the same chat is taken in, up to the next command", async (store) => {
      const from = (id: string, more: Partial<ChannelMessage>, kind: "agent" | "command" = "agent") => {
        const message = { ...buildMessage(id), ...more };
        const verdict: Verdict = { type: "turn", kind, lane: "a", route: routeTo("a") };
        return store.inbox.accept({ adapter: chat.adapter, message, verdict });
      };
      const absorbed = async (turn: ClaimedTurn) =>
        (await store.turns.absorb(turn, (messages) => userStep(messages.map((m) => m.id).join()))).map((m) => m.id);
      await from("a1", {});
      const turn = await mustClaim(store);
      await from("elsewhere", { channelId: "C2" });
      await from("after", {});
      assert.deepEqual(await absorbed(turn), []);
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      const second = await mustClaim(store);
      assert.equal(second.message.id, "elsewhere");
      await store.turns.finish(second, { outcome: "done", deliveries: [] });
      const third = await mustClaim(store);
      await from("b1", {});
      await from("new", {}, "command");
      await from("b2", {});
      await from("other", { sender: { id: "U2", username: "bob", isBot: false } });
      assert.deepEqual(await absorbed(third), ["b1"]);
    });

    withStore("what is made of text from outside has a turn of its own", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      await give(store, "a2");
      const message = { ...buildMessage("reminder"), metadata: { outside: "a page" } };
      await store.inbox.accept({ adapter: chat.adapter, message, verdict: turnFor("a") });
      const taken = await store.turns.absorb(turn, (messages) => userStep(messages.map((m) => m.id).join()));
      assert.deepEqual(
        taken.map(({ id }) => id),
        ["a2"],
      );
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      assert.deepEqual((await mustClaim(store)).message.metadata, { outside: "a page" });
    });

    withStore(
      "an interruption ends the person's own running turn, in the same step; what waits stays",
      async (store, { open }) => {
        await give(store, "a1");
        const running = await mustClaim(store);
        await give(store, "a2");
        const interrupting: Verdict = { ...turnFor("a"), interrupts: true };
        const accepted = await give(store, "a3", interrupting);
        assert.deepEqual(accepted.type === "accepted" && accepted.stopped, [running.id]);
        const again = await open();
        const resumed = await mustClaim(again);
        assert.deepEqual([resumed.id, resumed.stopRequested], [running.id, true]);
        await again.turns.finish(resumed, { outcome: "done", deliveries: [] });
        const states = (await again.turns.list({ limit: 9 })).map((turn) => [turn.message.id, turn.state]);
        assert.deepEqual(states, [
          ["a1", "stopped"],
          ["a2", "queued"],
          ["a3", "queued"],
        ]);
      },
    );

    withStore("nobody interrupts another person, another chat, another lane or a command", async (store) => {
      const interrupting: Verdict = { ...turnFor("a"), interrupts: true };
      const interrupt = async (id: string, more: Partial<ChannelMessage>, verdict: Verdict, adapter = chat.adapter) => {
        const message = { ...buildMessage(id), ...more };
        const accepted = await store.inbox.accept({ adapter, message, verdict });
        return accepted.type === "accepted" && accepted.stopped;
      };
      assert.deepEqual(await interrupt("first", {}, interrupting), [], "nothing runs");
      const running = await mustClaim(store);
      const bob = { id: "U2", username: "bob", isBot: false };
      assert.deepEqual(await interrupt("bob", { sender: bob }, interrupting), []);
      assert.deepEqual(await interrupt("elsewhere", { channelId: "C2" }, interrupting), []);
      assert.deepEqual(await interrupt("other", {}, interrupting, "other"), []);
      assert.deepEqual(await interrupt("lane", {}, { ...turnFor("b"), interrupts: true }), []);
      assert.equal((await store.turns.get(running.id))?.stopRequested, false);
      const route = routeTo("c");
      await give(store, "command", { type: "turn", kind: "command", lane: "c", route });
      while ((await store.turns.claim(60_000, [chat.adapter])) !== undefined);
      assert.deepEqual(await interrupt("late", {}, { ...turnFor("c"), interrupts: true }), []);
    });

    withStore("a stop that comes before the end is written still counts", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      await store.turns.requestStop(turn.route.sessionKey);
      const deliveries = [{ ...buildPost(turn.id), turnId: turn.id }];
      await store.turns.finish(turn, { outcome: "done", deliveries });
      assert.equal((await store.turns.get(turn.id))?.state, "stopped");
      assert.deepEqual(await store.outbox.list({ limit: 5 }), []);
    });

    withStore("a turn is not over while a file that one of its tools sent is on its way", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      await store.outbox.post([{ ...buildPost("call"), turnId: turn.id }]);
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      assert.equal((await store.turns.get(turn.id))?.state, "delivering");
      const post = await store.outbox.claim([chat.adapter], 1000);
      assert.ok(post);
      await store.outbox.settle(post, { type: "sent", messageId: "P" });
      assert.equal((await store.turns.get(turn.id))?.state, "done");
    });

    withStore("sessions that were opened in one chat keep their transcripts apart", async (store) => {
      const say = async (id: string, type: "main" | "dm") => {
        const route: SessionRoute = {
          sessionKey: `agent:main:${type}` as SessionKey,
          type,
          agentId: "main",
          channel: chat,
        };
        const verdict: Verdict = { type: "turn", kind: "agent", lane: id, route };
        await store.inbox.accept({ adapter: chat.adapter, message: buildMessage(id), verdict });
        const turn = await mustClaim(store);
        await store.turns.record(turn, userStep(id));
        await store.turns.finish(turn, { outcome: "done", deliveries: [] });
        return (await store.transcripts.context(route.sessionKey, 9)).entries.map(spoken);
      };
      await say("m1", "main");
      await say("d1", "dm");
      assert.deepEqual(await say("m2", "main"), ["m1", "m2"]);
      assert.deepEqual(await say("d2", "dm"), ["d1", "d2"]);
    });

    withStore("what was heard and not shown yet is given once per session", async (store) => {
      await give(store, "h1", { type: "heard" });
      await give(store, "h2", { type: "heard" });
      await give(store, "no", { type: "refused", reason: "stranger" });
      await give(store, "a1");
      const turn = await mustClaim(store);
      const unseen = await store.inbox.unseen(turn.route.sessionKey, chat, turn.seq, 10);
      assert.deepEqual(
        unseen.map((line) => line.id),
        ["h1", "h2"],
      );
      const newest = await store.inbox.unseen(turn.route.sessionKey, chat, turn.seq, 1);
      assert.equal(newest[0]?.id, "h2");
      await store.turns.record(turn, userStep("folded", turn.seq));
      assert.deepEqual(await store.inbox.unseen(turn.route.sessionKey, chat, turn.seq + 1, 10), []);
      const refused = (await store.channels.tail(chat, 10)).find((line) => line.id === "no");
      assert.equal(refused?.refused, "stranger");
    });

    withStore("an edit and a deletion say what they are about, in the log and to the session", async (store) => {
      const change = async (id: string, type: "edit" | "delete", text: string) => {
        const message = { ...buildMessage(id, text), isMention: false, change: { type, ref: "m1" } };
        await store.inbox.accept({ adapter: chat.adapter, message, verdict: { type: "heard" } });
      };
      await give(store, "m1", { type: "heard" });
      await change("m1:edit:1", "edit", "better");
      await change("m1:delete", "delete", "");
      const expected = ["undefined undefined text of m1", "edit m1 better", "delete m1 "];
      const logged = await store.channels.tail(chat, 10);
      assert.deepEqual(
        logged.map(({ event, ref, text }) => `${event} ${ref} ${text}`),
        expected,
      );
      assert.deepEqual(await store.inbox.unseen(routeTo("a").sessionKey, chat, 99, 10), logged);
    });

    withStore("a reset gives a new life once per command and keeps other sessions", async (store) => {
      const route = routeTo("a");
      const before = await store.sessions.open(route);
      const by = "t1" as TurnId;
      const after = await store.sessions.reset(route.sessionKey, by);
      assert.notEqual(after.sessionId, before.sessionId);
      assert.equal((await store.sessions.reset(route.sessionKey, by)).sessionId, after.sessionId);
      await assert.rejects(store.sessions.reset("nope" as SessionKey, by), { code: "SESSION_UNKNOWN" });
    });

    withStore(
      "a session was last used when its last agent turn ended; commands are no use",
      async (store, { clock }) => {
        const route = routeTo("a");
        const usedAt = async () => (await store.sessions.get(route.sessionKey))?.updatedAt;
        const opened = (await store.sessions.open(route)).updatedAt;
        for (const outcome of ["done", "failed", "stopped"] as const) {
          await give(store, outcome);
          const turn = await mustClaim(store);
          await clock.advance(1000);
          await store.turns.finish(turn, { outcome, deliveries: [] });
          assert.equal(await usedAt(), clock.now());
        }
        const last = await usedAt();
        assert.notEqual(last, opened);
        await give(store, "command", { ...turnFor("a"), kind: "command" });
        const command = await mustClaim(store);
        await clock.advance(1000);
        await store.turns.finish(command, { outcome: "done", deliveries: [] });
        assert.equal(await usedAt(), last);
        await give(store, "lost");
        const lost = await mustClaim(store);
        await store.turns.release(lost);
        await assert.rejects(store.turns.finish({ ...lost, token: 0 }, { outcome: "done", deliveries: [] }));
        assert.equal(await usedAt(), last, "who has lost the turn has no say");
      },
    );

    withStore("after a reset the transcript is empty and goes on in the new life", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      await store.turns.record(turn, userStep("old life"));
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      await store.sessions.reset(turn.route.sessionKey, turn.id);
      assert.deepEqual(await store.transcripts.context(turn.route.sessionKey, 10), { entries: [], cut: false });
      await give(store, "a2");
      const next = await mustClaim(store);
      await store.turns.record(next, userStep("new life"));
      const { entries } = await store.transcripts.context(turn.route.sessionKey, 10);
      assert.equal(spoken(entries[0]), "new life");
      assert.equal(entries[0]?.parentId, null);
    });

    withStore("a context has the newest entries and says when there are more", async (store) => {
      await give(store, "a1");
      const turn = await mustClaim(store);
      for (let n = 0; n < 12; n++) await store.turns.record(turn, userStep(`line ${n}`));
      const { entries, cut } = await store.transcripts.context(turn.route.sessionKey, 5);
      assert.deepEqual(
        entries.map(spoken),
        [7, 8, 9, 10, 11].map((n) => `line ${n}`),
      );
      assert.equal(cut, true);
      const ids = new Set(entries.map((entry) => entry.id));
      assert.ok(entries.slice(1).every((entry) => entry.parentId !== null && ids.has(entry.parentId)));
    });

    withStore("the end of a turn and the letters that it starts are one step", async (store, { open }) => {
      const letter = (id: string, verdict: Verdict = turnFor("b")) => ({
        adapter: chat.adapter,
        message: buildMessage(id),
        verdict,
      });
      await give(store, "a1");
      const turn = await mustClaim(store);
      await store.turns.release(turn);
      const taken = await mustClaim(store);
      const lost = store.turns.finish(turn, { outcome: "done", deliveries: [], letters: [letter("never")] });
      await assert.rejects(lost, { code: "LEASE_LOST" });
      const letters = [letter("found"), letter("found"), letter("heard", { type: "heard" })];
      await store.turns.finish(taken, { outcome: "done", deliveries: [], letters });
      const again = await open();
      assert.deepEqual(
        (await again.turns.list({ limit: 9 })).map(({ message, state }) => [message.id, state]),
        [
          ["a1", "done"],
          ["found", "received"],
        ],
      );
      assert.deepEqual(
        (await again.channels.tail(chat, 9)).map(({ id }) => id),
        ["a1", "found", "heard"],
      );
    });

    withStore("a turn that was stopped posts nothing, but what its end starts elsewhere is not lost", async (store) => {
      const turn = await begin(store, "a1");
      await store.turns.requestStop(turn.route.sessionKey);
      const found = { adapter: chat.adapter, message: buildMessage("found"), verdict: turnFor("b") };
      const deliveries = [{ ...buildPost(turn.id), turnId: turn.id }];
      await store.turns.finish(turn, { outcome: "done", deliveries, letters: [found] });
      assert.deepEqual(await store.outbox.list({ limit: 5 }), []);
      assert.equal((await mustClaim(store)).message.id, "found");
    });

    withStore("a letter at the end of a turn that stops its session does not stop that turn", async (store) => {
      const turn = await begin(store, "a1");
      await give(store, "a2");
      const verdict: Verdict = { ...turnFor("c"), kind: "command", stops: turn.route.sessionKey };
      const letters = [{ adapter: chat.adapter, message: buildMessage("stop"), verdict }];
      await store.turns.finish(turn, { outcome: "done", deliveries: [], letters });
      const states = (await store.turns.list({ limit: 9 })).map(({ message, state }) => [message.id, state]);
      assert.deepEqual(states, [
        ["a1", "done"],
        ["a2", "stopped"],
        ["stop", "received"],
      ]);
    });

    withStore("small facts survive", async (store, { open }) => {
      await store.kv.set("cursor", "slack", { ts: "1.2" });
      const again = await open();
      assert.deepEqual(await again.kv.get("cursor", "slack"), { ts: "1.2" });
      await again.kv.delete("cursor", "slack");
      assert.equal(await again.kv.get("cursor", "slack"), undefined);
    });

    withStore("small facts of one scope are cleared together, and no others", async (store, { open }) => {
      for (const [scope, key] of [
        ["channel:a", "cursor"],
        ["channel:a", "posts"],
        ["channel:ab", "cursor"],
      ] as const)
        await store.kv.set(scope, key, `${scope} ${key}`);
      await store.kv.clear("channel:a");
      await store.kv.clear("channel:a");
      const again = await open();
      assert.equal(await again.kv.get("channel:a", "cursor"), undefined);
      assert.equal(await again.kv.get("channel:a", "posts"), undefined);
      assert.equal(await again.kv.get("channel:ab", "cursor"), "channel:ab cursor");
    });

    withStore("ids from a platform stay inside their folder and apart from each other", async (store) => {
      const ids = [
        "../../etc",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "C1",
        "c1",
        "a~2fb",
        "\u0000",
        "x".repeat(500),
        "ä",
        "con",
      ];
      const folders = ids.map((channelId) => store.channels.folder({ adapter: "slack", channelId }));
      assert.equal(new Set(folders).size, ids.length);
      for (const folder of folders) {
        assert.match(folder, /^channels\/slack\/[^/\\]+$/);
        assert.ok(!folder.endsWith("/..") && !folder.endsWith("/."));
      }
    });

    withStore("attachments are capped, safely named and whole", async (store) => {
      const data = async function* () {
        yield new Uint8Array(10);
        yield new Uint8Array(10);
      };
      const saved = await store.channels.saveAttachment(chat, {
        filename: "../../x y.png",
        data: data(),
        maxBytes: 20,
      });
      assert.match(saved.localPath, /^channels\/slack-acme\/C1\/attachments\/[\w.-]+\.png$/);
      assert.equal(saved.size, 20);
      const tooLarge = store.channels.saveAttachment(chat, { filename: "big", data: data(), maxBytes: 19 });
      await assert.rejects(tooLarge, { code: "ATTACHMENT_TOO_LARGE" });
    });

    withStore("old finished work goes, open work stays", async (store, { clock }) => {
      await give(store, "a1");
      const done = await mustClaim(store);
      await store.turns.finish(done, { outcome: "done", deliveries: [] });
      await give(store, "a2");
      await clock.advance(10_000);
      assert.equal(await store.prune(clock.now()), 1);
      const left = await store.turns.list({ limit: 9 });
      assert.deepEqual(
        left.map((turn) => turn.message.id),
        ["a2"],
      );
    });
  });
}
