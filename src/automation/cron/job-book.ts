/**
 * The jobs as rows: list, add, change, remove, and what came of them. Needs nothing that runs, so that the command line uses
 * it beside a running mom, who hears of every change; `create-cron-service.ts` adds what runs them.
 */
import { errorText, ToolError } from "../../base/errors.ts";
import { newJobId } from "../../base/ids.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { Clock } from "../../contracts/clock.ts";
import type {
  CronJob,
  CronPatch,
  CronRun,
  CronSchedule,
  CronService,
  CronStatus,
  NewCronJob,
} from "../../contracts/cron.ts";
import type { DueClock, DueItem, LedgerRow } from "../../contracts/schedule.ts";
import type { Turns } from "../../contracts/store.ts";
import { nextTimeOf } from "../recurrence/index.ts";
import { type CheckDeps, checkChangedJob, checkNewJob, ensureRoom, isSameChat } from "./check-job.ts";
import { accountRun } from "./find-run.ts";
import { cronSource, readJob, resultOf, type StoredJob, toJob } from "./job.ts";
import { describeSchedule } from "./words/describe-schedule.ts";
import { parseWhen } from "./words/parse-when.ts";

export interface JobBookDeps extends CheckDeps {
  due: DueClock;
  turns: Pick<Turns, "get" | "ofMessage">;
  clock: Pick<Clock, "now">;
  /** Something was put on the clock or taken from it. */
  onChange(): void;
}

export interface JobBook
  extends Pick<CronService, "parseWhen" | "describe" | "list" | "get" | "add" | "update" | "remove" | "runs"> {
  /** Throws what `add` would, and keeps nothing. */
  check(job: NewCronJob): Promise<void>;
  counts(): Promise<Pick<CronStatus, "jobs" | "nextRunAtMs">>;
  /** Has whoever runs the jobs run it as soon as they look. */
  askRun(id: string): Promise<CronJob>;
}

export function createJobBook(deps: JobBookDeps): JobBook {
  const { due, clock, onChange } = deps;
  const readAll = async () => (await due.list(cronSource)).flatMap((item) => readJob(item) ?? []);
  const look = async (job: StoredJob) => toJob((await accountRun(deps.turns, job)).job);
  const find = async (id: string): Promise<{ item: DueItem; job: StoredJob }> => {
    const item = await due.get(cronSource, id);
    const job = item && readJob(item);
    if (!item || !job) throw buildUnknown(id, await readAll());
    return { item, job };
  };
  return {
    parseWhen: (text, timeZone) => parseWhen(text, { nowMs: clock.now(), ...(timeZone !== undefined && { timeZone }) }),
    describe: ({ schedule, createdAtMs }) => describe(schedule, { nowMs: clock.now(), createdAtMs }),
    async list({ agentId, channel, includeDisabled = false } = {}) {
      const wanted = (await readAll()).filter(
        (job) =>
          (includeDisabled || job.enabled) &&
          (agentId === undefined || job.agentId === agentId) &&
          (channel === undefined || isSameChat(job.home.channel, channel)),
      );
      return Promise.all(wanted.toSorted(bySoonest).map(look));
    },
    async get(id) {
      const item = await due.get(cronSource, id);
      const job = item && readJob(item);
      return job && look(job);
    },
    async check(job) {
      await checkNewJob(deps, job, clock.now());
    },
    async add(asked) {
      const nowMs = clock.now();
      const checked = await checkNewJob(deps, asked, nowMs);
      const known = await due.list(cronSource);
      ensureRoom(
        known.flatMap((item) => readJob(item) ?? []),
        checked.home.channel,
      );
      const job = buildJob(checked, pickId(known), nowMs);
      const written = await due.put({ source: cronSource, id: job.id, ...dueOf(job, nowMs), data: job });
      onChange();
      return toJob(readJob(written) ?? job);
    },
    async update(id, patch) {
      const { job } = await find(id);
      const nowMs = clock.now();
      const changed = applyPatch(job, patch, nowMs);
      const checked = await checkChangedJob(deps, changed, patch, nowMs);
      const written = await due.change(cronSource, id, (item) => rewrite(item, checked, patch, nowMs));
      if (!written) throw buildUnknown(id, await readAll());
      onChange();
      return look(readJob(written) ?? checked);
    },
    async remove(id) {
      const isRemoved = await due.remove(cronSource, id);
      if (isRemoved) onChange();
      return isRemoved;
    },
    async runs(id, limit) {
      const rows = await due.ledger({ source: cronSource, id, limit });
      const item = await due.get(cronSource, id);
      const answers = (item && readJob(item)?.answers) ?? [];
      return Promise.all(rows.map((row) => toRun(deps, row, answers)));
    },
    async counts() {
      const jobs = await readAll();
      const times = jobs.flatMap(({ state }) => state.nextRunAtMs ?? []);
      return { jobs: jobs.length, ...(times.length > 0 && { nextRunAtMs: Math.min(...times) }) };
    },
    async askRun(id) {
      await find(id);
      const nowMs = clock.now();
      const written = await due.change(cronSource, id, (item) => {
        const job = readJob(item);
        return job && { dueAt: nowMs, data: { ...job, state: { ...job.state, runAskedAtMs: nowMs } } };
      });
      const job = written && readJob(written);
      if (!job) throw buildUnknown(id, await readAll());
      onChange();
      return toJob(job);
    },
  };
}

