/**
 * What can be seen of a running turn, from the agent's events: the Markdown of its live post, and the details that are
 * posted below the reply. Knows nothing of time or platforms. For `turn-show.ts`.
 */
import { formatCost, formatCount } from "../../base/format-values.ts";
import type { AgentSessionEvent } from "../../contracts/agent.ts";
import type { Usage } from "../../contracts/model.ts";
import { formatDuration } from "./format-duration.ts";
import { createNeutraliser, neutralise, neutraliseLine } from "./neutralise.ts";
import { hideSilence } from "./silent.ts";
import { truncate } from "./wrap.ts";

export interface TurnContent {
  apply(event: AgentSessionEvent): void;
  /** Of the live post. Empty: nothing can be shown yet. */
  readonly markdown: string;
  /** Nothing goes on until a person has answered. */
  readonly isWaiting: boolean;
  /** Markdown, one piece per post. */
  toDetails(): string[];
}

export interface TurnContentConfig {
  toolOutput: "off" | "summary" | "full";
  streaming: boolean;
  usageLine: boolean;
}

type ToolEnd = Extract<AgentSessionEvent, { type: "tool_execution_end" }>;

/** More of a growing text is never shown: no platform takes a longer post. UTF-16 units. */
const maxTextLength = 40_000;
const maxLabelWidth = 160;
const mostRunning = 3;
const mostDetails = 40;
/** Of one tool's output, its end. UTF-16 units. */
const maxOutputLength = 1_500;

export function createTurnContent({ toolOutput, streaming, usageLine }: TurnContentConfig): TurnContent {
  const running = new Map<string, string>();
  let neutraliser = createNeutraliser();
  let text = "";
  let isNewMessage = true;
  /** What the tools do, or did last. */
  let toolLines = "";
  /** Something else that goes on. */
  let note = "";
  let isWaiting = false;
  let showsText = false;
  const details: string[] = [];
  let leftOut = 0;
  let usage: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> & { cost: number } = noUsage;

  const setStatus = (line: string) => {
    note = line;
    showsText = false;
  };
  const grow = (delta: string) => {
    if (isNewMessage) {
      text = "";
      neutraliser = createNeutraliser();
      isNewMessage = false;
    }
    const room = maxTextLength - text.length;
    if (room > 0) text += neutraliser.push(delta.slice(0, room));
    showsText = true;
  };
  const showTools = () => {
    setStatus("");
    const lines = [...running.values()].slice(-mostRunning).map((label) => `→ ${label}`);
    if (lines.length > 0) toolLines = toolOutput === "off" ? "…" : lines.join("  \n");
  };
  const addDetail = (event: ToolEnd) => {
    if (toolOutput === "off") return;
    if (details.length < mostDetails) details.push(formatTool(event, toolOutput));
    else leftOut++;
  };

  return {
    apply(event) {
      switch (event.type) {
        case "text_delta":
          if (streaming) grow(event.delta);
          break;
        case "message_start":
        case "auto_retry_end":
        case "auto_compaction_end":
          note = "";
          break;
        case "message_end":
          usage = addUsage(usage, event.usage);
          if (streaming && !event.hasToolCalls) {
            isNewMessage = true;
            grow(event.text);
          }
          isNewMessage = true;
          break;
        case "tool_execution_start":
          running.set(event.toolCallId, toLabel(event.label));
          showTools();
          break;
        case "tool_execution_end":
          running.delete(event.toolCallId);
          addDetail(event);
          if (!isWaiting) showTools();
          break;
        case "approval_request":
          isWaiting = true;
          setStatus(`waiting for approval ${toLabel(event.approval.id)}`);
          break;
        case "approval_end":
          isWaiting = false;
          showTools();
          break;
        case "auto_retry_start":
          setStatus(
            `try ${event.attempt} of ${event.maxAttempts} in ${formatDuration(event.delayMs)}: ${toLabel(event.reason)}`,
          );
          break;
        case "auto_compaction_start":
          setStatus("shortening the conversation");
          break;
        case "model_fallback":
          setStatus(`going on with ${toLabel(event.to)}`);
          break;
      }
    },
    get markdown() {
      const shown = showsText ? toShowable(text) : "";
      return shown || note || toolLines;
    },
    get isWaiting() {
      return isWaiting;
    },
    toDetails() {
      const tools = toolOutput === "full" ? [...details] : [details.join("  \n")];
      if (leftOut > 0) tools.push(`… and ${leftOut} more`);
      if (usageLine && usage !== noUsage) tools.push(formatUsage(usage));
      return tools.filter((piece) => piece !== "");
    },
  };
}

/** The whole tag, or what may become one. */
const replyTag = /^\s*\[\[\s*reply_to(?:_current|:[^\]]{0,200})\s*\]\]\s*/;
const openReplyTag = /^\s*\[\[[^\]]{0,220}\]?$/;

/** Without what is never shown: silence, and which message is answered. */
function toShowable(text: string): string {
  const said = text.replace(replyTag, "");
  return openReplyTag.test(said) ? "" : hideSilence(said).trim();
}

/** One line of foreign text, to be read as it is: no Markdown, and nobody is called by it. */
function toLabel(text: string): string {
  return truncate(neutraliseLine(text.slice(0, 2_000)), maxLabelWidth)
    .replace(/[!-/:-?[-`{-~]/g, "\\$&")
    .replaceAll("@", "@\u200b");
}

function formatTool({ label, text, durationMs, isError }: ToolEnd, toolOutput: "summary" | "full"): string {
  const line = `${isError ? "✗" : "✓"} ${toLabel(label)} (${formatDuration(durationMs)})`;
  const output = neutralise(text.slice(-maxOutputLength * 2)).trimEnd();
  if (toolOutput === "summary" || output.trim() === "") return line;
  const end = output.length > maxOutputLength ? `…${output.slice(-maxOutputLength)}`.toWellFormed() : output;
  const ticks = Math.max(2, ...(end.match(/`+/g) ?? []).map((run) => run.length)) + 1;
  const fence = "`".repeat(ticks);
  return `${line}\n\n${fence}\n${end}\n${fence}`;
}

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

const addUsage = (sum: typeof noUsage, usage: Usage): typeof noUsage => ({
  input: sum.input + usage.input,
  output: sum.output + usage.output,
  cacheRead: sum.cacheRead + usage.cacheRead,
  cacheWrite: sum.cacheWrite + usage.cacheWrite,
  cost: sum.cost + usage.cost.total,
});

function formatUsage({ input, output, cacheRead, cacheWrite, cost }: typeof noUsage): string {
  const cached = cacheRead > 0 ? ` (${formatCount(cacheRead)} cached)` : "";
  const price = cost > 0 ? `, ${formatCost(cost)}` : "";
  return `tokens: ${formatCount(input + cacheRead + cacheWrite)} in${cached}, ${formatCount(output)} out${price}`;
}
