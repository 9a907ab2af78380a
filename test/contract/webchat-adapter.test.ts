/** Runs the channel adapter contract on the gateway's web chat. The rig plays the gateway and a page that is always connected. */
import { join } from "node:path";
import { channelCatalog } from "../../src/channels/index.ts";
import type { WebchatAdapter } from "../../src/channels/webchat/adapter.ts";
import type { ChannelAttachment, ChannelMessage } from "../../src/contracts/message.ts";
import { createChannelDeps } from "../fakes/channel-deps.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { channelAdapterContract, type Said } from "./channel-adapter.ts";

channelAdapterContract("webchat", async () => {
  const clock = createFakeClock();
  const deps = createChannelDeps({ clock });
  /** What a page shows, by the id under which it knows a post. */
  const page = new Map<string, string>();
  const screen = {
    edited(_channelId: string, deliveryId: string, text?: string) {
      if (text === undefined) page.delete(deliveryId);
      else page.set(deliveryId, text);
    },
  };
  const { createAdapter } = await channelCatalog.webchat.load();
  const adapter = showPosts(createAdapter("webchat", { type: "webchat" }, { clock, screen }), page);

  /** Messages that the client still has to get rid of, oldest first. */
  const unsent: ChannelMessage[] = [];
  const sendAll = async () => {
    for (let next = unsent[0]; next; next = unsent[0]) {
      const isTaken = await adapter.submit(next).then(
        () => true,
        () => false,
      );
      if (!isTaken) return;
      unsent.shift();
    }
  };
  const upload = async ({ attachment }: Said): Promise<ChannelAttachment[]> => {
    if (!attachment) return [];
    const data = (async function* () {
      yield Buffer.from(attachment.data);
    })();
    return [await deps.saveAttachment("main", { filename: attachment.filename, data, maxBytes: 1000 })];
  };

  return {
    adapter,
    channelId: "main",
    sender: { id: "owner", username: "ann" },
    idsFrom: "platform",
    async say(said) {
      unsent.push({
        id: said.id ?? `m${unsent.length}`,
        channelId: "main",
        timestamp: new Date(clock.now()).toISOString(),
        sender: { id: "owner", username: "ann", isBot: false },
        text: said.text,
        attachments: await upload(said),
        isMention: true,
      });
      await sendAll();
    },
    async pass() {
      await clock.advance(200);
      await sendAll();
    },
    shown: () => [...page.values()].join("\n"),
    async dispose() {
      deps.dispose();
    },
  };
});

/** With its receipt a post is shown, as the app tells the gateway. */
function showPosts(adapter: WebchatAdapter, page: Map<string, string>): WebchatAdapter {
  return {
    ...adapter,
    async sendMessage(channelId, message) {
      const result = await adapter.sendMessage(channelId, message);
      if (result.type === "sent") page.set(result.messageId, message.text);
      return result;
    },
    async uploadFile(channelId, file) {
      const result = await adapter.uploadFile(channelId, file);
      if (result.type === "sent") page.set(result.messageId, join("files", file.filename));
      return result;
    },
  };
}
