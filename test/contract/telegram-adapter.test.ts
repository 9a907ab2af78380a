/** Runs the channel adapter contract on Telegram, with the unmodified SDK: on a server of today, on an old one, and called by it. */
import { telegramConfigSchema } from "../../src/channels/telegram/config.ts";
import { telegramChannel } from "../../src/channels/telegram/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { silentLog } from "../fakes/log.ts";
import { createTelegramPlatform } from "../fakes/telegram/index.ts";
import { createMemory, createSave } from "../fakes/telegram/rig.ts";
import { createFakeWebhooks } from "../fakes/webhooks.ts";
import { channelAdapterContract } from "./channel-adapter.ts";

const variants = [
  { title: "telegram", hasRichMessages: true, isCalled: false },
  { title: "telegram, an old server", hasRichMessages: false, isCalled: false },
  { title: "telegram, by webhook", hasRichMessages: true, isCalled: true },
];
const webhook = { url: "https://mom.example/hooks/telegram-telegram", secret: "a-secret_that-nobody-guesses" };

for (const { title, hasRichMessages, isCalled } of variants) {
  channelAdapterContract(title, async () => {
    const webhooks = await createFakeWebhooks();
    const reach = (url: string) => url.replace("https://mom.example", webhooks.url);
    const platform = await createTelegramPlatform({ hasRichMessages, reach });
    const clock = createFakeClock();
    const config = telegramConfigSchema.parse({ ...platform.config, ...(isCalled && { webhook }) });
    const own = { memory: createMemory(), saveAttachment: createSave(), commands: () => [], webhooks };
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
      async dispose() {
        await platform.close();
        await webhooks.close();
      },
    };
  });
}
