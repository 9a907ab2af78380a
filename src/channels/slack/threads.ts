/** The threads that mom has seen lately: which one a message is in, and whether mom spoke last in it. Bounded. */
import type { ChannelMessage } from "../../contracts/message.ts";
import { threadOf, type WireMessage } from "./wire.ts";

export interface Threads {
  /** A message was seen, in order; `isOwn`: mom's. */
  note(message: WireMessage, isOwn: boolean): void;
  /** The root of the thread that the message `ts` belongs to: itself where it is no reply. */
  rootOf(channelId: string, ts: string): string;
  /** Whoever writes there now answers mom. */
  isMomLast(channelId: string, root: string): boolean;
}

const most = 2_000;

export function createThreads(): Threads {
  const roots = new Map<string, string>();
  const last = new Map<string, boolean>();
  const put = <Value>(map: Map<string, Value>, key: string, value: Value) => {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > most && oldest !== undefined) map.delete(oldest);
  };
  return {
    note(message, isOwn) {
      const root = threadOf(message);
      if (root === undefined) return;
      put(roots, `${message.channelId} ${message.ts}`, root);
      put(last, `${message.channelId} ${root}`, isOwn);
    },
    rootOf: (channelId, ts) => roots.get(`${channelId} ${ts}`) ?? ts,
    isMomLast: (channelId, root) => last.get(`${channelId} ${root}`) === true,
  };
}

/** What a post belongs to. */
export interface Belongs {
  channelId: string;
  replyTo?: string | undefined;
  cause?: ChannelMessage | undefined;
}

/** The thread that a post goes to; undefined: the conversation itself. */
export function pickThread(
  { channelId, replyTo, cause }: Belongs,
  { threads, replies, isDirect }: { threads: Threads; replies: "thread" | "channel"; isDirect: boolean },
): string | undefined {
  if (replyTo !== undefined && isTs(replyTo))
    return threadOfCause(cause, replyTo) ?? threads.rootOf(channelId, replyTo);
  if (!cause) return undefined;
  const { threadTs, pressedOn } = (cause.metadata ?? {}) as { threadTs?: string; pressedOn?: string };
  if (threadTs !== undefined) return threadTs;
  // Where nothing is known of it, an answer was given in a thread.
  if (pressedOn === undefined && cause.replyTo !== undefined) return cause.replyTo;
  const root = pressedOn ?? cause.id;
  return isDirect || replies === "channel" || !isTs(root) ? undefined : root;
}

/** Not every message that is answered was said on Slack: reminders have ids of mom's own. */
const isTs = (id: string): boolean => /^\d+\.\d+$/.test(id);

/** An answer to the very message that the turn is about goes where that message is. */
function threadOfCause(cause: ChannelMessage | undefined, replyTo: string): string | undefined {
  return cause?.id === replyTo ? ((cause.metadata?.["threadTs"] as string | undefined) ?? cause.replyTo) : undefined;
}
