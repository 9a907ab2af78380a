/**
 * What becomes of a job's due time: it runs, is skipped, or was missed. Only reads, so that it may be asked again after a crash;
 * what it gives is written in one step by the scheduler.
 */
import { errorText } from "../../base/errors.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { DueHandler, DueItem, OccurrenceEnd } from "../../contracts/schedule.ts";
import type { NewDelivery, Turns } from "../../contracts/store.ts";
import { nextTimeOf } from "../recurrence/index.ts";
import type { CronConfig } from "./config.ts";
import { type Accounted, accountRun } from "./find-run.ts";
import { failuresBeforeNotice, isGoneAfterRun, readJob, type StoredJob, withState } from "./job.ts";
import { findLatestTime, listMissed } from "./late-times.ts";
import { planFailingNotice, planMissedNotice } from "./notices.ts";
import { type RunStart, startRun } from "./start-run.ts";

export interface DecideDeps {
  turns: Pick<Turns, "ofMessage">;
  ports: ErrandPorts;
  config(): CronConfig;
}

export type Decision = Awaited<ReturnType<DueHandler["decide"]>>;

/** After the first failure, the second … the last one holds for all that follow. */
const backOffMinutes = [1, 5, 15, 60, 240];
/** What must wait for its last run is looked at this often. */
const busyMs = 60_000;
/** Later than this is worth a word in the ledger. */
const lateMs = 60_000;

export async function decideRun(deps: DecideDeps, item: DueItem, nowMs: number): Promise<Decision> {
  const stored = readJob(item);
  const dueAt = item.dueAt;
  if (!stored || dueAt === undefined) return skip("there is no job in this row that mom can read", null);
  const latenessMs = deps.config().maxLatenessMinutes * 60_000;
  const isAsked = stored.state.runAskedAtMs !== undefined;
  const unreadable = findFault(stored, nowMs);
  // Its zone or expression was good once; at rest until somebody mends it.
  if (unreadable !== undefined) return skip(unreadable, { data: noteSkip(stored, unreadable) });
  const latest = isAsked ? dueAt : findLatestTime(stored, dueAt, nowMs);
  if (nowMs - latest > latenessMs) return endMissed(deps, stored, { dueAt, latest, nowMs });
  if (latest > dueAt) {
    // The last one is served next; it is due already.
    const missed = listMissed(stored, dueAt, latest, reasons.passed);
    return { type: "settle", state: "missed", reason: reasons.passed, next: { dueAt: latest }, missed };
  }
  const known = await accountRun(deps.turns, stored);
  if (known.running) return endBusy(known, dueAt, nowMs);
  const restUntil = isAsked ? undefined : restsUntil(known.job, nowMs);
  if (restUntil !== undefined && restUntil > nowMs) {
    const reason = `backing off after ${known.job.state.failures} failures in a row, until ${toIso(restUntil)}`;
    return { ...skip(reason, goOn(noteSkip(known.job, reason), nowMs)), deliveries: await planNotice(deps, known) };
  }
  const start = await startRun(deps.ports, known.job, dueAt);
  return endStarted(deps, known, { start, dueAt, nowMs, latenessMs });
}

const reasons = {
  passed: "nobody could serve it before a later one was due",
  busy: "its last run is still going",
  byHand: "asked for by hand",
} as const;

/** Why there are no times to be had of its schedule. */
function findFault({ schedule, createdAtMs }: StoredJob, nowMs: number): string | undefined {
  try {
    nextTimeOf(schedule, nowMs, createdAtMs);
    return undefined;
  } catch (error) {
    return `its schedule cannot be read: ${errorText(error)}`;
  }
}

const toIso = (ms: number) => new Date(ms).toISOString();

const skip = (reason: string, next: OccurrenceEnd["next"]) =>
  ({ type: "settle", state: "skipped", reason, next }) satisfies Decision;

/** On to the next time. Of a job for once there is none: it rests. */
function goOn(job: StoredJob, nowMs: number): { dueAt?: number; data: StoredJob } {
  const { runAskedAtMs: _, nextRunAtMs: __, ...state } = job.state;
  const data = { ...job, state };
  const { schedule, createdAtMs, enabled } = job;
  if (!enabled) return { data };
  // A job for once that was asked for by hand before its time still has that.
  const next =
    schedule.kind === "at"
      ? schedule.atMs > nowMs
        ? schedule.atMs
        : undefined
      : nextTimeOf(schedule, nowMs, createdAtMs);
  return { ...(next !== undefined && { dueAt: next }), data };
}

const noteSkip = (job: StoredJob, reason: string) => withState(job, { lastStatus: "skipped", lastError: reason });

/** Until when a job that keeps failing is left alone. */
function restsUntil({ state: { failures = 0, lastRunAtMs } }: StoredJob, nowMs: number): number | undefined {
  // A run in a time that has not come was by a wrong clock, and says nothing of how long ago it was.
  if (failures === 0 || lastRunAtMs === undefined || lastRunAtMs > nowMs) return undefined;
  return lastRunAtMs + (backOffMinutes[Math.min(failures, backOffMinutes.length) - 1] ?? 0) * 60_000;
}

