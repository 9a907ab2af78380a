/** The contract of what the outbox knows of mom's own posts: changing them, taking them back, finding them again. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { DeliveryId, TurnId } from "../../src/contracts/ids.ts";
import type { ClaimedDelivery, DeliveryBody, Store } from "../../src/contracts/store.ts";
import { begin, buildPost, chat, createStoreTest, type StoreHarness } from "./store-scene.ts";

const elsewhere = { adapter: chat.adapter, channelId: "C2" };

const post = (store: Store, id: string, body: DeliveryBody, turnId?: TurnId) =>
  store.outbox.post([{ id: id as DeliveryId, channel: chat, body, ...(turnId !== undefined && { turnId }) }]);

async function mustClaimPost(store: Store): Promise<ClaimedDelivery> {
  const delivery = await store.outbox.claim([chat.adapter], 60_000);
  assert.ok(delivery, "a post should be there to claim");
  return delivery;
}

/** The next post goes out, under this id. */
async function send(store: Store, messageId: string): Promise<void> {
  await store.outbox.settle(await mustClaimPost(store), { type: "sent", messageId });
}

const events = async (store: Store) =>
  (await store.channels.tail(chat, 20)).map(({ id, text, event, ref }) => [id, text, event, ref]);

export function storeOutboxContract(name: string, createHarness: () => Promise<StoreHarness>): void {
  const withStore = createStoreTest(createHarness);

  describe(`store outbox: ${name}`, () => {
    withStore("every kind of body is kept as it is, in order, also by the next process", async (store, { open }) => {
      const bodies: DeliveryBody[] = [
        { type: "text", text: "“hi” \u2028 👋", replyTo: "m1", isAside: true },
        { type: "file", path: "/w/a.wav", filename: "a.wav", caption: "hear", isReal: true },
        { type: "edit", messageId: "P1", text: "ho" },
        { type: "delete", messageId: "P1" },
      ];
      for (const [n, body] of bodies.entries()) await post(store, `d${n}`, body);
      assert.equal((await mustClaimPost(store)).uncertain, false);
      const again = await open();
      for (const [n, body] of bodies.entries()) {
        const claimed = await mustClaimPost(again);
        assert.deepEqual([claimed.id, claimed.body, claimed.uncertain], [`d${n}`, body, n === 0]);
        await again.outbox.settle(claimed, { type: "sent", messageId: `P${n}` });
      }
    });

    withStore("a change and a deletion are lines that refer to the post; no line is rewritten", async (store) => {
      await post(store, "d1", { type: "text", text: "first" });
      await send(store, "P1");
      for (const id of ["d2", "d3"]) {
        await post(store, id, { type: "edit", messageId: "P1", text: "second" });
        await send(store, "whatever the platform answers");
      }
      await post(store, "d4", { type: "delete", messageId: "P1" });
      await send(store, "");
      await post(store, "d5", { type: "edit", messageId: "P9", text: "refused" });
      await store.outbox.settle(await mustClaimPost(store), { type: "failed", error: "no such message" });
      assert.deepEqual(await events(store), [
        ["P1", "first", undefined, undefined],
        ["d2", "second", "edit", "P1"],
        ["d3", "second", "edit", "P1"],
        ["d4", "", "delete", "P1"],
      ]);
    });

    withStore("a change that was cut off is made once more and told once", async (store, { open }) => {
      await post(store, "d1", { type: "edit", messageId: "P1", text: "new" });
      await mustClaimPost(store);
      const again = await open();
      assert.deepEqual(await events(again), []);
      const claimed = await mustClaimPost(again);
      assert.deepEqual([claimed.uncertain, claimed.attempts], [true, 2]);
      await again.outbox.settle(claimed, { type: "sent", messageId: "P1" });
      const later = await open();
      assert.deepEqual(await events(later), [["d1", "new", "edit", "P1"]]);
      assert.equal(await later.outbox.claim([chat.adapter], 1000), undefined);
    });

    withStore("a turn is over when its last change is made", async (store) => {
      const turn = await begin(store, "a1");
      await post(store, "d1", { type: "delete", messageId: "P1" }, turn.id);
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
      assert.equal((await store.turns.get(turn.id))?.state, "delivering");
      await send(store, "P1");
      assert.equal((await store.turns.get(turn.id))?.state, "done");
    });

    withStore(
      "a post is found by the platform's id and by its delivery's, in its own chat only",
      async (store, { open }) => {
        await post(store, "d1", { type: "text", text: "hello" });
        assert.equal((await store.outbox.findPost(chat, "d1"))?.state, "pending");
        await send(store, "P1");
        await post(store, "d2", { type: "file", path: "/w/a", filename: "a" });
        await send(store, "P2");
        const again = await open();
        const found = async (id: string, channel = chat) => (await again.outbox.findPost(channel, id))?.id;
        assert.deepEqual([await found("P1"), await found("d1"), await found("P2")], ["d1", "d1", "d2"]);
        assert.deepEqual([await found("P1", elsewhere), await found("d1", elsewhere)], [undefined, undefined]);
        assert.deepEqual([await found("P3"), await found("")], [undefined, undefined]);
        assert.equal(await found("P1", { adapter: "other", channelId: chat.channelId }), undefined);
      },
    );

    withStore("only texts and files are posts; a change is none and leaves its post what it is", async (store) => {
      await post(store, "d1", { type: "text", text: "hello" });
      await send(store, "P1");
      await post(store, "d2", { type: "edit", messageId: "P1", text: "changed" });
      await send(store, "P1");
      assert.equal((await store.outbox.findPost(chat, "P1"))?.id, "d1");
      assert.equal(await store.outbox.findPost(chat, "d2"), undefined);
      await post(store, "d3", { type: "edit", messageId: "of somebody else", text: "mine now" });
      await send(store, "of somebody else");
      assert.equal(
        await store.outbox.findPost(chat, "of somebody else"),
        undefined,
        "changing it makes it nobody's own",
      );
    });

    withStore("what is taken back, or about to be, is not found; what could not be taken back is", async (store) => {
      await store.outbox.post([buildPost("x")]);
      await send(store, "P1");
      const isThere = async () => (await store.outbox.findPost(chat, "P1")) !== undefined;
      await post(store, "d2", { type: "delete", messageId: "P1" });
      assert.equal(await isThere(), false);
      await store.outbox.settle(await mustClaimPost(store), { type: "failed", error: "too old" });
      assert.equal(await isThere(), true);
      await post(store, "d3", { type: "delete", messageId: "P1" });
      await send(store, "P1");
      assert.equal(await isThere(), false);
      assert.equal(await store.outbox.findPost(chat, "x.0"), undefined, "by its delivery neither");
    });

    withStore("a question to people is nobody's to change", async (store) => {
      for (const [id, messageId] of [
        ["approval-k2m4p7.0", "P1"],
        ["approval-k2m4p7-word.0", "P2"],
      ] as const) {
        await post(store, id, { type: "text", text: "May I?" });
        assert.equal(await store.outbox.findPost(chat, id), undefined);
        await send(store, messageId);
        assert.equal(await store.outbox.findPost(chat, id), undefined);
        assert.equal(await store.outbox.findPost(chat, messageId), undefined);
      }
    });

    withStore("a delivery is found by its id, in every state, whatever it is", async (store, { open, clock }) => {
      await post(store, "d1", { type: "text", text: "hello" });
      await post(store, "d2", { type: "edit", messageId: "P1", text: "changed" });
      const get = (from: Store, id: string) => from.outbox.get(id as DeliveryId);
      assert.equal((await get(store, "d1"))?.state, "pending");
      await send(store, "P1");
      const again = await open();
      const found = await get(again, "d1");
      assert.deepEqual(
        [found?.state, found?.messageId, found?.channel, found?.body],
        ["sent", "P1", chat, { type: "text", text: "hello" }],
      );
      assert.equal((await get(again, "d2"))?.body.type, "edit");
      assert.equal(await get(again, "d3"), undefined);
      await clock.advance(10_000);
      await again.prune(clock.now());
      assert.equal(await get(again, "d1"), undefined);
    });

    withStore("a post that prune has dropped is not found any more", async (store, { clock }) => {
      await store.outbox.post([buildPost("x")]);
      await send(store, "P1");
      await clock.advance(10_000);
      await store.prune(clock.now());
      assert.equal(await store.outbox.findPost(chat, "P1"), undefined);
    });
  });
}
