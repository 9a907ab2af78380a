/**
 * Jobs (spec 6.2) on the durable clock: the rows of `job-book.ts`, what becomes of a due time (`decide-run.ts`), and of the end
 * of a run that had a session of its own (`end-run.ts`). Every run is a letter in the inbox; nothing here holds a timer.
 */
import { ToolError } from "../../base/errors.ts";
import { newJobId } from "../../base/ids.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { CronJob, CronPayload, CronService, NewCronJob } from "../../contracts/cron.ts";
import type { ErrandHandler, ErrandPorts, ErrandResult } from "../../contracts/errand-ports.ts";
import type { Log } from "../../contracts/log.ts";
import type { DueClock, DueHandler, DueItem, OccurrenceEnd, Scheduler } from "../../contracts/schedule.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Accepted, Sessions, Turns } from "../../contracts/store.ts";
import { listTimes } from "../recurrence/index.ts";
import { type CheckDeps, isSameChat } from "./check-job.ts";
import type { CronConfig } from "./config.ts";
import { type CronErrand, readCronErrand } from "./cron-errand.ts";
import { decideByHand, decideRun } from "./decide-run.ts";
import { endRun } from "./end-run.ts";
import { accountRun } from "./find-run.ts";
import {
  cronSource,
  isGoneAfterRun,
  noteAnswer,
  noteResult,
  type RunResult,
  readJob,
  type StoredJob,
  withState,
} from "./job.ts";
import { createJobBook } from "./job-book.ts";
import { wakePrefix } from "./start-run.ts";

export interface CronDeps extends CheckDeps {
  due: DueClock;
  scheduler: Pick<Scheduler, "wake">;
  turns: Pick<Turns, "get" | "ofMessage">;
  sessions: Pick<Sessions, "get">;
  clock: Clock;
  log: Log;
  ports: ErrandPorts;
  /** Chats of this adapter end with the process: nothing can be said there later. */
  isPassing(adapter: string): boolean;
  /** Where text in a session came from, if it came from outside. */
  outsideOf(session: SessionEntry): Promise<string | undefined>;
  /** Letters and posts were written: lanes and outbox have work. */
  onLetters(accepted: readonly Accepted[]): void;
  /** Has the agent's heart beat now. */
  beat(agentId: string): Promise<void>;
}

export type RunningCronService = CronService & { handler: DueHandler; errands: ErrandHandler };

const mainAgent = "main";
/** Tries to write a run that was asked for, while the row changes under it. */
const tries = 3;
/** Of rows that failed, in the log. */
const mostNamed = 10;

export function createCronService(deps: CronDeps, config: () => CronConfig): RunningCronService {
  const { due, scheduler, ports, clock, log } = deps;
  const book = createJobBook({ ...deps, onChange: () => scheduler.wake() });
  const deciding = { ...deps, config };
  let isStarted = false;

  const settle = async (item: DueItem, end: OccurrenceEnd, at?: number) => {
    const settled = await due.settle(item, end, at);
    if (settled) deps.onLetters(settled.accepted);
    return settled;
  };
  const reconcile = async (item: DueItem) => {
    const job = readJob(item);
    if (job?.state.runningAtMs === undefined) return;
    const { running } = await accountRun(deps.turns, job);
    // What its end told `ended` may have been lost in a crash: only of those that nothing will ask about again.
    if (!running && item.dueAt === undefined) await removeIfOver(due, item.id);
  };

  return {
    ...book,
    async start() {
      await forEachRow(await due.list(cronSource), reconcile, (failed) =>
        log.error("What a crash left of some jobs could not be made good; they are served all the same", failed),
      );
      isStarted = true;
      scheduler.wake();
    },
    async stop() {
      isStarted = false;
    },
    status: async () => ({ enabled: config().enabled, ...(await book.counts()) }),
    async add(job) {
      ensureLasting(deps, job);
      await ensureMayPost(ports, job.home, job.payload);
      return book.add(job);
    },
    async update(id, patch) {
      const job = patch.payload && (await book.get(id));
      if (job && patch.payload) await ensureMayPost(ports, job.home, patch.payload);
      return book.update(id, patch);
    },
    run: (id, mode) => (mode === "due" ? runIfDue(deciding, settle, id) : runByHand(deciding, settle, id)),
    wake: (wake) => sayToMain(deps, wake),
    handler: {
      async decide(item, nowMs) {
        // What is said to the main session now is no job, though it comes as one.
        if (!isStarted || (!config().enabled && !item.id.startsWith(wakePrefix))) return { type: "wait" };
        return decideRun(deciding, item, nowMs);
      },
      settled: (_item, _end, accepted) => deps.onLetters(accepted),
      async clockTurnedBack(nowMs) {
        await forEachRow(
          await due.list(cronSource),
          ({ id }) => reckonAnew(due, id, nowMs),
          (failed) => log.error("The next times of some jobs could not be reckoned anew", failed),
        );
      },
    },
    errands: {
      end: endRun(deps),
      async ended(errand, turn, result) {
        const data = readCronErrand(errand.data);
        if (!data) return;
        const runResult = toRunResult(result);
        try {
          await noteRunEnd(due, data, (job) =>
            noteAnswer(noteResult(job, runResult, clock.now()), turn.id, result.reply),
          );
        } catch (error) {
          log.warn("The end of a job's run could not be noted; it is read from its turn later", { error });
        }
        // Another run may have waited for this one.
        scheduler.wake();
      },
    },
  };
}

