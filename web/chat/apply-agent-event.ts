/** What a running turn shows, as items: text that grows, thinking, tools with their output. Pure. */
import { type AgentEvent, parseAgentEvent, toRecord } from "./agent-event.ts";
import type { Item, NoteItem, SaidItem, Timeline, ToolItem } from "./timeline.ts";

interface Moment {
  id: string;
  at: number;
}

export function applyAgentEvent(
  timeline: Timeline,
  { turnId, event }: { turnId: string; event: Record<string, unknown> },
  moment: Moment,
): Timeline {
  const parsed = parseAgentEvent(event);
  const running = parsed.type === "other" ? timeline : markRunning(timeline, turnId, moment.at);
  return apply(running, parsed, turnId, moment);
}

function apply(timeline: Timeline, event: AgentEvent, turnId: string, moment: Moment): Timeline {
  switch (event.type) {
    case "message_start":
      return openMessage(finishMessages(timeline, turnId), turnId, moment, false);
    case "text_delta":
      return grow(timeline, turnId, moment, (item) => ({ ...item, text: item.text + event.delta }));
    case "thinking_delta":
      return grow(timeline, turnId, moment, (item) => ({ ...item, thinking: (item.thinking ?? "") + event.delta }));
    case "message_end":
      return endMessage(timeline, turnId, moment, event.text);
    case "agent_end":
      return finishMessages({ ...timeline, activity: undefined }, turnId);
    case "error":
      return note(timeline, moment.id, moment.at, event.message, "bad");
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
    case "approval_request":
    case "approval_end":
      return applyTool(timeline, event, turnId, moment);
    default:
      return applyHouse(timeline, event, moment);
  }
}

type ToolEvent = Extract<
  AgentEvent,
  { type: `tool_execution_${string}` } | { type: "approval_request" } | { type: "approval_end" }
>;

function applyTool(timeline: Timeline, event: ToolEvent, turnId: string, moment: Moment): Timeline {
  switch (event.type) {
    case "tool_execution_start":
      return startTool(finishMessages(timeline, turnId), event, turnId, moment);
    case "tool_execution_update":
      return changeTool(timeline, event.toolCallId, (item) => ({ ...item, tool: { ...item.tool, text: event.text } }));
    case "tool_execution_end":
      return endTool(timeline, event, turnId, moment);
    case "approval_request":
      return changeTool(timeline, event.toolCallId, (item) => ({ ...item, tool: { ...item.tool, state: "waiting" } }));
    case "approval_end":
      return changeTool(timeline, event.toolCallId, (item) => ({ ...item, tool: { ...item.tool, state: "running" } }));
  }
}

/** What the house says of itself while it works. */
function applyHouse(timeline: Timeline, event: AgentEvent, { id, at }: Moment): Timeline {
  switch (event.type) {
    case "auto_retry_start": {
      const tries = `try ${event.attempt} of ${event.maxAttempts} in ${Math.ceil(event.delayMs / 1000)} s`;
      return { ...timeline, activity: `The model did not answer: ${event.reason}; ${tries}` };
    }
    case "auto_compaction_start":
      return { ...timeline, activity: "Summing up what was said before" };
    case "auto_retry_end":
      return { ...timeline, activity: undefined };
    case "auto_compaction_end": {
      const text = `What came before was summed up: ${event.tokensBefore} tokens became ${event.tokensAfter}.`;
      return note({ ...timeline, activity: undefined }, id, at, text);
    }
    case "model_fallback":
      return note(timeline, id, at, `${event.from} did not answer (${event.reason}); ${event.to} does.`);
    default:
      return timeline;
  }
}

function markRunning(timeline: Timeline, turnId: string, at: number): Timeline {
  const known = timeline.turns.find((turn) => turn.turnId === turnId);
  if (known?.state === "running") return timeline;
  const turns = known
    ? timeline.turns.map((turn) => (turn === known ? { ...turn, state: "running" as const } : turn))
    : [...timeline.turns, { turnId, state: "running" as const, text: "", sender: "", createdAt: at }];
  return { ...timeline, turns };
}

const isOpen = (item: Item, turnId: string): item is SaidItem =>
  item.type === "said" && item.isStreaming === true && item.turnId === turnId;

function openMessage(timeline: Timeline, turnId: string, { id, at }: Moment, isPartial: boolean): Timeline {
  const item: SaidItem = {
    type: "said",
    id: `live ${id}`,
    at,
    role: "assistant",
    text: "",
    turnId,
    isStreaming: true,
    ...(isPartial && { isPartial }),
  };
  return { ...timeline, items: [...timeline.items, item] };
}

