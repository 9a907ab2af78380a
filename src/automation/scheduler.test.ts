/** What a reminder brings with it when it is due: who asked for it, and where its text may have come from. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { createScheduler } from "./scheduler.ts";

const channel = { adapter: "slack", channelId: "D1" };
const askedBy = { id: "U1", username: "ann" };

test("a reminder that was set with text from outside comes back as such, also after a restart", async (context) => {
  const { dir } = await createTempFolder(context);
  const clock = createFakeClock();
  const fired: ChannelMessage[] = [];
  const open = async () => {
    const store = await openStore({
      layout: buildLayout(dir),
      clock,
      log: silentLog,
      role: "owner",
      routesOf: () => [],
    });
    const scheduler = createScheduler({
      schedules: store.schedules,
      clock,
      log: silentLog,
      async toLetter(adapter, message) {
        fired.push(message);
        return { adapter, message, verdict: { type: "heard" } };
      },
      onLetter: () => undefined,
      adapters: () => ["slack"],
      isPassing: () => false,
    });
    return { store, scheduler };
  };
  const first = await open();
  await first.scheduler.add({ dueAt: clock.now() + 1000, channel, text: "tea", askedBy });
  await first.scheduler.add({ dueAt: clock.now() + 2000, channel, text: "run it", askedBy, outside: "a page" });
  first.scheduler.stop();
  await first.store.close();
  await clock.advance(5000);
  const second = await open();
  await second.scheduler.start();
  assert.deepEqual(
    fired.map(({ text, sender, metadata }) => [text, sender.id, metadata]),
    [
      ["[REMINDER] tea", "U1", undefined],
      ["[REMINDER] run it", "U1", { outside: "a page" }],
    ],
  );
  second.scheduler.stop();
  await second.store.close();
});