/** One job that cannot be read any more must not spoil the list. */
function describe(schedule: CronSchedule, context: Parameters<typeof describeSchedule>[1]): string {
  try {
    return describeSchedule(schedule, context);
  } catch (error) {
    return `at times that cannot be read: ${errorText(error)}`;
  }
}

const bySoonest = (a: CronJob, b: CronJob) =>
  (a.state.nextRunAtMs ?? Number.POSITIVE_INFINITY) - (b.state.nextRunAtMs ?? Number.POSITIVE_INFINITY) ||
  a.createdAtMs - b.createdAtMs ||
  (a.id < b.id ? -1 : 1);

function buildJob(asked: NewCronJob, id: string, nowMs: number): CronJob {
  const { enabled = true, wakeMode = "now", payload } = asked;
  const sessionTarget = payload.kind === "agentTurn" ? "isolated" : "main";
  return { ...asked, id, enabled, wakeMode, sessionTarget, createdAtMs: nowMs, updatedAtMs: nowMs, state: {} };
}

/** When it is due next: at rest while it is switched off. */
function dueOf({ enabled, schedule, createdAtMs }: CronJob, nowMs: number): { dueAt?: number } {
  const next = enabled ? nextTimeOf(schedule, nowMs, createdAtMs) : undefined;
  return next === undefined ? {} : { dueAt: next };
}

function applyPatch(job: StoredJob, { outside, ...patch }: CronPatch, nowMs: number): StoredJob {
  const { payload } = { ...job, ...patch };
  return {
    ...job,
    ...patch,
    ...(patch.payload !== undefined && {
      sessionTarget: patch.sessionTarget ?? (payload.kind === "agentTurn" ? "isolated" : "main"),
    }),
    ...(outside !== undefined && { home: { ...job.home, outside } }),
    updatedAtMs: nowMs,
  };
}

/**
 * The change on what is there now: its state may have moved on meanwhile. Another time or another work begins without old
 * failures; the rest leaves its next time alone.
 */
function rewrite(item: DueItem, checked: StoredJob, patch: CronPatch, nowMs: number) {
  const job = readJob(item);
  if (!job) return undefined;
  const changed = { ...applyPatch(job, patch, nowMs), name: checked.name };
  const { nextRunAtMs: _, runAskedAtMs, ...state } = changed.state;
  const isOtherWork = patch.schedule !== undefined || patch.payload !== undefined;
  if (isOtherWork) {
    delete state.failures;
    delete state.toldOfFailures;
  }
  const isOtherTime = patch.schedule !== undefined || changed.enabled !== job.enabled;
  // A run that somebody has asked for is owed all the same; it goes on from there by what is set now.
  if (!isOtherTime || runAskedAtMs !== undefined) {
    const data = { ...changed, state: { ...state, ...(runAskedAtMs !== undefined && { runAskedAtMs }) } };
    return { ...(item.dueAt !== undefined && { dueAt: item.dueAt }), data };
  }
  return { ...dueOf(changed, nowMs), data: { ...changed, state } };
}

function pickId(known: readonly DueItem[]): string {
  const taken = new Set(known.map(({ id }) => id));
  let id = newJobId();
  while (taken.has(id)) id = newJobId();
  return id;
}

function buildUnknown(id: string, jobs: readonly CronJob[]): ToolError {
  const near = pickNearest(
    id,
    jobs.map((job) => job.id),
  );
  return new ToolError("CRON_NOT_FOUND", `There is no job "${id}"`, {
    hint: near === undefined ? "List them to see the ids." : `Did you mean "${near}"?`,
  });
}

async function toRun(
  { turns }: Pick<JobBookDeps, "turns">,
  row: LedgerRow,
  answers: NonNullable<StoredJob["answers"]>,
): Promise<CronRun> {
  const turn = row.turnId === undefined ? undefined : await turns.get(row.turnId);
  const result = turn && resultOf(turn);
  if (!turn || !result) return row;
  const summary = answers.find(({ turnId }) => turnId === turn.id)?.text;
  const durationMs = Math.max(0, turn.updatedAt - row.settledAt);
  const error = result.status === "error" ? result.error : "the run was stopped by somebody";
  return {
    ...row,
    durationMs,
    ...(result.status === "ok" ? { status: "ok" } : { status: "error", error }),
    ...(summary !== undefined && { summary }),
  };
}
