/** A chat platform that costs nothing: messages are handed in by a call, and posts end here. Used by load-child.ts. */
import type { AccessRules, PlatformAdapter, SendResult } from "../src/contracts/channel.ts";
import type { ChannelInfo, ChannelMessage } from "../src/contracts/message.ts";

export interface MemoryAdapter {
  adapter: PlatformAdapter;
  rules: AccessRules;
  /** Resolves when mom has it on disk. */
  say(channelId: string, text: string): Promise<void>;
}

const owner = { id: "U1", username: "ann" };

/** `D…` is a direct chat of the owner, everything else a group. */
const describeChannel = (id: string): ChannelInfo => ({ id, name: id, type: id.startsWith("D") ? "dm" : "group" });

export function createMemoryAdapter(onPost: (channelId: string, text: string) => void): MemoryAdapter {
  let handle: (message: ChannelMessage) => Promise<void> = async () => undefined;
  let received = 0;
  let posted = 0;
  const rejected = async (): Promise<SendResult> => ({ type: "rejected", reason: "not part of this platform" });
  const adapter: PlatformAdapter = {
    name: "bench",
    type: "bench",
    capabilities: {
      edit: false,
      delete: false,
      threads: false,
      reactions: false,
      polls: false,
      pins: false,
      typing: false,
      buttons: false,
      maxMessageLength: 4000,
      lengthUnit: "utf16",
      dialect: "plain",
      maxUploadBytes: 0,
      maxDownloadBytes: 0,
      settles: "idempotent",
    },
    start: async () => undefined,
    stop: async () => undefined,
    getChannels: () => [],
    getUsers: () => [owner],
    getChannelInfo: describeChannel,
    getUserInfo: () => owner,
    onMessage(handler) {
      handle = handler;
    },
    onStop: () => undefined,
    render: (markdown) => [markdown],
    async sendMessage(channelId, { text }) {
      onPost(channelId, text);
      return { type: "sent", messageId: `post-${++posted}` };
    },
    updateMessage: rejected,
    deleteMessage: rejected,
    uploadFile: rejected,
    act: rejected,
    settle: async () => ({ type: "unknown" }),
    showEvent: async () => undefined,
    health: () => ({ state: "connected", reconnects: 0 }),
  };
  return {
    adapter,
    rules: { admins: [owner.id], dm: "none" },
    say: (channelId, text) =>
      handle({
        id: `message-${++received}`,
        channelId,
        timestamp: new Date().toISOString(),
        sender: { ...owner, isBot: false },
        text,
        attachments: [],
        isMention: true,
      }),
  };
}
