/** Jobs, runs, beats, subagents and memory as the protocol shows them: field by field, long texts cut. */
import type { CronJob, CronPayload, CronRun, CronSchedule } from "../../contracts/cron.ts";
import type { HeartbeatState } from "../../contracts/gateway.ts";
import type { HeartbeatEvent } from "../../contracts/heartbeat.ts";
import type { MemoryHit, MemoryStatus } from "../../contracts/memory.ts";
import type { SubagentRun } from "../../contracts/subagent.ts";
import { shortenText } from "../history/shorten.ts";
import type {
  CronJobSummary,
  CronRunSummary,
  CronScheduleSummary,
  HeartbeatEventSummary,
  HeartbeatStateSummary,
  MemoryHitSummary,
  MemoryStatusSummary,
  SubagentSummary,
} from "../protocol/index.ts";
import { pick, toChannelRef } from "./to-summary.ts";

/** Files that were left out: a screen shows no more of them. */
const mostSkipped = 200;
const longestLine = 2000;

export const toCronJob = (job: CronJob, when: string): CronJobSummary => ({
  ...pick(job, "id", "agentId", "name", "description", "enabled", "deleteAfterRun", "createdAtMs", "updatedAtMs"),
  ...pick(job, "sessionTarget", "wakeMode"),
  ...(job.isolation && { isolation: pick(job.isolation, "postToMainPrefix", "postToMainMode", "postToMainMaxChars") }),
  schedule: toSchedule(job.schedule),
  when,
  payload: toPayload(job.payload),
  home: {
    channel: toChannelRef(job.home.channel),
    askedBy: pick(job.home.askedBy, "id", "username"),
    ...pick(job.home, "outside"),
  },
  state: {
    ...pick(job.state, "nextRunAtMs", "runningAtMs", "runningTurnId", "lastRunAtMs", "lastStatus", "lastDurationMs"),
    ...pick(job.state, "failures"),
    ...(job.state.lastError !== undefined && { lastError: shortenText(job.state.lastError, longestLine) }),
  },
});

export function toSchedule(schedule: CronSchedule): CronScheduleSummary {
  if (schedule.kind === "at") return pick(schedule, "kind", "atMs");
  if (schedule.kind === "every") return pick(schedule, "kind", "everyMs", "anchorMs");
  return pick(schedule, "kind", "expr", "tz");
}

/** Not cut: it is edited, and what was cut would be saved. */
function toPayload(payload: CronPayload): CronJobSummary["payload"] {
  if (payload.kind === "systemEvent") return pick(payload, "kind", "text");
  return {
    ...pick(payload, "kind", "message", "model", "thinking", "timeoutSeconds", "deliver", "channel", "to"),
    ...pick(payload, "bestEffortDeliver"),
  };
}

export const toCronRun = (run: CronRun): CronRunSummary => ({
  ...pick(run, "dueAt", "state", "reason", "settledAt", "turnId", "status", "durationMs"),
  ...(run.error !== undefined && { error: shortenText(run.error, longestLine) }),
  ...(run.summary !== undefined && { summary: shortenText(run.summary, longestLine) }),
});

export const toHeartbeatEvent = (event: HeartbeatEvent): HeartbeatEventSummary => ({
  ...pick(event, "ts", "agentId", "status", "to", "durationMs", "hasMedia", "reason", "channel", "silent"),
  ...pick(event, "indicatorType"),
  ...(event.preview !== undefined && { preview: shortenText(event.preview, longestLine) }),
});

export const toHeartbeatState = (state: HeartbeatState): HeartbeatStateSummary => ({
  ...pick(state, "agentId", "isEnabled", "everyMs", "nextAt"),
  ...(state.last && { last: toHeartbeatEvent(state.last) }),
});

export const toSubagent = (run: SubagentRun): SubagentSummary => ({
  ...pick(run, "runId", "sessionKey", "requester", "agentId", "label", "state", "createdAt", "startedAt", "endedAt"),
  ...pick(run, "turnId", "tokens", "cost", "cleanup"),
  task: shortenText(run.task, longestLine),
});

export const toMemoryHit = (hit: MemoryHit): MemoryHitSummary => ({
  ...pick(hit, "path", "fromLine", "toLine", "score", "citation"),
  snippet: shortenText(hit.snippet, longestLine),
});

export const toMemoryStatus = (status: MemoryStatus): MemoryStatusSummary => ({
  ...pick(status, "agentId", "files", "chunks", "embedded", "embedder", "dimensions", "state", "indexBytes"),
  ...pick(status, "lastSyncAt", "note"),
  ...(status.progress && { progress: pick(status.progress, "done", "total") }),
  skipped: status.skipped.slice(0, mostSkipped).map((file) => pick(file, "path", "reason")),
});
