/** One event of the session carries the timeline on. Pure. Events come in order and once; those before the history are left out. */
import type { EventName, Payload } from "../../src/gateway/protocol/index.ts";
import { applyAgentEvent, endTurn, note } from "./apply-agent-event.ts";
import { fromChatItem, type Item, isAfter, mostItems, type SaidItem, type Timeline, type Turn } from "./timeline.ts";

type Names = Extract<
  EventName,
  "chat.message" | "agent" | "chat.post" | "chat.edit" | "chat.end" | "approval.requested" | "approval.resolved"
>;
export type ChatEvent = { [Name in Names]: { id: string; at: number; event: Name; payload: Payload<Name> } }[Names];

export function applyEvents(timeline: Timeline, events: readonly ChatEvent[], sessionKey: string): Timeline {
  let next = timeline;
  for (const event of joinDeltas(events)) {
    if (next.lastEventId !== "" && !isAfter(event.id, next.lastEventId)) continue;
    next = { ...applyEvent(next, event, sessionKey), lastEventId: event.id };
  }
  return next.items.length > mostItems ? { ...next, items: next.items.slice(-mostItems), isCut: true } : next;
}

/** A fast model sends hundreds of small pieces between two frames of the screen: those of one kind in a row are one. */
function joinDeltas(events: readonly ChatEvent[]): ChatEvent[] {
  const joined: ChatEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const both = last && joinTwo(last, event);
    if (both) joined[joined.length - 1] = both;
    else joined.push(event);
  }
  return joined;
}

function joinTwo(first: ChatEvent, second: ChatEvent): ChatEvent | undefined {
  if (first.event !== "agent" || second.event !== "agent" || first.payload.turnId !== second.payload.turnId) return;
  const [a, b] = [first.payload.event, second.payload.event];
  const isDelta = a["type"] === "text_delta" || a["type"] === "thinking_delta";
  if (!isDelta || a["type"] !== b["type"]) return undefined;
  const event = { type: a["type"], delta: `${a["delta"]}${b["delta"]}` };
  return { ...second, payload: { turnId: second.payload.turnId, event } };
}

function applyEvent(timeline: Timeline, event: ChatEvent, sessionKey: string): Timeline {
  switch (event.event) {
    case "chat.message":
      return applyMessage(timeline, event.payload);
    case "agent":
      return applyAgentEvent(timeline, event.payload, event);
    case "chat.post":
      return applyPost(timeline, event.payload, event.at);
    case "chat.edit":
      return applyEdit(timeline, event.payload);
    case "chat.end":
      return applyEnd(timeline, event.payload, event.at);
    case "approval.requested": {
      const { approval } = event.payload;
      if (approval.sessionKey !== sessionKey || approval.state !== "pending") return timeline;
      return { ...timeline, approvals: [...timeline.approvals.filter(({ id }) => id !== approval.id), approval] };
    }
    case "approval.resolved":
      return { ...timeline, approvals: timeline.approvals.filter(({ id }) => id !== event.payload.id) };
  }
}

/** What the page itself sent is there already and becomes the real one, in its place. */
function applyMessage(timeline: Timeline, payload: Payload<"chat.message">): Timeline {
  const { turnId, messageId, channel, item } = payload;
  const isElsewhere = channel.adapter !== "webchat";
  const said = fromChatItem(item);
  const added: Item =
    said.type === "said"
      ? {
          ...said,
          id: messageId,
          ...(turnId !== undefined && { turnId }),
          ...(isElsewhere && { place: channel.adapter }),
        }
      : said;
  const known = timeline.items.findLastIndex(({ id }) => id === messageId);
  const isOwn = (each: Item) => !isElsewhere && isSendingOf(each, item.text ?? "");
  const own = known === -1 ? timeline.items.findIndex(isOwn) : known;
  const items = own === -1 ? [...timeline.items, added] : timeline.items.with(own, added);
  return { ...timeline, items, turns: addTurn(timeline.turns, payload, item.sender ?? "", item.at) };
}

