/**
 * A Slack workspace on loopback: the Web API and Socket Mode, as the unmodified SDK expects them, with faults on demand. It
 * lives in the test's process, so it remembers what a killed bot has done. How to use it: README.md.
 */
import { once } from "node:events";
import type { FakePlatform, Fault, SaidThere, SeenPost } from "../platform.ts";
import { createFaultList } from "./faults.ts";
import { type SlackCall, startHttpServer } from "./http-server.ts";
import {
  buildChangedEvent,
  buildDeletedEvent,
  buildMentionEvent,
  buildMessageEvent,
  buildPress,
} from "./message-events.ts";
import type { Method, MethodContext, SlackSettings } from "./method.ts";
import { chatMethods } from "./methods-chat.ts";
import { conversationMethods } from "./methods-conversations.ts";
import { fileMethods } from "./methods-files.ts";
import { markMethods } from "./methods-marks.ts";
import { createSocketHub } from "./socket-hub.ts";
import { toWireMessage } from "./to-wire.ts";
import {
  bot,
  createWorkspace,
  escapeTyped,
  type Json,
  type SlackMessage,
  textShown,
  type Workspace,
} from "./workspace.ts";

export type { SlackCall } from "./http-server.ts";

const tokens = { bot: "xoxb-0000000000-momsbottoken", app: "xapp-1-A0MOM-0000000000-momsapptoken" };
const people = { owner: "U0OWNER", other: "U0OTHER" };
const chats = { owner: "D0OWNER", other: "D0OTHER", group: "C0GROUP" };
/** Everything that the manifest in `src/channels/slack/README.md` asks for. */
const allScopes =
  "app_mentions:read,channels:history,channels:read,chat:write,files:read,files:write,groups:history,groups:read,im:history,im:read,mpim:history,mpim:read,pins:write,reactions:write,users:read";

/** What somebody says, with what only Slack has. */
export interface SaidInSlack extends SaidThere {
  /** In the history, but its event never comes. */
  isUnheard?: boolean;
  subtype?: string;
  /** Another bot says it. */
  bot?: { botId: string; username: string };
}

export interface SlackPlatform extends FakePlatform {
  apiUrl: string;
  bot: typeof bot;
  workspace: Workspace;
  settings: SlackSettings;
  say(said: SaidInSlack): string;
  /** A person changes a message; returns when the event is on its way. */
  edit(channelId: string, ts: string, text: string): void;
  remove(channelId: string, ts: string): void;
  /** Somebody presses the button with this label under a post. */
  press(channelId: string, ts: string, label: string, userId: string): void;
  /** Any event of the Events API. */
  emit(event: Json): void;
  /** Calls to the Web API, in order. */
  calls(method?: string): SlackCall[];
  /** Sends a WebSocket ping to every connection. */
  ping(): void;
  readonly connections: number;
  readonly opened: number;
  readonly pongs: number;
}

export interface SlackPlatformOptions {
  /** The time that message ids are made of. */
  now?: () => number;
  /** After how long an envelope without an acknowledgement is sent again on the same connection. */
  redeliverAfterMs?: number;
}

