/** The web chat adapter: joins the chats that the gateway opens, what operators say, and what goes to their pages. */
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ChatScreen } from "../../contracts/gateway.ts";
import type { ChannelInfo, ChannelMessage } from "../../contracts/message.ts";
import { createDirectory } from "../kit/directory.ts";
import { createHandlers } from "../kit/handlers.ts";
import { createHealthBook } from "../kit/health.ts";
import { webchatCapabilities } from "./capabilities.ts";
import { createChats } from "./chats.ts";
import { toParts } from "./format.ts";
import { createInbound } from "./inbound.ts";
import { createOutbound } from "./outbound.ts";

export interface WebchatAdapter extends PlatformAdapter {
  /** Something was said in a chat that is open. On disk when it resolves; a rejection means "not taken", send it again. */
  submit(message: ChannelMessage): Promise<void>;
  /** Makes a chat known, before somebody speaks in it; may be called again. Those that nobody has used for long are dropped. */
  openWindow(info: ChannelInfo): void;
}

export interface WebchatDeps {
  name: string;
  clock: Clock;
  screen: ChatScreen;
}

/** The owner and the API; the rest is for names that change. */
const mostUsers = 16;

export function createWebchatAdapter({ name, clock, screen }: WebchatDeps): WebchatAdapter {
  const handlers = createHandlers(name);
  const health = createHealthBook({ clock });
  const chats = createChats();
  const people = createDirectory({ maxUsers: mostUsers });
  const inbound = createInbound({
    name,
    clock,
    chats,
    handle: handlers.handle,
    isUp: () => health.state === "connected",
  });

  return {
    name,
    type: "webchat",
    capabilities: webchatCapabilities,
    async start() {
      handlers.ensureWired();
      health.set("connected");
    },
    async stop() {
      health.set("stopped");
    },
    openWindow: chats.open,
    async submit(message) {
      const { id, username, displayName } = message.sender;
      people.putUser({ id, username, ...(displayName !== undefined && { displayName }) });
      await inbound.submit(message);
    },
    getChannels: chats.list,
    getUsers: people.users,
    getChannelInfo: chats.find,
    getUserInfo: people.user,
    onMessage: handlers.onMessage,
    onStop: handlers.onStop,
    render: toParts,
    ...createOutbound({ screen, onSent: health.sent }),
    // The gateway is told of every turn's events by the app.
    showEvent: async () => undefined,
    health: () => health.toHealth(inbound),
  };
}
