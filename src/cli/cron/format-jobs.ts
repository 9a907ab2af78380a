/** Jobs and their runs as tables and lines for a terminal. */
import { formatMoment } from "../../base/format-values.ts";
import type { CronJob, CronRun } from "../../contracts/cron.ts";
import { type Column, formatTable } from "../format-table.ts";

export const textOf = ({ payload }: Pick<CronJob, "payload">): string =>
  payload.kind === "systemEvent" ? payload.text : payload.message;

const cutLine = (text: string, maxChars: number) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
};

export function formatJobs(jobs: readonly CronJob[], describe: (job: CronJob) => string): string[] {
  const columns: Column<CronJob>[] = [
    { title: "ID", toText: ({ id }) => id },
    { title: "NAME", toText: ({ name }) => cutLine(name, 24) },
    { title: "WHEN", toText: (job) => describe(job).split("; ")[0] ?? "" },
    { title: "NEXT", toText: formatNext },
    { title: "LAST", toText: formatLast },
    { title: "CHAT", toText: ({ home }) => `${home.channel.adapter}/${home.channel.channelId}` },
    {
      title: "TEXT",
      toText: (job) => `${job.payload.kind === "agentTurn" ? "(apart) " : ""}${cutLine(textOf(job), 60)}`,
    },
  ];
  return formatTable(columns, jobs);
}

function formatNext({ enabled, state }: CronJob): string {
  if (!enabled) return "switched off";
  return state.nextRunAtMs === undefined ? "-" : formatMoment(state.nextRunAtMs);
}

function formatLast({ state }: CronJob): string {
  if (state.runningAtMs !== undefined) return `runs since ${formatMoment(state.runningAtMs)}`;
  if (state.lastStatus === undefined) return "-";
  const failures = state.failures === undefined ? "" : ` (${state.failures} in a row)`;
  return `${state.lastStatus}${failures}${state.lastRunAtMs === undefined ? "" : ` ${formatMoment(state.lastRunAtMs)}`}`;
}

export function formatRuns(runs: readonly CronRun[]): string[] {
  const columns: Column<CronRun>[] = [
    { title: "DUE", toText: ({ dueAt }) => formatMoment(dueAt) },
    { title: "END", toText: ({ state, status }) => (status === undefined ? state : `${state}, ${status}`) },
    {
      title: "TOOK",
      align: "right",
      toText: ({ durationMs }) => (durationMs === undefined ? "-" : formatSpan(durationMs)),
    },
    { title: "TURN", toText: ({ turnId }) => turnId ?? "-" },
    {
      title: "WHAT",
      toText: ({ reason, error, summary }) => cutLine([reason, error, summary].filter(Boolean).join("; "), 120),
    },
  ];
  return formatTable(columns, runs);
}

const formatSpan = (ms: number) => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`);

/** What a job is, before it is kept and after. */
export function formatPlan(job: Pick<CronJob, "payload" | "home" | "name" | "wakeMode">, words: string): string[] {
  const { payload, home, name, wakeMode } = job;
  const { adapter, channelId } = home.channel;
  const who =
    home.askedBy.username === home.askedBy.id ? home.askedBy.id : `${home.askedBy.username} (${home.askedBy.id})`;
  return [
    `when:  ${words}`,
    `what:  ${cutLine(textOf(job), 400)}`,
    `how:   ${describeWay(payload, wakeMode)}`,
    `chat:  ${adapter}/${channelId}, with the rights of ${who}`,
    `name:  ${name}`,
  ];
}

function describeWay(payload: CronJob["payload"], wakeMode: CronJob["wakeMode"]): string {
  if (payload.kind === "systemEvent") {
    return wakeMode === "now"
      ? "said to mom in that chat, and she answers"
      : "read by mom with what is said there next";
  }
  if (!payload.deliver) return "a turn of its own; that chat is told the beginning of its answer";
  const to = payload.to === undefined ? "that chat" : `${payload.channel ?? "the same platform"}/${payload.to}`;
  return `a turn of its own, whose answer is posted to ${payload.channel === "last" ? "where that session last spoke" : to}`;
}
