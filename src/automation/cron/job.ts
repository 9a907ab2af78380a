/** A job as the clock keeps it: the item's data, read back, and what a run that is over means for it. */
import type { CronJob } from "../../contracts/cron.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { DueItem } from "../../contracts/schedule.ts";
import type { Turn } from "../../contracts/turn.ts";

/** What lies in the row: the job, how its last run is found again, and the beginnings of its last answers. */
export interface StoredJob extends CronJob {
  /** The letter of the run that `state.runningAtMs` tells of. */
  run?: { dueAt: number; channel: ChannelRef; messageId: string };
  answers?: { turnId: TurnId; text: string }[];
}

/** How a run went, as its turn says. */
export type RunResult = { status: "ok" } | { status: "error"; error: string } | { status: "stopped" };

export const cronSource = "cron";
/** After this many failures in a row somebody is told, once. */
export const failuresBeforeNotice = 3;
const keptAnswers = 20;

/** `nextRunAtMs` is the item's own `dueAt`. Undefined: the row holds no job (written by a mom that was, or will be, another). */
export function readJob({ id, data, dueAt }: DueItem): StoredJob | undefined {
  if (!isJob(data)) return undefined;
  const { run, answers, ...job } = data;
  const { nextRunAtMs: _, ...state } = job.state;
  return {
    ...job,
    id,
    state: { ...state, ...(dueAt !== undefined && { nextRunAtMs: dueAt }) },
    // A run that cannot be found again is one that the store has forgotten.
    ...(isRun(run) && { run }),
    ...(Array.isArray(answers) && { answers: answers.filter((each) => isRecord(each)) }),
  };
}

/** What lists, looks and runs lean on; the rest is looked at where it is used, and fails there for this job alone. */
function isJob(data: unknown): data is StoredJob {
  if (!isRecord(data)) return false;
  const { schedule, payload, home, state } = data;
  return (
    isRecord(schedule) &&
    typeof schedule["kind"] === "string" &&
    isRecord(payload) &&
    typeof (payload["kind"] === "systemEvent" ? payload["text"] : payload["message"]) === "string" &&
    isRecord(home) &&
    isChannel(home["channel"]) &&
    isRecord(home["askedBy"]) &&
    typeof home["askedBy"]["id"] === "string" &&
    isRecord(state)
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isChannel = (value: unknown): boolean =>
  isRecord(value) && typeof value["adapter"] === "string" && typeof value["channelId"] === "string";
const isRun = (value: unknown): boolean =>
  isRecord(value) && isChannel(value["channel"]) && typeof value["messageId"] === "string";

/** Without what is nobody else's business. */
export const toJob = ({ answers: _, run: __, ...job }: StoredJob): CronJob => job;

/** Jobs for once are gone after their run, unless somebody wants to keep them. */
export const isGoneAfterRun = ({ deleteAfterRun, schedule }: CronJob): boolean =>
  deleteAfterRun ?? schedule.kind === "at";

export function withState(
  job: StoredJob,
  state: Partial<CronJob["state"]>,
  ...drop: (keyof CronJob["state"])[]
): StoredJob {
  const next: CronJob["state"] = { ...job.state, ...state };
  for (const key of drop) delete next[key];
  return { ...job, state: next };
}

/** Undefined while it waits or runs. */
export function resultOf(turn: Turn): RunResult | undefined {
  switch (turn.state) {
    case "received":
    case "queued":
    case "running":
      return undefined;
    case "stopped":
      return { status: "stopped" };
    case "failed":
      return { status: "error", error: turn.error ?? "the turn failed" };
    // Its posts are on their way; one that failed has its reason already.
    case "delivering":
      return turn.error === undefined ? { status: "ok" } : { status: "error", error: turn.error };
    default:
      return { status: "ok" };
  }
}

/** The job after its run: what the last one was, and how many failed in a row. */
export function noteResult(job: StoredJob, result: RunResult, endedAt: number): StoredJob {
  const lastDurationMs = Math.max(0, endedAt - (job.state.runningAtMs ?? endedAt));
  const over = ["runningAtMs", "runningTurnId"] as const;
  switch (result.status) {
    case "ok":
      return withState(job, { lastStatus: "ok", lastDurationMs }, ...over, "lastError", "failures", "toldOfFailures");
    case "stopped":
      return withState(
        job,
        { lastStatus: "skipped", lastError: "the run was stopped by somebody", lastDurationMs },
        ...over,
      );
    case "error": {
      const failures = (job.state.failures ?? 0) + 1;
      const told = failures >= failuresBeforeNotice && { toldOfFailures: true };
      const lastError = result.error.slice(0, 500).toWellFormed();
      return withState(job, { lastStatus: "error", lastError, lastDurationMs, failures, ...told }, ...over);
    }
  }
}

/** The beginning of what was answered, for `runs`. */
export function noteAnswer(job: StoredJob, turnId: TurnId, reply: string): StoredJob {
  const text = reply.trim().replace(/\s+/g, " ").slice(0, 200).toWellFormed();
  if (text === "") return job;
  const others = (job.answers ?? []).filter((answer) => answer.turnId !== turnId);
  return { ...job, answers: [{ turnId, text }, ...others].slice(0, keptAnswers) };
}
