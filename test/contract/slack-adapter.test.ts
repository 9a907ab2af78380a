/** Runs the channel adapter contract on Slack: the real SDK against the fake workspace on loopback. */
import { createSlackStage } from "../fakes/slack/stage.ts";
import { channelAdapterContract } from "./channel-adapter.ts";

channelAdapterContract("slack", async () => {
  const { platform, clock, createAdapter } = await createSlackStage();
  const { chats, people } = platform;
  return {
    adapter: createAdapter().adapter,
    channelId: chats.owner,
    sender: { id: people.owner, username: "ann" },
    idsFrom: "platform",
    say: async ({ text, id, attachment }) => {
      platform.say({
        channelId: chats.owner,
        userId: people.owner,
        text,
        ...(id !== undefined && { id }),
        ...(attachment && { files: [attachment] }),
      });
    },
    async pass() {
      await clock.advance(200);
      // The answers of real sockets come with turns of the event loop.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    shown: () =>
      platform
        .posts(chats.owner)
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ text, files }) => [text, ...files.map(({ filename }) => filename)].join("\n"))
        .join("\n"),
    dispose: () => platform.close(),
  };
});
