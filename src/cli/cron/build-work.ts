/** A job's work out of the options of `mom cron add` and `edit`. */
import { UsageError } from "../../base/errors.ts";
import type { CronPayload } from "../../contracts/cron.ts";
import type { ThinkingLevel } from "../../contracts/model.ts";
import { parseChat } from "./pick-home.ts";

export interface WorkOptions {
  name?: string;
  tz?: string;
  isolated?: boolean;
  deliver?: boolean;
  to?: string;
  model?: string;
  thinking?: string;
  timeout?: number;
}

type AgentTurn = Extract<CronPayload, { kind: "agentTurn" }>;

/** Throws `BAD_USAGE` for options that only a turn of its own can have, where it has none. */
export function buildWork(text: string, options: WorkOptions, before?: CronPayload): CronPayload {
  const wasIsolated = before?.kind === "agentTurn";
  if (!(options.isolated ?? wasIsolated)) {
    refuseTurnOptions(options);
    return { kind: "systemEvent", text };
  }
  const kept: Partial<AgentTurn> = wasIsolated ? before : {};
  const { model, thinking, timeout, deliver } = options;
  return {
    ...kept,
    kind: "agentTurn",
    message: text,
    ...(model !== undefined && { model }),
    // Checked with the rest of the job.
    ...(thinking !== undefined && { thinking: thinking as ThinkingLevel }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(deliver !== undefined && { deliver }),
    ...(options.to !== undefined && { deliver: true, ...toTarget(options.to) }),
  };
}

export const hasWorkOptions = (options: WorkOptions): boolean =>
  [options.isolated, options.deliver, options.to, options.model, options.thinking, options.timeout].some(
    (option) => option !== undefined,
  );

function toTarget(to: string): Pick<AgentTurn, "channel" | "to"> {
  if (to === "last") return { channel: "last" };
  const { adapter, channelId } = parseChat(to);
  return { channel: adapter, to: channelId };
}

function refuseTurnOptions(options: WorkOptions): void {
  const given = (["deliver", "to", "model", "thinking", "timeout"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (given.length === 0) return;
  throw new UsageError("BAD_USAGE", `--${given.join(", --")} needs --isolated.`, {
    hint: "Add --isolated: only a turn of its own has an answer to post, a model and a time limit.",
  });
}

/** How its text begins. */
export function nameFrom(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").replace(/[[\]]/g, "");
  return (line.length <= 40 ? line : `${line.slice(0, 39).toWellFormed()}…`) || "job";
}
