/** Whether a job can be: what people, models and programs ask for is checked here, before it is kept. Every refusal says the fix. */
import { ToolError } from "../../base/errors.ts";
import type { CronJob, CronPatch, CronPayload, NewCronJob } from "../../contracts/cron.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import { checkSchedule } from "../recurrence/index.ts";

export interface CheckDeps {
  agentIds(): readonly string[];
  models: { isKnown(name: string): Promise<boolean> };
}

export const limits = {
  nameChars: 80,
  descriptionChars: 500,
  textChars: 4000,
  prefixChars: 80,
  postToMainChars: 16_000,
  timeoutSeconds: 24 * 3600,
  perChat: 100,
  all: 1000,
} as const;

const thinkingLevels: readonly string[] = ["off", "low", "medium", "high"];

/** What can be set, as it would be kept. Throws what is wrong with it. */
export async function checkNewJob(deps: CheckDeps, asked: NewCronJob, nowMs: number): Promise<NewCronJob> {
  const job = { ...asked, name: checkName(asked.name) };
  checkRest(job);
  checkSchedule(job.schedule, nowMs);
  await checkPayload(deps, job.payload, job.home);
  checkTarget(job);
  if (job.agentId !== undefined && !deps.agentIds().includes(job.agentId)) {
    throw new ToolError("CRON_AGENT_UNKNOWN", `There is no agent "${job.agentId}"`, {
      hint: `There are: ${deps.agentIds().join(", ")}.`,
    });
  }
  return job;
}

/** `job`: as it would be after the change. Only what changes is looked at, so that an old one can be switched off. */
export async function checkChangedJob(
  deps: CheckDeps,
  job: CronJob,
  patch: CronPatch,
  nowMs: number,
): Promise<CronJob> {
  const changed = { ...job, ...(patch.name !== undefined && { name: checkName(patch.name) }) };
  checkRest(changed);
  // A job for once whose time is over cannot be switched on again.
  if (patch.schedule !== undefined || patch.enabled === true) checkSchedule(changed.schedule, nowMs);
  if (patch.payload !== undefined) await checkPayload(deps, patch.payload, job.home);
  if (patch.payload !== undefined || patch.sessionTarget !== undefined) checkTarget(changed);
  return changed;
}

/** One line: it stands in brackets before the job's words. */
function checkName(name: unknown): string {
  const line =
    typeof name === "string"
      ? name
          .replace(/[\s\p{Cc}]+/gu, " ")
          .replace(/[[\]]/g, "")
          .trim()
      : "";
  if (line !== "" && line.length <= limits.nameChars) return line;
  throw new ToolError(
    "CRON_NAME_INVALID",
    line === "" ? "The job has no name" : `The name has ${line.length} characters; ${limits.nameChars} is the most`,
    { hint: "Give it a few words on one line." },
  );
}

function checkRest({
  description,
  isolation,
  wakeMode,
}: Pick<NewCronJob, "description" | "isolation" | "wakeMode">): void {
  if (wakeMode !== undefined && !["now", "next-heartbeat"].includes(wakeMode)) {
    throw invalid(`wakeMode is "${String(wakeMode)}"`, "Use now or next-heartbeat.");
  }
  ensureShort("description", description, limits.descriptionChars);
  ensureShort("isolation.postToMainPrefix", isolation?.postToMainPrefix, limits.prefixChars);
  const most = isolation?.postToMainMaxChars;
  if (most !== undefined && !(Number.isInteger(most) && most >= 1 && most <= limits.postToMainChars)) {
    throw invalid(`isolation.postToMainMaxChars is ${most}`, `Use a whole number from 1 to ${limits.postToMainChars}.`);
  }
  const mode: unknown = isolation?.postToMainMode;
  if (mode !== undefined && mode !== "summary" && mode !== "full") {
    throw invalid(`isolation.postToMainMode is "${String(mode)}"`, "Use summary or full.");
  }
}

export const isSameChat = (a: ChannelRef, b: ChannelRef): boolean =>
  a.adapter === b.adapter && a.channelId === b.channelId;

/** Throws `CRON_FULL` where the chat, or the house, has as many as it may. */
export function ensureRoom(jobs: readonly CronJob[], channel: ChannelRef): void {
  const here = jobs.filter(({ home }) => isSameChat(home.channel, channel)).length;
  if (here < limits.perChat && jobs.length < limits.all) return;
  const full = here >= limits.perChat ? `This chat already has ${here} jobs` : `There are already ${jobs.length} jobs`;
  throw new ToolError("CRON_FULL", full, { hint: "Remove some first." });
}

async function checkPayload({ models }: CheckDeps, payload: CronPayload, home: CronJob["home"]): Promise<void> {
  const kind: unknown = (payload as CronPayload | undefined)?.kind;
  if (kind !== "systemEvent" && kind !== "agentTurn") {
    throw invalid("the payload is of no known kind", "Use systemEvent or agentTurn.");
  }
  const text: unknown = payload.kind === "systemEvent" ? payload.text : payload.message;
  if (typeof text !== "string" || text.trim() === "") {
    throw new ToolError("CRON_TEXT_MISSING", "The job has no text", { hint: "Say what is to be done when it is due." });
  }
  ensureShort("text", text, limits.textChars);
  if (payload.kind === "systemEvent") return;
  const { model, thinking, timeoutSeconds, channel, to } = payload;
  if (thinking !== undefined && !thinkingLevels.includes(thinking)) {
    throw invalid(`thinking is "${String(thinking)}"`, `Use one of ${thinkingLevels.join(", ")}.`);
  }
  if (timeoutSeconds !== undefined && !(timeoutSeconds >= 1 && timeoutSeconds <= limits.timeoutSeconds)) {
    throw invalid(`timeoutSeconds is ${timeoutSeconds}`, `Use 1 to ${limits.timeoutSeconds}.`);
  }
  if (channel !== undefined && channel !== "last" && channel !== home.channel.adapter && to === undefined) {
    throw invalid(`channel is "${channel}" without a chat`, `Say with "to" which chat of it.`);
  }
  if (model !== undefined && !(await models.isKnown(model))) {
    throw new ToolError("CRON_MODEL_UNKNOWN", `There is no model "${model}"`, { hint: "`mom models` lists them." });
  }
}

function checkTarget({ sessionTarget, payload }: Pick<NewCronJob, "sessionTarget" | "payload">): void {
  const fitting = payload.kind === "agentTurn" ? "isolated" : "main";
  if (sessionTarget === undefined || sessionTarget === fitting) return;
  throw invalid(
    `sessionTarget is "${sessionTarget}" with a payload of kind "${payload.kind}"`,
    `A systemEvent goes to "main", an agentTurn is "isolated".`,
  );
}

function ensureShort(what: string, text: string | undefined, maxChars: number): void {
  if (text === undefined || text.length <= maxChars) return;
  throw new ToolError("CRON_TOO_LONG", `The job's ${what} has ${text.length} characters; ${maxChars} is the most`, {
    hint: "Put the long part into a file of the workspace, and name that.",
  });
}

const invalid = (message: string, hint: string) =>
  new ToolError("CRON_JOB_INVALID", `In this job ${message}`, { hint });
