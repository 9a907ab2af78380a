/** Two hundred chats talk at once, on each platform: every one gets its own replies, in the order of its own messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlatformWorld, type PlatformName } from "./platform-world.ts";

const chatCount = 200;
const messagesEach = 2;

for (const name of ["discord", "slack", "telegram"] satisfies PlatformName[]) {
  test(`two hundred chats at once on ${name}, none out of order`, { timeout: 120_000 }, async (t) => {
    const world = await createPlatformWorld({ platforms: [name], adapter: () => ({ dm: "everyone" }) });
    t.after(() => world.close());
    const app = await world.start();
    const platform = world.on(name);
    const chats = Array.from({ length: chatCount }, (_each, n) => platform.addDirectChat(`p${n}`));
    for (let n = 0; n < messagesEach; n++) {
      for (const [at, { channelId, userId }] of chats.entries()) {
        platform.say({ channelId, userId, text: `${at}: message ${n}` });
      }
    }
    for (const { channelId } of chats) await platform.until(() => platform.posts(channelId).length >= messagesEach);
    await world.whenQuiet(app);
    for (const [at, { channelId }] of chats.entries()) {
      assert.deepEqual(
        platform.posts(channelId).map(({ text }) => text),
        Array.from({ length: messagesEach }, (_each, n) => `echo ${at}: message ${n}`),
      );
    }
  });
}