export async function createSlackPlatform(options: SlackPlatformOptions = {}): Promise<SlackPlatform> {
  const { now = Date.now, redeliverAfterMs = 3_000 } = options;
  const workspace = createWorkspace(now);
  addEverybody(workspace);
  const settings: SlackSettings = {
    scopes: new Set(allScopes.split(",")),
    takesMarkdown: true,
    canStream: true,
    hasAssistant: true,
    sharesAfter: 0,
    loginPages: 0,
  };
  const faults = createFaultList();
  const calls: SlackCall[] = [];
  const login = { ...tokens, isRevoked: false };
  let waiters: { isDone: () => boolean; resolve: () => void }[] = [];
  const changed = () => {
    const ready = waiters.filter(({ isDone }) => isDone());
    waiters = waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  };
  const hub = createSocketHub({ redeliverAfterMs, onChange: changed });
  let events = 0;
  const emit = (event: Json) => hub.send("events_api", toPayload(event, ++events, now()));
  const openConnection: Method = {
    isForApp: true,
    run: (_args, { origin }) => ({ ok: true, url: `${origin.replace("http", "ws")}/link?ticket=${hub.opened}` }),
  };
  const methods = {
    ...chatMethods,
    ...conversationMethods,
    ...fileMethods,
    ...markMethods,
    "apps.connections.open": openConnection,
  };
  const context: MethodContext = { workspace, settings, origin: "", emit };
  const server = await startHttpServer((origin) => {
    context.origin = origin;
    const onCall = (call: SlackCall) => void calls.push(call);
    return { methods, context, faults, hub, tokens: login, onCall, onChange: changed };
  });
  const apiUrl = `${context.origin}/api/`;

  const platformFaults: Record<string, () => void> = {
    disconnect: () => hub.disconnect("refresh_requested"),
    warning: () => hub.disconnect("warning"),
    "link-disabled": () => hub.disconnect("link_disabled"),
    deaf: () => hub.deafen(),
    "revoke-token": () => {
      login.isRevoked = true;
    },
    "restore-token": () => {
      login.isRevoked = false;
    },
  };
  const fail = (fault: Fault) => {
    if (fault.type === "drop-socket") return hub.drop();
    if (fault.type !== "platform") return faults.add(fault);
    const act = platformFaults[fault.name] ?? (() => assertKnown(fault.name));
    act();
  };

  return {
    apiUrl,
    config: { type: "slack", botToken: tokens.bot, appToken: tokens.app, apiUrl },
    chats,
    people,
    bot,
    workspace,
    settings,
    addDirectChat(name) {
      const id = `0${name.toUpperCase().replace(/[^A-Z0-9]/g, "")}`;
      workspace.addUser(`U${id}`, name);
      workspace.addChannel({ id: `D${id}`, name, kind: "im", userId: `U${id}` });
      return { channelId: `D${id}`, userId: `U${id}` };
    },
    posts: (channelId) => workspace.messages.filter((message) => isPost(message, channelId)).map(toSeenPost),
    say(said) {
      const message = addSaid(workspace, said);
      if (said.isUnheard) return message.ts;
      faults.passEvent(() => {
        emit(buildMessageEvent(context, message));
        if (message.text.includes(`<@${bot.userId}>`)) emit(buildMentionEvent(context, message));
      });
      changed();
      return message.ts;
    },
    edit(channelId, ts, text) {
      const message = workspace.find(channelId, ts) ?? assertKnown(ts);
      const previous = toWireMessage(message, { filesUrl: `${context.origin}/files-pri` });
      Object.assign(message, { text: escapeTyped(text), editedTs: workspace.nextTs(), edits: message.edits + 1 });
      faults.passEvent(() => emit(buildChangedEvent(context, message, previous)));
    },
    remove(channelId, ts) {
      const message = workspace.find(channelId, ts) ?? assertKnown(ts);
      message.isDeleted = true;
      faults.passEvent(() => emit(buildDeletedEvent(context, message)));
    },
    press(channelId, ts, label, userId) {
      const message = workspace.find(channelId, ts) ?? assertKnown(ts);
      const buttons = (message.blocks ?? []).flatMap(({ elements }) => (elements as Json[] | undefined) ?? []);
      const button = buttons.find(({ text }) => (text as Json | undefined)?.["text"] === label) ?? assertKnown(label);
      hub.send("interactive", buildPress(context, message, userId, button));
    },
    emit,
    fail,
    calls: (method) => calls.filter((call) => method === undefined || call.method === method),
    ping: () => hub.ping(),
    until: (isDone) =>
      new Promise((resolve) => {
        if (isDone()) resolve();
        else waiters.push({ isDone, resolve });
      }),
    get unacknowledged() {
      return hub.unacknowledged;
    },
    get connections() {
      return hub.connections;
    },
    get opened() {
      return hub.opened;
    },
    get pongs() {
      return hub.pongs;
    },
    async close() {
      hub.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function assertKnown(name: string): never {
  throw new Error(`The fake Slack knows no ${name}`);
}

function addEverybody(workspace: Workspace): void {
  workspace.addUser(people.owner, "ann");
  workspace.addUser(people.other, "bob");
  workspace.addChannel({ id: chats.owner, name: "ann", kind: "im", userId: people.owner });
  workspace.addChannel({ id: chats.other, name: "bob", kind: "im", userId: people.other });
  workspace.addChannel({ id: chats.group, name: "general", kind: "channel" });
}

function addSaid(workspace: Workspace, said: SaidInSlack): SlackMessage {
  const typed = escapeTyped(said.text);
  const isGroup = workspace.channels.get(said.channelId)?.kind !== "im";
  const files = (said.files ?? []).map(({ filename, data, mimeType = "text/plain" }) =>
    workspace.addFile({ name: filename, mimeType, bytes: Buffer.from(data) }),
  );
  const subtype = said.subtype ?? (said.bot ? "bot_message" : files.length > 0 ? "file_share" : undefined);
  return workspace.addMessage({
    channelId: said.channelId,
    userId: said.userId,
    text: said.mention && isGroup ? `<@${bot.userId}> ${typed}` : typed,
    files,
    ...(said.id !== undefined && { ts: said.id }),
    ...(said.replyTo !== undefined && { threadTs: said.replyTo }),
    ...(subtype !== undefined && { subtype }),
    ...(said.bot && { botId: said.bot.botId, username: said.bot.username }),
  });
}

const isPost = ({ botId, channelId }: SlackMessage, wanted: string | undefined): boolean =>
  botId === bot.botId && (wanted === undefined || channelId === wanted);

function toSeenPost(message: SlackMessage): SeenPost {
  return {
    id: message.ts,
    channelId: message.channelId,
    text: textShown(message),
    ...(message.threadTs !== undefined && { replyTo: message.threadTs }),
    isDeleted: message.isDeleted,
    edits: message.edits,
    files: message.files.map(({ name, bytes }) => ({ filename: name, bytes: bytes.length })),
  };
}

function toPayload(event: Json, n: number, nowMs: number): Json {
  return {
    token: "verification",
    team_id: bot.teamId,
    api_app_id: bot.appId,
    type: "event_callback",
    event_id: `Ev${n}`,
    event_time: Math.floor(nowMs / 1000),
    authorizations: [{ team_id: bot.teamId, user_id: bot.userId, is_bot: true }],
    event,
  };
}
