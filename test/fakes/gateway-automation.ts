/**
 * Jobs, heartbeats, subagents and memory of the fake house: lists in memory that behave as the ports say. Times are simple: an
 * expression comes once a day.
 */
import { AgentError } from "../../src/base/errors.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type { CronJob, CronRun, CronSchedule } from "../../src/contracts/cron.ts";
import type {
  GatewayHouse,
  GatewayWatch,
  HeartbeatState,
  HouseCron,
  HouseHeartbeat,
  HouseSubagents,
} from "../../src/contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { MemoryHit, MemoryStatus } from "../../src/contracts/memory.ts";
import type { SubagentRun } from "../../src/contracts/subagent.ts";

type HouseMemory = NonNullable<GatewayHouse["memory"]>;

interface Parts {
  clock: Clock;
  watch(): GatewayWatch | undefined;
  /** Whether there is such a session. */
  hasSession(key: SessionKey): Promise<boolean>;
}

export interface FakeAutomation {
  jobs: Map<string, CronJob>;
  runs: Map<string, CronRun[]>;
  woken: Parameters<HouseCron["wake"]>[0][];
  beats: HeartbeatState[];
  children: SubagentRun[];
  /** Who asked for each, by its id. */
  askedBy: Map<string, Parameters<HouseSubagents["spawn"]>[0]>;
  /** Files by their path. */
  notes: Map<string, string>;
  memoryStatus: MemoryStatus;
  /** What `memory.index` waits for. Absent: it is done at once. */
  indexing: Promise<void> | undefined;
  indexed: { agentId: string; force: boolean }[];
  rooms: { cron: HouseCron; heartbeat: HouseHeartbeat; subagents: HouseSubagents; memory: HouseMemory };
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export function createFakeAutomation(parts: Parts): FakeAutomation {
  const fake: FakeAutomation = {
    jobs: new Map(),
    runs: new Map(),
    woken: [],
    beats: ["main", "helper"].map((agentId) => ({ agentId, isEnabled: true, everyMs: 30 * minuteMs })),
    children: [],
    askedBy: new Map(),
    notes: new Map(),
    memoryStatus: {
      agentId: "main",
      files: 0,
      chunks: 0,
      embedded: 0,
      embedder: "local/minilm",
      dimensions: 384,
      state: "idle",
      indexBytes: 4096,
      skipped: [],
    },
    indexing: undefined,
    indexed: [],
    rooms: undefined as unknown as FakeAutomation["rooms"],
  };
  fake.rooms = {
    cron: buildCron(fake, parts),
    heartbeat: buildHeartbeat(fake, parts),
    subagents: buildSubagents(fake, parts),
    memory: buildMemory(fake, parts),
  };
  return fake;
}

function buildCron(fake: FakeAutomation, { clock, watch }: Parts): HouseCron {
  const { jobs, runs } = fake;
  const changed = (job: CronJob): CronJob => {
    jobs.set(job.id, job);
    watch()?.cronChanged(job.id);
    return job;
  };
  const nextOf = (schedule: CronSchedule, enabled: boolean) => {
    const [nextRunAtMs] = enabled ? listTimes(schedule, clock.now(), 1) : [];
    return nextRunAtMs === undefined ? {} : { nextRunAtMs };
  };
  const ensure = (id: string) => jobs.get(id) ?? fail("CRON_NO_JOB", `There is no job ${id}`);
  return {
    status: async () => ({ enabled: true, jobs: jobs.size }),
    list: async ({ agentId, includeDisabled = false } = {}) =>
      [...jobs.values()].filter(
        (job) => (includeDisabled || job.enabled) && (agentId === undefined || job.agentId === agentId),
      ),
    get: async (id) => jobs.get(id),
    async add(job) {
      const { enabled = true } = job;
      const now = clock.now();
      return changed({
        ...job,
        id: `job-${jobs.size + 1}`,
        enabled,
        createdAtMs: now,
        updatedAtMs: now,
        sessionTarget: job.sessionTarget ?? (job.payload.kind === "agentTurn" ? "isolated" : "main"),
        wakeMode: job.wakeMode ?? "now",
        home: { channel: { adapter: "webchat", channelId: "main" }, askedBy: { id: "owner", username: "owner" } },
        state: nextOf(job.schedule, enabled),
      });
    },
    async update(id, patch) {
      const before = ensure(id);
      const { schedule = before.schedule, enabled = before.enabled } = patch;
      const { nextRunAtMs: _, ...state } = before.state;
      return changed({
        ...before,
        ...patch,
        updatedAtMs: clock.now(),
        state: { ...state, ...nextOf(schedule, enabled) },
      });
    },
    async remove(id) {
      const isGone = jobs.delete(id);
      if (isGone) watch()?.cronChanged(id);
      return isGone;
    },
    async run(id, mode) {
      const job = ensure(id);
      if (mode === "due") return { ran: false, reason: "it is not due" };
      const now = clock.now();
      const run: CronRun = {
        source: "cron",
        id,
        dueAt: now,
        state: "ran",
        reason: "asked for",
        settledAt: now,
        turnId: "t1" as TurnId,
        status: "ok",
        durationMs: 1200,
        summary: `done: ${job.name}`,
      };
      runs.set(id, [run, ...(runs.get(id) ?? [])]);
      changed({ ...job, state: { ...job.state, lastRunAtMs: now, lastStatus: "ok", lastDurationMs: 1200 } });
      return { ran: true, turnId: "t1" as TurnId };
    },
    runs: async (id, limit) => (runs.get(id) ?? []).slice(0, limit),
    async wake(wake) {
      fake.woken.push(wake);
    },
    async preview(when, { times, tz }) {
      const schedule = typeof when === "string" ? readWords(when, clock.now(), tz) : when;
      return { schedule, text: describe(schedule), next: listTimes(schedule, clock.now(), times) };
    },
    describe: ({ schedule }) => describe(schedule),
  };
}

function readWords(words: string, now: number, tz: string | undefined): CronSchedule {
  const zone = tz === undefined ? {} : { tz };
  const daily = /^every (weekday|day)(?: at)? (\d{1,2}):(\d{2})$/.exec(words.trim().toLowerCase());
  if (daily) {
    const [, which, hour, minute] = daily;
    return { kind: "cron", expr: `${Number(minute)} ${Number(hour)} * * ${which === "day" ? "*" : "1-5"}`, ...zone };
  }
  const every = /^every (\d+) minutes$/.exec(words.trim());
  if (every) return { kind: "every", everyMs: Number(every[1]) * minuteMs };
  const once = /^in (\d+) minutes$/.exec(words.trim());
  if (once) return { kind: "at", atMs: now + Number(once[1]) * minuteMs };
  return fail("CRON_WORDS", `"${words}" is no time that I understand`);
}

function listTimes(schedule: CronSchedule, now: number, times: number): number[] {
  if (schedule.kind === "at") return [schedule.atMs];
  const step = schedule.kind === "every" ? schedule.everyMs : dayMs;
  return Array.from({ length: times }, (_, n) => now + (n + 1) * step);
}

function describe(schedule: CronSchedule): string {
  if (schedule.kind === "at") return "once";
  if (schedule.kind === "every") return `every ${schedule.everyMs / minuteMs} minutes`;
  const [minute = "", hour = "", , , days] = schedule.expr.split(" ");
  const zone = schedule.tz === undefined ? "" : ` (${schedule.tz})`;
  return `every ${days === "*" ? "day" : "weekday"} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}${zone}`;
}

function buildHeartbeat(fake: FakeAutomation, { clock, watch }: Parts): HouseHeartbeat {
  return {
    status: async () => fake.beats,
    async beat(agentId) {
      const state = fake.beats.find((each) => each.agentId === agentId);
      if (!state) return false;
      state.last = { ts: clock.now(), agentId, status: "skipped", reason: "empty-heartbeat-file", silent: true };
      watch()?.heartbeat(state.last);
      return true;
    },
  };
}

function buildSubagents(fake: FakeAutomation, { clock, watch, hasSession }: Parts): HouseSubagents {
  return {
    async spawn(by, { callId, task, agentId = "main", label, cleanup = "keep" }) {
      if (!(await hasSession(by.sessionKey))) return undefined;
      const known = fake.children.find(({ runId }) => runId === callId);
      if (known) return known;
      const sessionKey = `agent:${agentId}:subagent:${callId}` as SessionKey;
      const run: SubagentRun = {
        runId: callId,
        sessionKey,
        requester: by.sessionKey,
        agentId,
        task,
        ...(label !== undefined && { label }),
        state: "running",
        createdAt: clock.now(),
        startedAt: clock.now(),
        cleanup,
      };
      fake.children.unshift(run);
      fake.askedBy.set(callId, by);
      watch()?.sessionChanged(sessionKey);
      return run;
    },
    list: async (requester) => fake.children.filter((run) => requester === undefined || run.requester === requester),
    get: async (runId) => fake.children.find((run) => run.runId === runId),
    async stop(runId) {
      const run = fake.children.find((each) => each.runId === runId);
      if (run?.state !== "running") return false;
      Object.assign(run, { state: "stopped", endedAt: clock.now() });
      watch()?.sessionChanged(run.sessionKey);
      return true;
    },
  };
}

function buildMemory(fake: FakeAutomation, { clock, watch }: Parts): HouseMemory {
  const { notes } = fake;
  return {
    async search({ text, maxResults = 10 }, { agentId }) {
      if (text.trim() === "") return fail("MEMORY_QUERY", "There is nothing to look for");
      const words = text.toLowerCase().split(/\s+/);
      const hits = agentId === "main" ? [...notes].flatMap(([path, file]) => findLines(path, file, words)) : [];
      return { hits: hits.sort((a, b) => b.score - a.score).slice(0, maxResults), mode: "fused" };
    },
    async get(path, lines = { from: 1 }, { agentId }) {
      const file = agentId === "main" ? notes.get(path) : undefined;
      if (file === undefined) return fail("MEMORY_NO_FILE", `${path} is no file that is remembered from`);
      const all = file.split("\n");
      const to = Math.min(lines.to ?? all.length, all.length);
      const text = all.slice(lines.from - 1, to).join("\n");
      return { path, fromLine: lines.from, toLine: to, totalLines: all.length, text };
    },
    async index(agentId, { force = false } = {}) {
      fake.indexed.push({ agentId, force });
      fake.memoryStatus = { ...fake.memoryStatus, state: "indexing", progress: { done: 1, total: 4 } };
      watch()?.memoryChanged(agentId);
      await fake.indexing;
      const { progress: _, ...status } = fake.memoryStatus;
      const files = notes.size;
      fake.memoryStatus = { ...status, state: "idle", files, chunks: files, embedded: files, lastSyncAt: clock.now() };
      watch()?.memoryChanged(agentId);
      return fake.memoryStatus;
    },
    status: async (agentId) => ({ ...fake.memoryStatus, agentId }),
  };
}

function findLines(path: string, file: string, words: readonly string[]): MemoryHit[] {
  return file.split("\n").flatMap((line, n): MemoryHit[] => {
    const found = words.filter((word) => line.toLowerCase().includes(word)).length;
    if (found === 0) return [];
    const score = found / words.length;
    return [{ path, fromLine: n + 1, toLine: n + 1, score, snippet: line, citation: `${path}#L${n + 1}-L${n + 1}` }];
  });
}

function fail(code: string, message: string): never {
  throw new AgentError(code, message, { hint: "Say it another way." });
}
