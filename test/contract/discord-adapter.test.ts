/** Runs the channel adapter contract on Discord: the unmodified libraries against a Discord on loopback. */
import { discordConfigSchema } from "../../src/channels/discord/config.ts";
import { discordChannel } from "../../src/channels/discord/index.ts";
import { createChannelDeps } from "../fakes/channel-deps.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { createDiscordPlatform } from "../fakes/discord/index.ts";
import { channelAdapterContract } from "./channel-adapter.ts";

channelAdapterContract("discord", async () => {
  const clock = createFakeClock();
  const platform = await createDiscordPlatform({ now: clock.now });
  const deps = createChannelDeps({ clock });
  const { owner: channelId } = platform.chats;
  const { owner: userId } = platform.people;
  return {
    adapter: discordChannel.createAdapter("discord", discordConfigSchema.parse(platform.config), deps),
    channelId,
    sender: { id: userId, username: "ann" },
    idsFrom: "platform",
    async say({ text, id, attachment }) {
      const files = attachment ? [attachment] : [];
      platform.say({ channelId, userId, text, files, ...(id !== undefined && { id }) });
    },
    // A round trip to the server, so that what is on its way over a socket arrives.
    async pass() {
      await clock.advance(200);
      await platform.roundTrip();
    },
    shown: () =>
      platform
        .posts(channelId)
        .filter(({ isDeleted }) => !isDeleted)
        .flatMap(({ text, files }) => [text, ...files.map(({ filename }) => filename)])
        .join("\n"),
    async dispose() {
      deps.dispose();
      await platform.close();
    },
  };
});
