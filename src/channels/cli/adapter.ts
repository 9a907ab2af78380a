/** The terminal adapter: joins what is typed, what is shown, and one of the two surfaces. */
import type { PlatformAdapter } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";
import { createHandlers } from "../kit/handlers.ts";
import { createHealthBook } from "../kit/health.ts";
import type { Terminal } from "../terminal.ts";
import { cliCapabilities } from "./capabilities.ts";
import { type CliConfig, localUserId } from "./config.ts";
import { toParts } from "./format.ts";
import { createInbound, terminalChannelId } from "./inbound.ts";
import { createOutbound } from "./outbound.ts";
import { createPipedSurface } from "./piped.ts";
import { createTerminalChat } from "./terminal/chat.ts";

/** `stop` gives the terminal back before it returns its promise, so it may also be called on the way out of the process. */
export interface CliAdapter extends PlatformAdapter {
  /** Resolves when the input has ended and its last reply was delivered, when the person leaves, or at `stop`. */
  whenDone(): Promise<void>;
  /** Shows a line that is not part of the conversation without disturbing it: above the input, or on the error stream. */
  writeAbove(text: string): void;
}

export interface CliDeps {
  name: string;
  clock: Clock;
  log: Log;
  terminal: Terminal;
}

export function createCliAdapter({ name, clock, log, terminal }: CliDeps, config: CliConfig): CliAdapter {
  const handlers = createHandlers(name);
  const health = createHealthBook({ clock });

  const inbound = createInbound({
    clock,
    log,
    user: terminal.user,
    handle: handlers.handle,
    onDelayed: (reason) => surface.writeAbove(`Not taken yet (${reason}); trying again.`),
  });
  const askStop = async () => {
    if (health.state === "connected") await handlers.askStop(terminalChannelId, localUserId);
  };
  const surface = terminal.isInteractive
    ? createTerminalChat({ terminal, clock, log, inbound, askStop }, config)
    : createPipedSurface({ terminal, log, inbound }, config);
  const outbound = createOutbound({ surface, clock, onSent: health.sent });

  const channel: ChannelInfo = { id: terminalChannelId, name: terminalChannelId, type: "dm" };
  const user: UserInfo = { id: localUserId, username: terminal.user };

  return {
    name,
    type: "cli",
    capabilities: cliCapabilities,
    async start() {
      handlers.ensureWired();
      health.set("starting");
      await surface.start();
      if (health.state === "starting") health.set("connected");
    },
    async stop() {
      health.set("stopped");
      inbound.stop();
      surface.stop();
    },
    getChannels: () => [channel],
    getUsers: () => [user],
    getChannelInfo: (channelId) => (channelId === channel.id ? channel : undefined),
    getUserInfo: (userId) => (userId === user.id ? user : undefined),
    onMessage: handlers.onMessage,
    onStop: handlers.onStop,
    render: toParts,
    sendMessage: outbound.sendMessage,
    updateMessage: outbound.updateMessage,
    deleteMessage: outbound.deleteMessage,
    uploadFile: outbound.uploadFile,
    act: outbound.act,
    settle: outbound.settle,
    showEvent: async (channelId, turnId, event) => {
      if (channelId === terminalChannelId) surface.showEvent(turnId, event);
    },
    health: () => health.toHealth(inbound),
    whenDone: surface.whenDone,
    writeAbove: surface.writeAbove,
  };
}
