/** The terminal adapter: joins what is typed, what is shown, and one of the two surfaces. */
import { ChannelError } from "../../base/errors.ts";
import type { AdapterHealth, PlatformAdapter } from "../../contracts/channel.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelInfo, UserInfo } from "../../contracts/message.ts";
import type { Terminal } from "../terminal.ts";
import { cliCapabilities } from "./capabilities.ts";
import type { CliConfig } from "./config.ts";
import { toParts } from "./format.ts";
import { createInbound, localUserId, terminalChannelId } from "./inbound.ts";
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

type MessageHandler = Parameters<PlatformAdapter["onMessage"]>[0];
type StopHandler = Parameters<PlatformAdapter["onStop"]>[0];

export function createCliAdapter({ name, clock, log, terminal }: CliDeps, config: CliConfig): CliAdapter {
  let onMessage: MessageHandler | undefined;
  let onStop: StopHandler | undefined;
  let state: AdapterHealth["state"] = "stopped";

  const inbound = createInbound({
    clock,
    log,
    user: terminal.user,
    handle: async (message) => onMessage?.(message),
    onDelayed: (reason) => surface.writeAbove(`Not taken yet (${reason}); trying again.`),
  });
  const askStop = async () => {
    if (state === "connected") await onStop?.(terminalChannelId, localUserId);
  };
  const surface = terminal.isInteractive
    ? createTerminalChat({ terminal, clock, log, inbound, askStop }, config)
    : createPipedSurface({ terminal, log, inbound }, config);
  const outbound = createOutbound({ surface, clock });

  const channel: ChannelInfo = { id: terminalChannelId, name: terminalChannelId, type: "dm" };
  const user: UserInfo = { id: localUserId, username: terminal.user };

  return {
    name,
    type: "cli",
    capabilities: cliCapabilities,
    async start() {
      if (!onMessage) {
        throw new ChannelError("CHANNEL_NOT_WIRED", `The adapter "${name}" was started before anyone listens to it.`, {
          hint: "Call onMessage before start; this is a bug in mom.",
        });
      }
      state = "starting";
      await surface.start();
      if (state === "starting") state = "connected";
    },
    async stop() {
      state = "stopped";
      inbound.stop();
      surface.stop();
    },
    getChannels: () => [channel],
    getUsers: () => [user],
    getChannelInfo: (channelId) => (channelId === channel.id ? channel : undefined),
    getUserInfo: (userId) => (userId === user.id ? user : undefined),
    onMessage: (handler) => {
      onMessage = handler;
    },
    onStop: (handler) => {
      onStop = handler;
    },
    render: toParts,
    sendMessage: outbound.sendMessage,
    updateMessage: outbound.updateMessage,
    deleteMessage: outbound.deleteMessage,
    uploadFile: outbound.uploadFile,
    settle: outbound.settle,
    showEvent: async (channelId, turnId, event) => {
      if (channelId === terminalChannelId) surface.showEvent(turnId, event);
    },
    health: () => ({
      state,
      reconnects: 0,
      ...(inbound.lastTakenAt === undefined ? {} : { lastInboundAt: inbound.lastTakenAt }),
      ...(outbound.lastSentAt === undefined ? {} : { lastOutboundAt: outbound.lastSentAt }),
    }),
    whenDone: surface.whenDone,
    writeAbove: surface.writeAbove,
  };
}