type Deciding = Parameters<typeof decideRun>[0] & Pick<CronDeps, "clock"> & { due: DueClock };
type Settle = (item: DueItem, end: OccurrenceEnd, at?: number) => Promise<{ accepted: Accepted[] } | undefined>;
type RunAnswer = Awaited<ReturnType<CronService["run"]>>;

async function findItem(due: DueClock, id: string): Promise<DueItem> {
  const item = await due.get(cronSource, id);
  if (item && readJob(item)) return item;
  throw new ToolError("CRON_NOT_FOUND", `There is no job "${id}"`, { hint: "List them to see the ids." });
}

async function runByHand(deps: Deciding, settle: Settle, id: string): Promise<RunAnswer> {
  for (let n = 0; n < tries; n++) {
    const item = await findItem(deps.due, id);
    const nowMs = deps.clock.now();
    const decided = await decideByHand(deps, item, nowMs);
    if (decided.type === "not") return { ran: false, reason: decided.reason };
    const settled = await settle(item, decided.end, nowMs);
    if (settled) return toAnswer(settled.accepted);
  }
  return { ran: false, reason: "it was changed or run by somebody else at the same time" };
}

async function runIfDue(deps: Deciding, settle: Settle, id: string): Promise<RunAnswer> {
  for (let n = 0; n < tries; n++) {
    const item = await findItem(deps.due, id);
    const nowMs = deps.clock.now();
    if (item.dueAt === undefined) return { ran: false, reason: "it has no due time: it is switched off, or done" };
    if (item.dueAt > nowMs) return { ran: false, reason: `it is due at ${new Date(item.dueAt).toISOString()}` };
    const decided = await decideRun(deps, item, nowMs);
    if (decided.type === "wait")
      return { ran: false, reason: "it must wait: its chat cannot be reached, or it still runs" };
    const settled = await settle(item, decided);
    // Older times were ended first; the last one is next.
    if (!settled || (decided.state === "missed" && decided.next?.dueAt !== undefined && decided.next.dueAt <= nowMs))
      continue;
    if (decided.state !== "ran") return { ran: false, ...(decided.reason !== undefined && { reason: decided.reason }) };
    return toAnswer(settled.accepted);
  }
  return { ran: false, reason: "that due time was served already" };
}

function toAnswer(accepted: readonly Accepted[]): RunAnswer {
  const turnId = accepted.flatMap((each) => (each.type === "accepted" ? (each.turnId ?? []) : []))[0];
  return { ran: true, ...(turnId !== undefined && { turnId }) };
}

function toRunResult({ outcome, error, reply }: ErrandResult): RunResult {
  if (outcome === "done") return { status: "ok" };
  return outcome === "stopped" ? { status: "stopped" } : { status: "error", error: error ?? (reply || "it failed") };
}

/** Notes it once: a run whose end is known already is not the one that the job is at. */
async function noteRunEnd(
  due: DueClock,
  { jobId, dueAt }: CronErrand,
  note: (job: StoredJob) => StoredJob,
): Promise<void> {
  await due.change(cronSource, jobId, (item) => {
    const job = readJob(item);
    if (job?.state.runningAtMs === undefined || job.run?.dueAt !== dueAt) return undefined;
    return { ...(item.dueAt !== undefined && { dueAt: item.dueAt }), data: note(job) };
  });
  await removeIfOver(due, jobId);
}

/** A job that was to end with its run, and has had it. */
async function removeIfOver(due: DueClock, jobId: string): Promise<void> {
  const item = await due.get(cronSource, jobId);
  const job = item && readJob(item);
  const hasRun = job?.state.lastRunAtMs !== undefined && item?.dueAt === undefined;
  if (hasRun && job.enabled && isGoneAfterRun(job)) await due.remove(cronSource, jobId);
}

