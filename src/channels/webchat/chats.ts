/**
 * The chats of web chat. `main` is the owner's own and always there. `session/<key>` is a window on a session that lives
 * elsewhere, `api/<agent>/<name>` a conversation over HTTP; the app opens those before somebody speaks in them.
 */
import { ChannelError } from "../../base/errors.ts";
import type { ChannelInfo } from "../../contracts/message.ts";
import { createDirectory } from "../kit/directory.ts";

export interface Chats {
  /** Makes a chat known, or known as that. Throws `WEBCHAT_CHAT_UNKNOWN` for what can be none. */
  open(info: ChannelInfo): void;
  /** It is in use: others are forgotten first. */
  touch(channelId: string): void;
  find(channelId: string): ChannelInfo | undefined;
  list(): ChannelInfo[];
}

const main: ChannelInfo = { id: "main", name: "main", type: "dm" };
const sessionPrefix = "session/";
const shape = /^(?:main|session\/.+|api\/[^/]+\/.+)$/s;
const longestId = 4_096;
const mostOpen = 2_000;

/** Posts wait for chats that nobody has opened since the start, so this asks what the id looks like. */
export const isChatId = (channelId: string): boolean => channelId.length <= longestId && shape.test(channelId);

export function createChats(): Chats {
  const opened = createDirectory({ maxChannels: mostOpen });
  const find = (channelId: string) => (channelId === main.id ? main : opened.channel(channelId));
  return {
    open(info) {
      if (!isChat(info)) throw chatUnknown(info.id);
      if (info.id !== main.id) opened.putChannel(info);
    },
    touch(channelId) {
      const info = opened.channel(channelId);
      if (info) opened.putChannel(info);
    },
    find,
    list: () => [main, ...opened.channels()],
  };
}

/** A window decides which session hears what is said, so it must be the one that the chat is named after. */
function isChat({ id, type, window }: ChannelInfo): boolean {
  if (!isChatId(id) || type !== "dm") return false;
  if (id === main.id) return window === undefined;
  if (id.startsWith(sessionPrefix)) return window?.sessionKey === id.slice(sessionPrefix.length);
  return window === undefined || window.type === "dm";
}

export const chatUnknown = (channelId: string): ChannelError =>
  new ChannelError("WEBCHAT_CHAT_UNKNOWN", `Web chat has no chat "${channelId}", or not one of that kind.`, {
    hint: "This is a bug in mom: please report what you did.",
  });
