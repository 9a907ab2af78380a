/**
 * One turn on the screen: takes the agent's events, gives blocks for the scrollback and lines that are still alive. Knows
 * what of the reply has been shown, so that its delivery shows only what is missing.
 */
import type { AgentSessionEvent } from "../../../contracts/agent.ts";
import type { Clock } from "../../../contracts/clock.ts";
import type { Paints } from "../../kit/ansi.ts";
import { formatDuration } from "../../kit/format-duration.ts";
import { neutralise, neutraliseLine } from "../../kit/neutralise.ts";
import { truncate } from "../../kit/wrap.ts";
import type { CliConfig } from "../config.ts";
import { formatStyled, toParts } from "../format.ts";
import type { Block, Blocks } from "./blocks.ts";
import { createReplyStream, type ReplyStream } from "./reply-stream.ts";

export interface TurnDisplay {
  /** Takes an event in and gives what it adds to the scrollback. */
  apply(event: AgentSessionEvent): Block[];
  /** Blocks of the reply that were finished since the last call. */
  takeFinished(): Block[];
  /** The part of a delivered text that is not on the screen yet. */
  takeMissing(text: string): string;
  /** The unfinished block and the running tools, as lines. */
  toLiveLines(room: number): string[];
  readonly isRunning: boolean;
  readonly startedAtMs: number;
  readonly model: string;
  /** What it is doing, in a word or two. */
  readonly activity: string;
}

interface RunningTool {
  label: string;
  tail: string[];
}

/** Lines of output under a running or failed tool, and under any ended one where everything is to be seen. */
const tailLines = 3;
const fullLines = 40;
/** A live block that is longer is shown by its end, unformatted. UTF-16 units. */
const maxLiveLength = 16_384;

/** A character whose rest has not come in yet; on its own a terminal would join it with whatever is drawn next. */
const halfCharacter = /[\u200d\ud800-\udbff]+$/;

export interface TurnDisplayDeps {
  clock: Clock;
  paint: Paints;
  blocks: Blocks;
  color: boolean;
}

export function createTurnDisplay(
  { clock, paint, blocks, color }: TurnDisplayDeps,
  { toolOutput }: CliConfig,
): TurnDisplay {
  const tools = new Map<string, RunningTool>();
  let stream: ReplyStream | undefined;
  let shownParts: string[] = [];
  let model = "";
  let activity = "";
  let isRunning = false;
  let startedAtMs = clock.monotonic();

  function endMessage(text: string | undefined, isReply: boolean): Block[] {
    if (!stream && text === undefined) return [];
    const ended = stream ?? createReplyStream();
    const missing = ended.finish(text ?? ended.taken + ended.rest);
    shownParts = isReply ? toParts(ended.taken.trim()) : [];
    stream = undefined;
    return blocks.reply(missing);
  }

  function toToolBlocks(event: Extract<AgentSessionEvent, { type: "tool_execution_end" }>): Block[] {
    tools.delete(event.toolCallId);
    if (toolOutput === "off") return [];
    const sign = event.isError ? paint.red("✗") : paint.green("✓");
    const label = neutraliseLine(event.label);
    const duration = formatDuration(event.durationMs);
    const count = toolOutput === "full" ? fullLines : event.isError ? tailLines : 0;
    return [blocks.tool({ sign, label, end: duration }, lastLines(event.text, count))];
  }

  function apply(event: AgentSessionEvent): Block[] {
    switch (event.type) {
      case "agent_start":
        isRunning = true;
        startedAtMs = clock.monotonic();
        model = neutraliseLine(event.model);
        activity = "";
        return event.resumed ? [blocks.note("(going on with a turn that was interrupted)")] : [];
      case "message_start":
        return endMessage(undefined, false);
      case "thinking_delta":
        activity = "thinking";
        return [];
      case "text_delta":
        activity = "";
        stream ??= createReplyStream();
        stream.push(event.delta);
        return [];
      case "message_end":
        return endMessage(event.text, !event.hasToolCalls);
      case "tool_execution_start": {
        const said = endMessage(undefined, false);
        activity = "";
        tools.set(event.toolCallId, { label: neutraliseLine(event.label), tail: [] });
        return said;
      }
      case "tool_execution_update": {
        const tool = tools.get(event.toolCallId);
        if (tool) tool.tail = lastLines(event.text, tailLines);
        return [];
      }
      case "approval_request":
        // The question itself was posted, maybe before a restart: this says that it is still open.
        activity = `waiting for /approve ${event.approval.id} once|always|deny`;
        return [];
      case "approval_end":
        activity = "";
        return [];
      case "tool_execution_end":
        return toToolBlocks(event);
      case "auto_retry_start":
        activity = `try ${event.attempt} of ${event.maxAttempts} in ${formatDuration(event.delayMs)}: ${neutraliseLine(event.reason)}`;
        return [];
      case "auto_retry_end":
        activity = "";
        return [];
      case "steered":
        return event.texts.map((text) => blocks.note(`↳ taken in: ${neutraliseLine(text)}`));
      case "agent_end":
        isRunning = false;
        tools.clear();
        return endMessage(undefined, true);
      default:
        return [];
    }
  }

  return {
    apply,
    takeFinished: () => blocks.reply(stream?.takeFinished() ?? ""),
    takeMissing(text) {
      const clean = neutralise(text).trim();
      if (stream) {
        // The end of the message was not shown to us; the delivery is the end.
        const missing = stream.finish(clean);
        const isWhole = stream.taken === clean;
        stream = undefined;
        return isWhole ? missing : clean;
      }
      const shown = shownParts.shift()?.trim() ?? "";
      return clean.startsWith(shown) ? clean.slice(shown.length) : clean;
    },
    toLiveLines(room) {
      const rest = (stream?.rest ?? "").replace(halfCharacter, "").trim();
      const text =
        rest.length > maxLiveLength ? rest.slice(-maxLiveLength / 4).split("\n") : formatLive(rest, room, color);
      const running = toolOutput === "off" ? [] : [...tools.values()];
      const toolLines = running.flatMap((tool) => [
        `${paint.yellow("→")} ${truncate(tool.label, room - 2)}`,
        ...tool.tail.map((line) => paint.dim(`  ${truncate(line, room - 2)}`)),
      ]);
      return text.length > 0 && toolLines.length > 0 ? [...text, "", ...toolLines] : [...text, ...toolLines];
    },
    get isRunning() {
      return isRunning;
    },
    get startedAtMs() {
      return startedAtMs;
    },
    get model() {
      return model;
    },
    get activity() {
      return activity;
    },
  };
}

const formatLive = (markdown: string, room: number, color: boolean): string[] =>
  markdown === "" ? [] : formatStyled(markdown, room, color);

/** The last lines of an output that are not empty; looks only at its end. */
function lastLines(text: string, count: number): string[] {
  if (count === 0) return [];
  const lines = neutralise(text.slice(-count * 2_000)).split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-count)
    .map((line) => line.replaceAll("\t", "  "));
}
