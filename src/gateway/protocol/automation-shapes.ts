/** What mom does on her own and what she remembers, as methods and events speak of it. */
import { type TSchema, Type } from "typebox";
import { amount, count, flag, list, moment, type Of, oneOf, optional, strict, text, word } from "./kit.ts";
import { channelRef, thinkingLevels } from "./shapes.ts";

/** Text that a person writes: a task, a reminder. */
const said = Type.String({ minLength: 1, maxLength: 64 * 1024 });

const every = Type.Integer({ minimum: 1 });

export const cronSchedule = Type.Union([
  strict({ kind: Type.Literal("at"), atMs: moment }),
  /** Counted from `anchorMs`, else from when the job was made. */
  strict({ kind: Type.Literal("every"), everyMs: every, anchorMs: optional(moment) }),
  /** Five fields, or six with seconds in front; `tz`: IANA name, else the zone of mom's machine. */
  strict({ kind: Type.Literal("cron"), expr: word, tz: optional(word) }),
]);

const buildPayload = <Words extends TSchema>(words: Words) =>
  Type.Union([
    /** Said to mom in the session that the job belongs to. */
    strict({ kind: Type.Literal("systemEvent"), text: words }),
    /** A turn in a session of its own. */
    strict({
      kind: Type.Literal("agentTurn"),
      message: words,
      model: optional(word),
      thinking: optional(thinkingLevels),
      timeoutSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      deliver: optional(flag),
      /** `last`, or an adapter's name. */
      channel: optional(word),
      to: optional(word),
      bestEffortDeliver: optional(flag),
    }),
  ]);

const isolation = strict({
  postToMainPrefix: optional(Type.String({ maxLength: 200 })),
  postToMainMode: optional(oneOf("summary", "full")),
  postToMainMaxChars: optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
});

const jobName = Type.String({ minLength: 1, maxLength: 200 });

/** What may be changed of a job, each key by itself. */
export const cronPatch = {
  name: optional(jobName),
  description: optional(Type.String({ maxLength: 2000 })),
  enabled: optional(flag),
  /** Absent: a job that comes once is gone with its run. */
  deleteAfterRun: optional(flag),
  schedule: optional(cronSchedule),
  payload: optional(buildPayload(said)),
  sessionTarget: optional(oneOf("main", "isolated")),
  wakeMode: optional(oneOf("next-heartbeat", "now")),
  isolation: optional(isolation),
};

export const newCronJob = {
  ...cronPatch,
  name: jobName,
  agentId: optional(word),
  schedule: cronSchedule,
  payload: buildPayload(said),
};

export const cronJob = strict({
  id: text,
  agentId: optional(text),
  name: text,
  description: optional(text),
  enabled: flag,
  deleteAfterRun: optional(flag),
  createdAtMs: moment,
  updatedAtMs: moment,
  schedule: cronSchedule,
  /** The schedule in words. */
  when: text,
  sessionTarget: oneOf("main", "isolated"),
  wakeMode: oneOf("next-heartbeat", "now"),
  payload: buildPayload(text),
  isolation: optional(isolation),
  /** Where it was made and by whom: it runs with their rights. */
  home: strict({ channel: channelRef, askedBy: strict({ id: text, username: text }), outside: optional(text) }),
  state: strict({
    nextRunAtMs: optional(moment),
    runningAtMs: optional(moment),
    runningTurnId: optional(text),
    lastRunAtMs: optional(moment),
    lastStatus: optional(oneOf("ok", "error", "skipped")),
    lastError: optional(text),
    lastDurationMs: optional(amount),
    /** In a row. */
    failures: optional(count),
  }),
});

/** One due time of a job, and what came of it. */
export const cronRun = strict({
  dueAt: moment,
  state: oneOf("ran", "skipped", "missed"),
  /** Why it was skipped or missed; of one that ran late or by hand, that. */
  reason: optional(text),
  settledAt: moment,
  turnId: optional(text),
  /** Absent: it has not ended, started no turn, or that is too long ago. */
  status: optional(oneOf("ok", "error")),
  error: optional(text),
  durationMs: optional(amount),
  /** The start of what was answered. */
  summary: optional(text),
});

export const heartbeatEvent = strict({
  ts: moment,
  agentId: text,
  status: oneOf("sent", "ok-empty", "ok-token", "skipped", "failed"),
  /** The chat that it was said in: `adapter/channelId`. */
  to: optional(text),
  preview: optional(text),
  durationMs: optional(amount),
  hasMedia: optional(flag),
  reason: optional(text),
  channel: optional(text),
  silent: optional(flag),
  indicatorType: optional(oneOf("ok", "alert", "error")),
});

export const heartbeatState = strict({
  agentId: text,
  /** The config does not forbid it; while HEARTBEAT.md is empty nothing is asked of a model all the same. */
  isEnabled: flag,
  everyMs: amount,
  nextAt: optional(moment),
  last: optional(heartbeatEvent),
});

export const memoryModes = oneOf("fused", "vector", "text");

export const memoryHit = strict({
  path: text,
  fromLine: count,
  toLine: count,
  /** 0 to 1. */
  score: amount,
  snippet: text,
  /** `path#L10-L20` */
  citation: text,
});

export const memoryStatus = strict({
  agentId: text,
  files: count,
  chunks: count,
  /** Chunks that have a vector of the present embedder. */
  embedded: count,
  /** Absent: none can be had, and `note` says why. */
  embedder: optional(text),
  dimensions: optional(count),
  state: oneOf("idle", "indexing", "waiting"),
  progress: optional(strict({ done: count, total: count })),
  indexBytes: count,
  lastSyncAt: optional(moment),
  /** Files that were left out, with the reason. */
  skipped: list(strict({ path: text, reason: text })),
  note: optional(text),
});

export const subagentRun = strict({
  runId: text,
  sessionKey: text,
  /** The session that the findings go to. */
  requester: text,
  agentId: text,
  task: text,
  label: optional(text),
  state: oneOf("waiting", "running", "done", "failed", "timed-out", "stopped", "interrupted"),
  createdAt: moment,
  startedAt: optional(moment),
  endedAt: optional(moment),
  turnId: optional(text),
  tokens: optional(count),
  cost: optional(amount),
  cleanup: oneOf("keep", "delete"),
});

export type CronScheduleSummary = Of<typeof cronSchedule>;
export type CronJobSummary = Of<typeof cronJob>;
export type CronRunSummary = Of<typeof cronRun>;
export type HeartbeatEventSummary = Of<typeof heartbeatEvent>;
export type HeartbeatStateSummary = Of<typeof heartbeatState>;
export type MemoryHitSummary = Of<typeof memoryHit>;
export type MemoryStatusSummary = Of<typeof memoryStatus>;
export type SubagentSummary = Of<typeof subagentRun>;
