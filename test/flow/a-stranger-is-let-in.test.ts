/** Somebody unknown writes, is told a code, and is answered once an admin has approved it at the machine: directly only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSystemClock } from "../../src/base/clock.ts";
import { openGuestStore } from "../../src/cli/open-guest-store.ts";
import { createChatAdapter } from "../fakes/chat-adapter.ts";
import { silentLog } from "../fakes/log.ts";
import { createWorld, say } from "./world.ts";

test("a stranger is told a code once, is let in by it, and is nobody special in a group", async () => {
  const world = await createWorld();
  const { chat, dataDir } = world;
  const groups = { allow: "everyone", senders: ["U1"], requireMention: true, chats: {} } as const;
  const rules = { admins: ["U1"], dm: "none", pairing: true, groups } as const;
  const start = () =>
    world.start({ adapters: [{ adapter: createChatAdapter({ url: chat.url, settles: "idempotent" }), rules }] });
  const texts = (channel: string) => chat.posts.filter((post) => post.channel === channel).map(({ text }) => text);
  const stranger = { channel: "D9", user: "U9" };
  try {
    const first = await start();
    say(chat, "hello?", stranger);
    say(chat, "anybody there?", stranger);
    await chat.until(() => texts("D9").length === 1 && chat.unacknowledged === 0);
    // She is stopped before anybody has approved it.
    await first.stop();
    const second = await start();
    say(chat, "still nobody?", stranger);
    say(chat, "mine", { channel: "D1" });
    await chat.until(() => texts("D1").length === 1 && chat.unacknowledged === 0);
    const [told = "", ...more] = texts("D9");
    assert.deepEqual(more, [], "told once, over both lives");
    const code = /mom pair approve ([2-9A-Z]{8})/.exec(told)?.[1] ?? assert.fail(told);

    const beside = await openGuestStore({ dataDir, clock: createSystemClock(), log: silentLog });
    assert.equal((await beside.pairings.approve(code, "cli:ann")).type, "approved");
    say(chat, "and now", stranger);
    await chat.until(() => texts("D9").length === 2);
    assert.equal(texts("D9")[1], "echo and now");

    say(chat, "what do they say", { channel: "C1", user: "U9" });
    await beside.pairings.revoke("fake", "U9");
    say(chat, "and after that?", stranger);
    await chat.until(() => texts("D9").length === 3 && chat.unacknowledged === 0);
    await beside.close();
    assert.match(texts("D9")[2] ?? "", /^Hello! I do not know you yet/);
    assert.deepEqual(texts("C1"), []);
    const log = await second.store.channels.tail({ adapter: "fake", channelId: "C1" }, 9);
    assert.deepEqual(
      log.map(({ refused }) => refused),
      ["U9 is not answered in C1; adapters.fake.groups.senders says who is"],
    );
    assert.equal(world.logText().includes(code), false, "nothing that is logged tells a code");
  } finally {
    await world.close();
  }
});