const isSendingOf = (item: Item, text: string) =>
  item.type === "said" && item.sending?.state === "sending" && item.text.trim() === text.trim();

function addTurn(
  turns: readonly Turn[],
  { turnId, item }: Payload<"chat.message">,
  sender: string,
  at: number,
): readonly Turn[] {
  if (turnId === undefined || turns.some((turn) => turn.turnId === turnId)) return turns;
  const state = turns.length === 0 ? "running" : "waiting";
  return [...turns, { turnId, state, text: item.text ?? "", sender, createdAt: at }];
}

/**
 * A reply was streamed already and is now posted: the same words are not shown twice. What was not streamed, an aside, a
 * file, the answer of a command, is an item of its own. Questions for approval have their card.
 */
function applyPost(timeline: Timeline, payload: Payload<"chat.post">, at: number): Timeline {
  const { turnId, deliveryId, channel, text, file, isAside } = payload;
  if (/^approval-[^.]*(?<!-word)\.\d+$/.test(deliveryId)) return timeline;
  if (timeline.items.some((item) => item.type === "said" && item.deliveryId === deliveryId)) return timeline;
  const streamed = file ? -1 : findStreamed(timeline.items, payload);
  if (streamed !== -1) {
    const items = replaceSaid(timeline.items, streamed, (item) => ({ ...item, deliveryId, isStreaming: false }));
    return { ...timeline, items };
  }
  const item: SaidItem = {
    type: "said",
    id: `post ${deliveryId}`,
    at,
    role: "assistant",
    text: text ?? "",
    deliveryId,
    ...(turnId !== undefined && { turnId }),
    ...(file && { files: [{ filename: file.filename, deliveryId }] }),
    ...(channel.adapter !== "webchat" && isAside && { place: channel.adapter }),
  };
  return { ...timeline, items: [...timeline.items, item] };
}

/** The turn's message that says the same. A long reply may be posted in parts; an aside never stands in a reply. */
function findStreamed(items: readonly Item[], { turnId, text = "", isAside }: Payload<"chat.post">): number {
  if (turnId === undefined || text.trim() === "") return -1;
  const posted = squeeze(text);
  const mayBePart = isAside !== true && posted.length >= 20;
  return items.findLastIndex((item) => {
    if (item.type !== "said" || item.role !== "assistant" || item.turnId !== turnId) return false;
    if (item.text.trim() === text.trim()) return true;
    const own = squeeze(item.text);
    return posted !== "" && (own === posted || (mayBePart && own.includes(posted)));
  });
}

/** Platforms write Markdown in their own way: only letters and digits are compared. */
const squeeze = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

function applyEdit(timeline: Timeline, { deliveryId, text }: Payload<"chat.edit">): Timeline {
  const at = timeline.items.findLastIndex((item) => item.type === "said" && item.deliveryId === deliveryId);
  if (at === -1) return timeline;
  const items =
    text === undefined
      ? timeline.items.toSpliced(at, 1)
      : replaceSaid(timeline.items, at, (item) => ({ ...item, text }));
  return { ...timeline, items };
}

function replaceSaid(items: readonly Item[], at: number, change: (item: SaidItem) => SaidItem): readonly Item[] {
  const item = items[at];
  return item?.type === "said" ? items.with(at, change(item)) : items;
}

function applyEnd(timeline: Timeline, payload: Payload<"chat.end">, at: number): Timeline {
  const { turnId, state, error, mergedInto } = payload;
  const ended = endTurn(timeline, turnId);
  if (mergedInto !== undefined) return ended;
  if (state === "stopped") return note(ended, `end ${turnId}`, at, "Stopped.");
  if (state === "failed" && !saysError(ended.items, turnId, error)) {
    return note(ended, `end ${turnId}`, at, error ?? "This turn failed.", "bad");
  }
  return ended;
}

/** The person who asked has been told already, in the turn's reply. */
const saysError = (items: readonly Item[], turnId: string, error: string | undefined) =>
  error !== undefined &&
  items.some((item) => item.type === "said" && item.turnId === turnId && (item.error ?? item.text).includes(error));