/** A piece whose beginning was before the history was loaded opens a message, too. */
function grow(timeline: Timeline, turnId: string, moment: Moment, change: (item: SaidItem) => SaidItem): Timeline {
  const at = timeline.items.findLastIndex((item) => isOpen(item, turnId));
  if (at === -1) return grow(openMessage(timeline, turnId, moment, true), turnId, moment, change);
  const item = timeline.items[at];
  if (item?.type !== "said") return timeline;
  return { ...timeline, activity: undefined, items: timeline.items.with(at, change(item)) };
}

function endMessage(timeline: Timeline, turnId: string, moment: Moment, text: string): Timeline {
  const isThere = timeline.items.some((item) => isOpen(item, turnId));
  const open = isThere || text === "" ? timeline : openMessage(timeline, turnId, moment, false);
  const at = open.items.findLastIndex((item) => isOpen(item, turnId));
  const item = open.items[at];
  if (item?.type !== "said") return open;
  const { isPartial: _, ...whole } = item;
  return finishMessages({ ...open, items: open.items.with(at, { ...whole, text: text || item.text }) }, turnId);
}

/** A message that said nothing is none. */
function finishMessages(timeline: Timeline, turnId: string): Timeline {
  if (!timeline.items.some((item) => isOpen(item, turnId))) return timeline;
  const items = timeline.items.flatMap((item): Item[] => {
    if (!isOpen(item, turnId)) return [item];
    const { isStreaming: _, ...done } = item;
    return done.text.trim() === "" && (done.thinking ?? "").trim() === "" ? [] : [done];
  });
  return { ...timeline, items };
}

function startTool(
  timeline: Timeline,
  { toolCallId, toolName, label, args }: Extract<AgentEvent, { type: "tool_execution_start" }>,
  turnId: string,
  { at }: Moment,
): Timeline {
  const tool = { callId: toolCallId, name: toolName, args, state: "running" as const };
  const item: ToolItem = { type: "tool", id: `tool ${toolCallId}`, at, tool, label, turnId };
  const known = findTool(timeline.items, toolCallId);
  const items =
    known === -1
      ? [...timeline.items, item]
      : timeline.items.with(known, { ...item, id: timeline.items[known]?.id ?? item.id });
  return { ...timeline, activity: undefined, items };
}

function endTool(
  timeline: Timeline,
  event: Extract<AgentEvent, { type: "tool_execution_end" }>,
  turnId: string,
  moment: Moment,
): Timeline {
  const { toolCallId, toolName, label, text, details, durationMs, isError } = event;
  const isKnown = findTool(timeline.items, toolCallId) !== -1;
  const started = isKnown
    ? timeline
    : startTool(timeline, { type: "tool_execution_start", toolCallId, toolName, label, args: {} }, turnId, moment);
  const ended = changeTool(started, toolCallId, (item) => ({
    ...item,
    label,
    tool: {
      ...item.tool,
      state: isError ? "failed" : "done",
      text,
      durationMs,
      ...(details !== undefined && details !== null && { details }),
    },
  }));
  return hasImage(details) ? { ...ended, hasUnseenImages: true } : ended;
}

const hasImage = (details: unknown) => ["image", "images", "screenshot"].some((key) => key in toRecord(details));

const findTool = (items: readonly Item[], callId: string) =>
  items.findLastIndex((item) => item.type === "tool" && item.tool.callId === callId);

function changeTool(timeline: Timeline, callId: string, change: (item: ToolItem) => ToolItem): Timeline {
  const at = findTool(timeline.items, callId);
  const item = timeline.items[at];
  return item?.type === "tool" ? { ...timeline, items: timeline.items.with(at, change(item)) } : timeline;
}

/** The turn is over: nothing of it runs any more, whatever was not told. */
export function endTurn(timeline: Timeline, turnId: string): Timeline {
  const turns = timeline.turns.filter((turn) => turn.turnId !== turnId);
  const finished = finishMessages({ ...timeline, turns, activity: undefined }, turnId);
  const items = finished.items.map((item) => {
    const isLeft = item.type === "tool" && item.turnId === turnId && isUnfinished(item.tool.state);
    return isLeft ? { ...item, tool: { ...item.tool, state: "interrupted" as const } } : item;
  });
  return { ...finished, items };
}

const isUnfinished = (state: ToolItem["tool"]["state"]) => state === "running" || state === "waiting";

export function note(
  timeline: Timeline,
  id: string,
  at: number,
  text: string,
  tone: NoteItem["tone"] = "neutral",
): Timeline {
  return { ...timeline, items: [...timeline.items, { type: "note", id: `note ${id}`, at, text, tone }] };
}