function ensureLasting({ isPassing }: Pick<CronDeps, "isPassing">, { home }: NewCronJob): void {
  if (!isPassing(home.channel.adapter)) return;
  throw new ToolError("CHAT_ENDS", "This chat ends with the command, so nothing can be said here later", {
    hint: "Ask for the reminder in a chat that lasts, such as the terminal (`mom chat`).",
  });
}

/** Looked at again when the answer is posted; said now, while somebody listens. */
async function ensureMayPost(
  ports: Pick<ErrandPorts, "principalOf">,
  home: CronJob["home"],
  payload: CronPayload,
): Promise<void> {
  if (payload?.kind !== "agentTurn" || !payload.deliver || payload.to === undefined) return;
  const target = { adapter: payload.channel ?? home.channel.adapter, channelId: payload.to };
  if (payload.channel === "last" || isSameChat(target, home.channel)) return;
  const principal = await ports.principalOf({ channel: home.channel, sender: home.askedBy });
  if (principal === undefined || principal.sessionType === "main") return;
  throw new ToolError("CRON_TARGET_REFUSED", "Only the owner's own jobs may post to another chat", {
    hint: "Leave the target out: the answer is posted to the chat that the job belongs to.",
  });
}

/** As a job for now, so that it is said once whatever crashes. */
async function sayToMain(
  deps: CronDeps,
  { mode, text, agentId = mainAgent, outside }: Parameters<CronService["wake"]>[0],
): Promise<void> {
  const words = text?.trim() ?? "";
  if (words === "") {
    if (mode === "now") return deps.beat(agentId);
    throw new ToolError("CRON_TEXT_MISSING", `"wake" without "text" can only be for now`, {
      hint: "Say what is to be told to the main session.",
    });
  }
  const owner = await deps.ports.ownerOf(agentId);
  if (!owner) {
    throw new ToolError(
      "CRON_NO_OWNER",
      `Nobody has talked to the agent "${agentId}" as its owner, or that chat does not run`,
      {
        hint: "Say something to it as an admin, in a direct chat.",
      },
    );
  }
  const nowMs = deps.clock.now();
  const job: CronJob = {
    id: `${wakePrefix}${newJobId()}`,
    name: "wake",
    agentId,
    enabled: true,
    deleteAfterRun: true,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    schedule: { kind: "at", atMs: nowMs },
    sessionTarget: "main",
    wakeMode: mode,
    payload: { kind: "systemEvent", text: words.slice(0, 4000).toWellFormed() },
    home: { channel: owner.channel, askedBy: owner.sender, ...(outside !== undefined && { outside }) },
    state: {},
  };
  await deps.due.put({ source: cronSource, id: job.id, dueAt: nowMs, data: job });
  deps.scheduler.wake();
}

/** One row that spoils its work keeps nobody else from theirs. Told of once, with the first error. */
async function forEachRow(
  items: readonly DueItem[],
  work: (item: DueItem) => Promise<void>,
  tell: (failed: { ids: string[]; error: unknown }) => void,
): Promise<void> {
  const failed: { id: string; error: unknown }[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failed.push({ id: item.id, error }));
  const [first] = failed;
  if (first) tell({ ids: failed.slice(0, mostNamed).map(({ id }) => id), error: first.error });
}

/** Next times that were reckoned from a future that has not come: again from now, but none that ran. */
async function reckonAnew(due: DueClock, id: string, nowMs: number): Promise<void> {
  const rows = await due.ledger({ source: cronSource, id, limit: 1000 });
  const served = new Set(rows.flatMap(({ state, dueAt }) => (state === "ran" ? dueAt : [])));
  await due.change(cronSource, id, (item) => {
    const stored = readJob(item);
    if (!stored) return undefined;
    const job = withoutFuture(stored, nowMs);
    const next = findSooner(job, item.dueAt, nowMs, served);
    if (next === undefined && job === stored) return undefined;
    const dueAt = next ?? item.dueAt;
    return { ...(dueAt !== undefined && { dueAt }), data: job };
  });
}

/** Undefined: its next time stays as it is. */
function findSooner(
  { schedule, createdAtMs }: StoredJob,
  dueAt: number | undefined,
  nowMs: number,
  served: ReadonlySet<number>,
): number | undefined {
  if (dueAt === undefined || schedule.kind === "at") return undefined;
  const next = listTimes(schedule, nowMs, dueAt, 1000, createdAtMs).find((time) => !served.has(time));
  return next === undefined || next >= dueAt ? undefined : next;
}

/** Its last run was not later than now, whatever the clock said then. */
function withoutFuture(job: StoredJob, nowMs: number): StoredJob {
  const { lastRunAtMs } = job.state;
  return lastRunAtMs !== undefined && lastRunAtMs > nowMs ? withState(job, { lastRunAtMs: nowMs }) : job;
}
