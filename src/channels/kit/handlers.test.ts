import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChannelMessage } from "../../contracts/message.ts";
import { createHandlers } from "./handlers.ts";

const message = { id: "1", channelId: "C" } as ChannelMessage;

test("nobody listens: neither start nor a message goes through", async () => {
  const handlers = createHandlers("team");
  assert.throws(() => handlers.ensureWired(), { code: "CHANNEL_NOT_WIRED", message: /"team"/ });
  await assert.rejects(handlers.handle(message), { code: "CHANNEL_NOT_WIRED" });
  await handlers.askStop("C", "U");
});

test("whoever registered last is called, and what they throw comes back", async () => {
  const handlers = createHandlers("team");
  const heard: string[] = [];
  handlers.onMessage(async () => assert.fail("replaced"));
  handlers.onMessage(async ({ id }) => void heard.push(id));
  handlers.onStop(async (channelId, senderId) => void heard.push(`stop ${channelId} ${senderId}`));
  handlers.ensureWired();
  await handlers.handle(message);
  await handlers.askStop("C", "U");
  assert.deepEqual(heard, ["1", "stop C U"]);
  handlers.onMessage(async () => {
    throw new Error("the disk is full");
  });
  await assert.rejects(handlers.handle(message), /the disk is full/);
});