async function endMissed(
  { ports }: DecideDeps,
  job: StoredJob,
  { dueAt, latest, nowMs }: { dueAt: number; latest: number; nowMs: number },
): Promise<Decision> {
  const reason = `it could not be served for ${formatSpan(nowMs - latest)}, which is too late`;
  const missed = latest > dueAt ? [...listMissed(job, dueAt, latest, reason), { dueAt: latest, reason }] : [];
  const isOver = job.schedule.kind === "at" && isGoneAfterRun(job);
  return {
    type: "settle",
    state: "missed",
    reason,
    next: isOver ? null : goOn(noteSkip(job, reason), nowMs),
    missed,
    // Nobody will be reminded any more: the person at least hears that.
    deliveries: job.schedule.kind === "at" ? await planMissedNotice(ports, job, dueAt) : [],
  };
}

function endBusy({ job, running }: Accounted, dueAt: number, nowMs: number): Decision {
  // Of a job for once this is the only time.
  if (job.schedule.kind === "at" || job.state.runAskedAtMs !== undefined)
    return { type: "wait", untilMs: nowMs + busyMs };
  const reason = `${reasons.busy} (turn ${running?.id}, due ${toIso(dueAt)})`;
  return skip(reason, goOn(job, nowMs));
}

interface Started {
  start: RunStart;
  dueAt: number;
  nowMs: number;
  latenessMs: number;
}

async function endStarted(deps: DecideDeps, known: Accounted, run: Started): Promise<Decision> {
  const { start, dueAt, nowMs, latenessMs } = run;
  const { job } = known;
  if (start.type === "wait") return { type: "wait", untilMs: dueAt + latenessMs + 1 };
  const deliveries = await planNotice(deps, known);
  const isTimeOver = job.schedule.kind === "at" && job.schedule.atMs <= nowMs && isGoneAfterRun(job);
  if (start.type === "skip") {
    const { reason } = start;
    return { ...skip(reason, isTimeOver ? null : goOn(noteSkip(job, reason), nowMs)), deliveries };
  }
  const reason = reasonOf(job, dueAt, nowMs);
  // A run by hand is beside the schedule, and leaves that as it is.
  const isRecurring = job.schedule.kind !== "at";
  const isLast = isTimeOver || (isRecurring && isGoneAfterRun(job) && job.state.runAskedAtMs === undefined);
  const next = goOn(noteStart(job, start, dueAt, nowMs), nowMs);
  return {
    type: "settle",
    state: "ran",
    ...(reason !== undefined && { reason }),
    next: isLast ? endLast(job, start, next) : next,
    letters: [start.letter],
    deliveries,
  };
}

/** One that runs in a session of its own is there until its end, so that people see it run. */
function endLast(
  { payload }: StoredJob,
  { hasTurn }: Extract<RunStart, { type: "letter" }>,
  { data }: { data: StoredJob },
): OccurrenceEnd["next"] {
  return payload.kind === "systemEvent" || !hasTurn ? null : { data };
}

function noteStart(
  job: StoredJob,
  { letter, hasTurn }: Extract<RunStart, { type: "letter" }>,
  dueAt: number,
  nowMs: number,
): StoredJob {
  if (!hasTurn) {
    return withState(job, { lastRunAtMs: nowMs, lastStatus: "ok", lastDurationMs: 0 }, "lastError", "failures");
  }
  const { adapter, message } = letter;
  const run = { dueAt, channel: { adapter, channelId: message.channelId }, messageId: message.id };
  return { ...withState(job, { lastRunAtMs: nowMs, runningAtMs: nowMs }, "runningTurnId"), run };
}

function reasonOf({ state }: StoredJob, dueAt: number, nowMs: number): string | undefined {
  if (state.runAskedAtMs !== undefined) return reasons.byHand;
  return nowMs - dueAt > lateMs ? `${formatSpan(nowMs - dueAt)} late` : undefined;
}

/**
 * Of a run in the chat's own session nobody hears at its end. Of an errand its end has told mostly (`end-run.ts`), with the
 * same id: it is posted once.
 */
async function planNotice({ ports }: Pick<DecideDeps, "ports">, known: Accounted): Promise<NewDelivery[]> {
  const { job, noted } = known;
  if (!noted || job.state.failures !== failuresBeforeNotice) return [];
  return planFailingNotice(ports, job, { turnId: noted.id, error: job.state.lastError ?? "" });
}

function formatSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** The same run, asked for now, beside the schedule. */
export async function decideByHand(
  deps: DecideDeps,
  item: DueItem,
  nowMs: number,
): Promise<{ type: "end"; end: OccurrenceEnd } | { type: "not"; reason: string }> {
  const stored = readJob(item);
  if (!stored) return { type: "not", reason: "there is no job in this row that mom can read" };
  const known = await accountRun(deps.turns, stored);
  if (known.running) return { type: "not", reason: reasons.busy };
  const start = await startRun(deps.ports, known.job, nowMs);
  if (start.type === "wait") return { type: "not", reason: "its chat cannot be reached: the adapter does not run" };
  if (start.type === "skip") return { type: "not", reason: start.reason };
  const started = noteStart(known.job, start, nowMs, nowMs);
  const { runAskedAtMs: _, nextRunAtMs: __, ...state } = started.state;
  return {
    type: "end",
    end: {
      state: "ran",
      reason: reasons.byHand,
      next: { ...(item.dueAt !== undefined && { dueAt: item.dueAt }), data: { ...started, state } },
      letters: [start.letter],
      deliveries: await planNotice(deps, known),
    },
  };
}
