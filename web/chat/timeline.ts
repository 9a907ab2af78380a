/**
 * A conversation as the chat page shows it: items in order, turns that run or wait, questions that wait for a word. Built from
 * `chat.history`; apply-event.ts carries it on. Values only: what did not change stays the same object.
 */
import type {
  ApprovalSummary,
  ChatItem,
  FileReference,
  Result,
  ToolUse,
  TurnSummary,
} from "../../src/gateway/protocol/index.ts";

export interface SaidItem {
  type: "said";
  id: string;
  at: number;
  role: "user" | "assistant";
  text: string;
  /** Who, where it is not the owner in this chat. */
  sender?: string;
  /** The platform, where it was said elsewhere: `slack`. */
  place?: string;
  thinking?: string;
  model?: string;
  attachments?: readonly FileReference[];
  /** Files that mom posted. */
  files?: readonly { filename: string; deliveryId: string }[];
  error?: string;
  turnId?: string;
  /** Of the post that said it. */
  deliveryId?: string;
  /** More of it is on its way. */
  isStreaming?: boolean;
  /** Its beginning was not seen; the end of the message brings it. */
  isPartial?: boolean;
  /** Of the page's own, until mom has taken it. */
  sending?: { key: string; state: "sending" | "failed"; error?: string };
}

export interface ToolItem {
  type: "tool";
  id: string;
  at: number;
  tool: ToolUse;
  /** One line of what it does, from mom. */
  label?: string;
  turnId?: string;
}

export interface NoteItem {
  type: "note";
  id: string;
  at: number;
  text: string;
  tone: "neutral" | "bad";
}

export type Item = SaidItem | ToolItem | NoteItem;

export interface Turn {
  turnId: string;
  state: "waiting" | "running";
  text: string;
  sender: string;
  createdAt: number;
}

export interface Timeline {
  items: readonly Item[];
  /** In the order they came. */
  turns: readonly Turn[];
  approvals: readonly ApprovalSummary[];
  /** What the running turn does just now, where it is neither text nor a tool. */
  activity: string | undefined;
  /** There is more before the first item. */
  isCut: boolean;
  /** What this id and those before it brought is in already. */
  lastEventId: string;
  /** Pictures of tools came out of this; the history has them. */
  hasUnseenImages: boolean;
}

/** Older ones leave; the transcript has them. */
export const mostItems = 5_000;

export const emptyTimeline: Timeline = {
  items: [],
  turns: [],
  approvals: [],
  activity: undefined,
  isCut: false,
  lastEventId: "",
  hasUnseenImages: false,
};

export function fromHistory(history: Result<"chat.history">): Timeline {
  return {
    ...emptyTimeline,
    items: history.items.map(fromChatItem),
    turns: history.turns.flatMap(toTurn),
    approvals: history.approvals.filter(({ state }) => state === "pending"),
    isCut: history.isCut,
    lastEventId: history.lastEventId,
  };
}

export function fromChatItem(item: ChatItem): Item {
  const { id, at } = item;
  if (item.tool) return { type: "tool", id, at, tool: item.tool };
  if (item.role === "note") return { type: "note", id, at, text: item.text ?? "", tone: "neutral" };
  return {
    type: "said",
    id,
    at,
    role: item.role === "user" ? "user" : "assistant",
    text: item.text ?? "",
    ...(item.sender !== undefined && !isOwner(item.sender) && { sender: item.sender }),
    ...(item.thinking !== undefined && { thinking: item.thinking }),
    ...(item.model !== undefined && item.model !== noModel && { model: item.model }),
    ...(item.attachments && { attachments: item.attachments }),
    ...(item.error !== undefined && { error: item.error }),
  };
}

/** An answer of the house itself, such as the end of a turn that was stopped. */
export const noModel = "mom/none";

/** Whoever looks at this page is the owner: the name says nothing to them. */
const isOwner = (sender: string) => sender === "owner";

function toTurn({ turnId, state, text, sender, createdAt }: TurnSummary): Turn[] {
  const common = { turnId, text, sender, createdAt };
  if (state === "received" || state === "queued") return [{ ...common, state: "waiting" }];
  return state === "running" || state === "delivering" ? [{ ...common, state: "running" }] : [];
}

/** How long the history may take to have what was sent. */
const settlesMs = 60_000;

/**
 * After a reconnect or a reload, what this page is still sending stays, and so does what mom has just taken and the history
 * does not have yet: it was read before, or the turn has not begun.
 */
export function withSending(fresh: Timeline, before: Timeline, now: number): Timeline {
  const unseen = new Set(findUnseen(fresh, before));
  const openTurns = new Set(fresh.turns.map(({ turnId }) => turnId));
  const isOpen = ({ turnId, at }: SaidItem) => at > now - settlesMs || (turnId !== undefined && openTurns.has(turnId));
  const own = before.items.filter(
    (item) => item.type === "said" && (item.sending !== undefined || (unseen.has(item) && isOpen(item))),
  );
  return own.length === 0 ? fresh : { ...fresh, items: [...fresh.items, ...own] };
}

/** Only what this page is still sending: the conversation is another one now. */
export const withoutSent = (timeline: Timeline): Timeline => ({
  ...timeline,
  items: timeline.items.filter((item) => item.type === "said" && item.sending !== undefined),
});

/**
 * Said here, taken by mom, and not in the history. The history has its own ids, so the words are compared, the newest first, and
 * each item of the history stands for one message only.
 */
function findUnseen(fresh: Timeline, before: Timeline): SaidItem[] {
  const known = new Set(before.items.map(({ id }) => id));
  const freshIds = new Set(fresh.items.map(({ id }) => id));
  const counts = new Map<string, number>();
  for (const item of fresh.items) {
    if (item.type !== "said" || item.role !== "user" || known.has(item.id)) continue;
    counts.set(item.text.trim(), (counts.get(item.text.trim()) ?? 0) + 1);
  }
  return before.items.toReversed().flatMap((item) => {
    const isOwn = item.type === "said" && item.role === "user" && item.turnId !== undefined && item.place === undefined;
    if (!isOwn || item.sending !== undefined || freshIds.has(item.id)) return [];
    const left = counts.get(item.text.trim()) ?? 0;
    counts.set(item.text.trim(), left - 1);
    return left > 0 ? [] : [item];
  });
}

/** Ids are `<life>-<number>`; of another life nothing is known, so it counts as new. */
export function isAfter(id: string, last: string): boolean {
  const [life, number] = split(id);
  const [lastLife, lastNumber] = split(last);
  return life !== lastLife || number > lastNumber;
}

function split(id: string): [life: string, number: number] {
  const at = id.lastIndexOf("-");
  return [id.slice(0, at), Number(id.slice(at + 1))];
}

/** Pictures come with the history only: takes those of calls that are shown. */
export function withImages(timeline: Timeline, history: readonly ChatItem[]): Timeline {
  const images = new Map(history.flatMap(({ tool }) => (tool?.images ? [[tool.callId, tool.images] as const] : [])));
  const items = timeline.items.map((item) => {
    const found = item.type === "tool" && !item.tool.images ? images.get(item.tool.callId) : undefined;
    return item.type === "tool" && found ? { ...item, tool: { ...item.tool, images: found } } : item;
  });
  return { ...timeline, items, hasUnseenImages: false };
}
