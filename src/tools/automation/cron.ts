/**
 * `cron`: reminders and jobs (spec 5.3, 6.2). What is due comes back into the chat it was asked in, or runs in a session of its
 * own, with the rights of whoever asked. From the owner's own session every job can be seen, from others those of the chat, also
 * where the owner's word is heard there: what is read in a chat stays in its transcript.
 */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { CronJob, CronPatch, CronPayload, CronSchedule, CronService } from "../../contracts/cron.ts";
import type { Tool, ToolResult, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import { formatJob, formatRun, toDetail } from "./format-job.ts";
import { parseDue } from "./parse-due.ts";

const actions = ["status", "list", "add", "update", "remove", "run", "runs", "wake"] as const;

const parameters = Type.Object(
  {
    action: Type.Enum([...actions], { type: "string" }),
    when: Type.Optional(Type.String({ description: "every weekday 9:00 | tomorrow at 9 | cron expression" })),
    at: Type.Optional(Type.String({ description: "ISO 8601 with offset" })),
    in: Type.Optional(Type.Integer({ description: "seconds" })),
    text: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    isolated: Type.Optional(Type.Boolean()),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
type CronParams = Static<typeof parameters>;

export interface CronDetails {
  jobs: ReturnType<typeof toDetail>[];
}

export interface CronOptions {
  cron: CronService;
  clock: Pick<Clock, "now">;
  scope: Pick<ToolScope, "channel" | "sender" | "session" | "principal">;
  /** Where text in this conversation came from, if it came from outside. */
  findOutside(): Promise<string | undefined>;
}

const runsShown = 10;
const listed = 100;

export function createCronTool(options: CronOptions): Tool<typeof parameters, CronDetails> {
  return {
    name: "cron",
    label: "Cron",
    description: "Reminders and jobs: when due, text comes back to you. Give one of when, at, in.",
    parameters,
    effect: "external",
    describe: ({ action, text, id }) => `cron ${action}${(text ?? id) ? ` ${shortenLine(text ?? id ?? "", 80)}` : ""}`,
    effectOf: ({ action }) => (["status", "list", "runs"].includes(String(action)) ? "read" : "external"),
    isOutward: ({ action }) => (action === "update" || action === "run") && !isBoundHere(options),
    execute: (_id, params) => act(options, params),
  };
}

function act(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  switch (params.action) {
    case "status":
      return status(options);
    case "list":
      return list(options);
    case "add":
      return add(options, params);
    case "update":
      return update(options, params);
    case "remove":
      return remove(options, params);
    case "run":
      return run(options, params);
    case "runs":
      return runs(options, params);
    case "wake":
      return wake(options, params);
  }
}

/** The owner's own session, or a job that works for it. A word of the owner's in a session of others is neither. */
function seesAll({ scope: { session, principal } }: CronOptions): boolean {
  if (session.type === "main") return principal === undefined || principal.sessionType === "main";
  return session.type === "cron" && principal?.sessionType === "main";
}

/**
 * Every job that can be reached from here posts in this chat and nowhere else: only the owner's may name another one. Which of
 * those do is in their rows, so from the owner's work each counts as one that does.
 */
function isBoundHere({ scope: { session, principal } }: CronOptions): boolean {
  if (session.type === "dm" || session.type === "group" || session.type === "topic") return true;
  return session.type !== "main" && principal !== undefined && principal.sessionType !== "main";
}

const visibleJobs = (options: CronOptions) =>
  options.cron.list({ includeDisabled: true, ...(!seesAll(options) && { channel: options.scope.channel }) });

const now = ({ clock }: CronOptions) => `It is now ${new Date(clock.now()).toISOString()}.`;

async function status(options: CronOptions): Promise<ToolResult<CronDetails>> {
  const [{ enabled }, jobs] = await Promise.all([options.cron.status(), visibleJobs(options)]);
  const next = jobs[0]?.state.nextRunAtMs;
  const text = [
    `Jobs ${enabled ? "run" : "are switched off in the config (cron.enabled)"}.`,
    `${jobs.length} here${next === undefined ? "" : `, the next at ${new Date(next).toISOString()}`}.`,
    now(options),
  ];
  return buildTextResult(text.join(" "), { jobs: [] });
}

async function list(options: CronOptions): Promise<ToolResult<CronDetails>> {
  const jobs = await visibleJobs(options);
  const lines = jobs.slice(0, listed).map((job) => formatJob(options.cron, job, options.scope.channel));
  if (jobs.length > listed) lines.push(`(and ${jobs.length - listed} more)`);
  const text = jobs.length === 0 ? "No reminders or jobs in this chat." : lines.join("\n");
  return buildTextResult(`${text}\n${now(options)}`, { jobs: jobs.slice(0, listed).map(toDetail) });
}

async function add(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const { cron, scope } = options;
  const { text, name, isolated, enabled } = params;
  if (text === undefined || text.trim() === "") {
    throw new ToolError("CRON_TEXT_MISSING", `"add" needs "text"`, { hint: "Say what is to be done when it is due." });
  }
  const schedule = parseSchedule(options, params);
  const outside = await options.findOutside();
  const job = await cron.add({
    name: name ?? nameFrom(text),
    schedule,
    payload: toPayload(text, isolated === true),
    home: {
      channel: scope.channel,
      askedBy: { id: scope.sender.id, username: scope.sender.username },
      ...(outside !== undefined && { outside }),
    },
    ...(enabled !== undefined && { enabled }),
  });
  return buildTextResult(`Set: ${formatJob(cron, job, scope.channel)}`, { jobs: [toDetail(job)] });
}

const nameFrom = (text: string) => shortenLine(text.trim().replace(/\s+/g, " "), 40);

/** What runs apart answers here: nobody would see it otherwise. */
const toPayload = (text: string, isIsolated: boolean): CronPayload =>
  isIsolated ? { kind: "agentTurn", message: text, deliver: true } : { kind: "systemEvent", text };

function parseSchedule({ cron, clock }: CronOptions, { when, at, in: seconds }: CronParams): CronSchedule {
  if (when === undefined) {
    const due = { ...(at !== undefined && { at }), ...(seconds !== undefined && { in: seconds }) };
    return { kind: "at", atMs: parseDue(due, clock.now()) };
  }
  if (at !== undefined || seconds !== undefined) {
    throw new ToolError("CRON_WHEN_MISSING", `Give only one of "when", "at" and "in"`, {
      hint: `"when" takes words, an ISO time or a cron expression.`,
    });
  }
  return cron.parseWhen(when);
}

async function update(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const { cron, scope } = options;
  const job = await findJob(options, params);
  // The job runs with the rights of who asked for it: nobody else may put their words into it.
  if (!seesAll(options) && job.home.askedBy.id !== scope.sender.id) {
    throw new ToolError("CRON_NOT_YOURS", `The job "${job.id}" is ${job.home.askedBy.username}'s`, {
      hint: "Only who asked for it may change it. It can be removed, and a new one added.",
    });
  }
  const { text, name, isolated, enabled, when, at, in: seconds } = params;
  const hasTime = when !== undefined || at !== undefined || seconds !== undefined;
  const outside = await options.findOutside();
  const patch: CronPatch = {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled }),
    ...(hasTime && { schedule: parseSchedule(options, params) }),
    ...((text !== undefined || isolated !== undefined) && { payload: changePayload(job.payload, text, isolated) }),
    ...(outside !== undefined && { outside }),
  };
  const changed = await cron.update(job.id, patch);
  return buildTextResult(`Changed: ${formatJob(cron, changed, scope.channel)}`, { jobs: [toDetail(changed)] });
}

function changePayload(payload: CronPayload, text: string | undefined, isIsolated: boolean | undefined): CronPayload {
  const words = text ?? (payload.kind === "systemEvent" ? payload.text : payload.message);
  const wasIsolated = payload.kind === "agentTurn";
  if (isIsolated !== undefined && isIsolated !== wasIsolated) return toPayload(words, isIsolated);
  return payload.kind === "agentTurn" ? { ...payload, message: words } : { ...payload, text: words };
}

async function remove(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const { id } = await findJob(options, params);
  await options.cron.remove(id);
  return buildTextResult(`Removed ${id}.`, { jobs: [] });
}

async function run(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const { id } = await findJob(options, params);
  const { ran, reason } = await options.cron.run(id, "force");
  return buildTextResult(ran ? `Started ${id}.` : `${id} was not started: ${reason}.`, { jobs: [] });
}

async function runs(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const job = await findJob(options, params);
  const found = await options.cron.runs(job.id, runsShown);
  const text = found.length === 0 ? "It has had no due time yet." : found.map(formatRun).join("\n");
  return buildTextResult(`${text}\n${now(options)}`, { jobs: [toDetail(job)] });
}

async function wake(options: CronOptions, { text }: CronParams): Promise<ToolResult<CronDetails>> {
  if (!seesAll(options)) {
    throw new ToolError("CRON_WAKE_REFUSED", "Only the owner's own session can be woken from itself", {
      hint: `Use "add" with "in" to be called again in this chat.`,
    });
  }
  const outside = await options.findOutside();
  await options.cron.wake({
    mode: "now",
    ...(text !== undefined && { text }),
    ...(outside !== undefined && { outside }),
  });
  return buildTextResult("Done.", { jobs: [] });
}

/** Of another chat it is as if there were none. */
async function findJob(options: CronOptions, { action, id }: CronParams): Promise<CronJob> {
  const job = id === undefined ? undefined : await options.cron.get(id);
  if (job && (seesAll(options) || isHere(options, job))) return job;
  throw new ToolError(
    "CRON_NOT_FOUND",
    id === undefined ? `"${action}" needs "id"` : `This chat has no reminder or job "${id}"`,
    { hint: `Call with action "list" to see the ids.` },
  );
}

const isHere = ({ scope }: CronOptions, { home }: CronJob) =>
  home.channel.adapter === scope.channel.adapter && home.channel.channelId === scope.channel.channelId;
