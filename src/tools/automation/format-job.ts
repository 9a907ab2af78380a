/** Jobs and their runs, a line each: for the model, and for programs that read `id time text`. */
import type { CronJob, CronRun, CronService } from "../../contracts/cron.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import { shortenLine } from "../kit/truncate.ts";

/** `id next-time text`; what comes again says how in brackets, what is at home elsewhere where. */
export function formatJob(cron: Pick<CronService, "describe">, job: CronJob, here: ChannelRef): string {
  const { id, enabled, schedule, payload, state, home } = job;
  const next = state.nextRunAtMs;
  const when = !enabled ? "off" : next === undefined ? "done" : new Date(next).toISOString();
  const { adapter, channelId } = home.channel;
  const isHere = adapter === here.adapter && channelId === here.channelId;
  const notes = [
    ...(schedule.kind === "at" ? [] : [cron.describe(job)]),
    ...(payload.kind === "agentTurn" ? ["runs apart"] : []),
    ...(state.runningAtMs === undefined ? [] : ["runs now"]),
    ...(state.failures === undefined
      ? []
      : [`failed ${state.failures} times: ${shortenLine(state.lastError ?? "", 100)}`]),
    ...(isHere ? [] : [`in ${adapter}/${channelId}`]),
  ];
  const line = `${id} ${when} ${shortenLine(textOf(job).replaceAll("\n", " "), 300)}`;
  return notes.length === 0 ? line : `${line} [${notes.join("; ").replaceAll(/[[\]\n]/g, " ")}]`;
}

export const textOf = ({ payload }: CronJob): string =>
  payload.kind === "systemEvent" ? payload.text : payload.message;

export const toDetail = (job: CronJob) => ({
  id: job.id,
  name: job.name,
  text: textOf(job),
  enabled: job.enabled,
  ...(job.state.nextRunAtMs !== undefined && { dueAt: job.state.nextRunAtMs }),
});

export function formatRun({ dueAt, state, status, reason, error, summary }: CronRun): string {
  const parts = [reason, error, summary].flatMap((part) => (part === undefined ? [] : [shortenLine(part, 300)]));
  const outcome = status === undefined ? state : `${state} ${status}`;
  return [`${new Date(dueAt).toISOString()} ${outcome}`, ...parts].join("; ").replaceAll("\n", " ");
}
