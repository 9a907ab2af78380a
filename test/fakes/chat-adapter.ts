/** An adapter for the platform of `chat-server.ts`: long polling in, HTTP out, a message acknowledged once it is on disk. */
import type { AgentSessionEvent } from "../../src/contracts/agent.ts";
import type {
  AccessRules,
  ChannelCapabilities,
  PlatformAdapter,
  SendResult,
  SettleResult,
} from "../../src/contracts/channel.ts";
import type { PlatformMessage, PlatformPost } from "./chat-server.ts";

export interface ChatAdapterOptions {
  url: string;
  settles: ChannelCapabilities["settles"];
  onEvent?(event: AgentSessionEvent): void;
}

/** Everybody in the fake platform's direct chats is the owner `U1` or not; `D…` channels are direct. */
export const chatRules: AccessRules = { admins: ["U1"], dm: "none" };

export function createChatAdapter({ url, settles, onEvent }: ChatAdapterOptions): PlatformAdapter {
  const capabilities: ChannelCapabilities = {
    edit: false,
    delete: false,
    threads: false,
    reactions: false,
    polls: false,
    pins: false,
    typing: false,
    buttons: false,
    maxMessageLength: 2000,
    lengthUnit: "utf16",
    dialect: "plain",
    maxUploadBytes: 0,
    maxDownloadBytes: 0,
    settles,
  };
  const ended = new AbortController();
  let handler: Parameters<PlatformAdapter["onMessage"]>[0] = async () => {};
  let polling: Promise<void> | undefined;

  const poll = async () => {
    while (!ended.signal.aborted) {
      try {
        const response = await fetch(`${url}/updates`, { signal: ended.signal });
        for (const message of (await response.json()) as PlatformMessage[]) {
          await handler(toChannelMessage(message));
          await postJson(`${url}/ack`, { id: message.id }, ended.signal);
        }
      } catch {
        // Gone or refused: the platform still has the message and gives it again.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const rejected = async (): Promise<SendResult> => ({ type: "rejected", reason: "the platform cannot do that" });
  return {
    name: "fake",
    type: "fake",
    capabilities,
    async start() {
      polling = poll();
    },
    async stop() {
      ended.abort();
      await polling;
    },
    getChannels: () => [],
    getUsers: () => [{ id: "U1", username: "ann" }],
    getChannelInfo: (id) => ({ id, name: id, type: id.startsWith("D") ? "dm" : "group" }),
    getUserInfo: () => undefined,
    onMessage(given) {
      handler = given;
    },
    onStop() {},
    render: (markdown) => [markdown],
    async sendMessage(channel, { deliveryId, text }): Promise<SendResult> {
      try {
        const response = await postJson(`${url}/posts`, { channel, nonce: deliveryId, text }, undefined);
        if (response.status === 429 || response.status >= 500) {
          const after = response.headers.get("retry-after-ms");
          const wait = after === null ? {} : { retryAfterMs: Number(after) };
          return { type: "retry", reason: `status ${response.status}`, ...wait };
        }
        if (!response.ok) return { type: "rejected", reason: `status ${response.status}` };
        return { type: "sent", messageId: ((await response.json()) as PlatformPost).id };
      } catch (error) {
        return { type: "unknown", reason: String(error) };
      }
    },
    updateMessage: rejected,
    deleteMessage: rejected,
    uploadFile: rejected,
    act: rejected,
    async settle(_channel, deliveryId): Promise<SettleResult> {
      if (settles !== "lookup") return { type: "unknown" };
      const response = await fetch(`${url}/search?nonce=${encodeURIComponent(deliveryId)}`);
      const [found] = (await response.json()) as PlatformPost[];
      return found ? { type: "sent", messageId: found.id } : { type: "not-sent" };
    },
    async showEvent(_channel, _turn, event) {
      onEvent?.(event);
    },
    health: () => ({ state: ended.signal.aborted ? "stopped" : "connected", reconnects: 0 }),
  };
}

function toChannelMessage({ id, channel, user, text, mention }: PlatformMessage) {
  return {
    id,
    channelId: channel,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: user, username: user === "U1" ? "ann" : user.toLowerCase(), isBot: false },
    text,
    attachments: [],
    isMention: mention,
  };
}

const postJson = (url: string, body: unknown, signal: AbortSignal | undefined) =>
  fetch(url, { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) });
