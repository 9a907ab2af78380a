/** Runs the channel adapter contract on Telegram, with the unmodified SDK: on a server of today and on an old one. */
import { telegramConfigSchema } from "../../src/channels/telegram/config.ts";
import { telegramChannel } from "../../src/channels/telegram/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { silentLog } from "../fakes/log.ts";
import { createTelegramPlatform } from "../fakes/telegram/index.ts";
import { createMemory, createSave } from "../fakes/telegram/rig.ts";
import { channelAdapterContract } from "./channel-adapter.ts";

for (const hasRichMessages of [true, false]) {
  channelAdapterContract(hasRichMessages ? "telegram" : "telegram, an old server", async () => {
    const platform = await createTelegramPlatform({ hasRichMessages });
    const clock = createFakeClock();
    const config = telegramConfigSchema.parse(platform.config);
    const own = { memory: createMemory(), saveAttachment: createSave(), commands: () => [] };
    const { owner } = platform.chats;
    const inChat = () =>
      platform
        .posts(owner)
        .filter(({ isDeleted }) => !isDeleted)
        .flatMap(({ text, files }) => [text, ...files.map(({ filename }) => filename)]);
    return {
      adapter: telegramChannel.createAdapter("telegram", config, { clock, log: silentLog, ...own }),
      channelId: owner,
      sender: { id: platform.people.owner, username: "ann" },
      // Telegram's own are numbers.
      idsFrom: "adapter",
      async say({ text, attachment }) {
        platform.say({ channelId: owner, userId: owner, text, ...(attachment && { files: [attachment] }) });
      },
      async pass() {
        await clock.advance(1_000);
        // As long as a call takes that the adapter may be waiting for.
        await fetch(platform.apiUrl).then((response) => response.text());
      },
      shown: () => [...inChat(), ...platform.drafts(owner).map(({ text }) => text)].join("\n"),
      dispose: () => platform.close(),
    };
  });
}
