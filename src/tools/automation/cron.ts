/** `cron`: reminders. A due one comes back into the same chat as a message, with the rights of who asked for it. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Schedule, Scheduler } from "../../contracts/schedule.ts";
import type { Tool, ToolResult, ToolScope } from "../../contracts/tool.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import { parseDue } from "./parse-due.ts";

const maxPending = 100;

const parameters = Type.Object(
  {
    action: Type.Enum(["add", "list", "remove"], { type: "string" }),
    at: Type.Optional(Type.String({ description: "add: ISO 8601 with offset" })),
    in: Type.Optional(Type.Integer({ minimum: 1, description: "add: seconds from now" })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 4000, description: "add: what to do then" })),
    id: Type.Optional(Type.String({ minLength: 1, description: "remove" })),
  },
  { additionalProperties: false },
);
type CronParams = Static<typeof parameters>;

interface CronDetails {
  schedules: { id: string; dueAt: number; text: string }[];
}

export interface CronOptions {
  scheduler: Scheduler;
  clock: Clock;
  scope: Pick<ToolScope, "channel" | "sender">;
  /** Where text in this conversation came from, if it came from outside. */
  findOutside(): Promise<string | undefined>;
}

export function createCronTool(options: CronOptions): Tool<typeof parameters, CronDetails> {
  return {
    name: "cron",
    label: "Cron",
    description: "Set, list or remove one-time reminders in this chat. A due one comes back to you as a message.",
    parameters,
    effect: "external",
    describe: ({ action, text, id }) => `cron ${action}${(text ?? id) ? ` ${shortenLine(text ?? id ?? "", 80)}` : ""}`,
    async execute(_id, params) {
      if (params.action === "add") return add(options, params);
      if (params.action === "remove") return remove(options, params);
      return list(options);
    },
  };
}

async function add(options: CronOptions, params: CronParams): Promise<ToolResult<CronDetails>> {
  const { scheduler, clock, scope } = options;
  const { text } = params;
  if (text === undefined) {
    throw new ToolError("CRON_TEXT_MISSING", `"add" needs "text"`, { hint: "Say what is to be done when it is due." });
  }
  const dueAt = parseDue(
    { ...(params.at === undefined ? {} : { at: params.at }), ...(params.in === undefined ? {} : { in: params.in }) },
    clock.now(),
  );
  if ((await scheduler.list(scope.channel)).length >= maxPending) {
    throw new ToolError("CRON_FULL", `This chat already has ${maxPending} reminders`, { hint: "Remove some first." });
  }
  const askedBy = { id: scope.sender.id, username: scope.sender.username };
  const outside = await options.findOutside();
  const schedule = await scheduler.add({
    dueAt,
    channel: scope.channel,
    text,
    askedBy,
    ...(outside !== undefined && { outside }),
  });
  return buildTextResult(`Set: ${format(schedule)}`, { schedules: [toDetail(schedule)] });
}

async function list({ scheduler, clock, scope }: CronOptions): Promise<ToolResult<CronDetails>> {
  const schedules = await scheduler.list(scope.channel);
  const now = `It is now ${new Date(clock.now()).toISOString()}.`;
  const text = schedules.length === 0 ? "No reminders in this chat." : schedules.map(format).join("\n");
  return buildTextResult(`${text}\n${now}`, { schedules: schedules.map(toDetail) });
}

async function remove({ scheduler, scope }: CronOptions, { id }: CronParams): Promise<ToolResult<CronDetails>> {
  if (id === undefined || !(await scheduler.remove(scope.channel, id))) {
    throw new ToolError(
      "CRON_NOT_FOUND",
      id === undefined ? `"remove" needs "id"` : `This chat has no reminder "${id}"`,
      {
        hint: `Call with action "list" to see the ids.`,
      },
    );
  }
  return buildTextResult(`Removed ${id}.`, { schedules: [] });
}

const format = ({ id, dueAt, text }: Schedule) =>
  `${id} ${new Date(dueAt).toISOString()} ${shortenLine(text.replaceAll("\n", " "), 300)}`;
const toDetail = ({ id, dueAt, text }: Schedule) => ({ id, dueAt, text });
