/**
 * `/cron`: jobs and reminders, without a model. In a chat those that are at home there, in the owner's own session all of them.
 * What it makes runs with the rights of the admin who typed it, in that chat.
 */
import { formatMoment } from "../base/format-values.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { CronJob, CronRun } from "../contracts/cron.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, ensureNoArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toCode, toLine } from "./text/foreign-text.ts";

type Deps = Pick<CommandDeps, "cron">;

const mostListed = 50;
const mostRuns = 10;

export function buildCronCommand(deps: Deps): Command {
  const command: Command = {
    name: "cron",
    usage: '[list [all]|add "<when>" <text>|remove <id>|run <id>|runs <id>]',
    summary: "jobs and reminders: what I do on my own, and when",
    adminOnly: true,
    immediate: true,
    async run(call) {
      const [verb, rest] = splitFirst(call.args);
      const choice = verb === "" ? "list" : pickChoice(command, verb, ["list", "add", "remove", "run", "runs"]);
      if (choice === "list") return list(deps, command, call, rest);
      if (choice === "add") return add(deps, command, call, rest);
      if (rest === "") throw badArguments(command, "Say which job, by its id");
      if (choice === "remove") return remove(deps, command, call, rest);
      return choice === "run" ? runNow(deps, command, call, rest) : runs(deps, command, rest);
    },
  };
  return command;
}

async function list({ cron }: Deps, command: Command, { turn, session }: CommandCall, rest: string): Promise<string> {
  const isAll = rest.toLowerCase() === "all" || session.type === "main";
  if (!isAll) ensureNoArguments(command, rest);
  const { channel } = turn.route;
  const jobs = await cron.list({ includeDisabled: true, ...(!isAll && { channel }) });
  if (jobs.length === 0) {
    const where = isAll ? "" : " in this chat; `/cron list all` shows those of other chats too";
    return `There are no jobs and no reminders${where}. \`/cron add "every weekday 9:00" write the report\` makes one.`;
  }
  const more = jobs.length > mostListed ? [`… and ${jobs.length - mostListed} more`] : [];
  return [...jobs.slice(0, mostListed).map((job) => formatJob({ cron }, job, isAll)), ...more].join("\n");
}

function formatJob({ cron }: Deps, job: CronJob, isAll: boolean): string {
  const { id, name, enabled, payload, state, home } = job;
  const notes = [
    enabled ? cron.describe(job) : "switched off",
    ...(payload.kind === "agentTurn" ? ["runs in a session of its own"] : []),
    ...(state.runningAtMs === undefined ? [] : [`runs since ${formatMoment(state.runningAtMs)}`]),
    ...(state.failures === undefined ? [] : [`failed ${state.failures} times: ${toCode(state.lastError ?? "", 120)}`]),
    ...(isAll ? [`in ${toCode(`${home.channel.adapter}/${home.channel.channelId}`, 80)}`] : []),
  ];
  const text = payload.kind === "systemEvent" ? payload.text : payload.message;
  return `- **${id}** ${toCode(name, 80)}: ${toCode(text, 200)} (${notes.join("; ")})`;
}

async function add({ cron }: Deps, command: Command, { turn }: CommandCall, rest: string): Promise<string> {
  const [, when, text] = /^["“”'](.+?)["“”']\s+([\s\S]+)$/.exec(rest) ?? [];
  if (when === undefined || text === undefined) {
    throw badArguments(
      command,
      'Say when, in quotes, and then what: `/cron add "every weekday 9:00" write the report`',
    );
  }
  const schedule = cron.parseWhen(when);
  const { sender } = turn.message;
  const { channel } = turn.route;
  // An attempt that was cut off may have made it.
  const made = turn.attempt > 1 ? await findMade({ cron }, turn, text) : undefined;
  const job =
    made ??
    (await cron.add({
      name: toLine(text, 40).replace(/[[\]]/g, "") || "job",
      schedule,
      payload: { kind: "systemEvent", text },
      home: { channel, askedBy: { id: sender.id, username: sender.username } },
    }));
  return `Set, as **${job.id}**: ${toCode(text, 200)}, ${cron.describe(job)}.`;
}

async function findMade({ cron }: Deps, turn: CommandCall["turn"], text: string): Promise<CronJob | undefined> {
  const jobs = await cron.list({ channel: turn.route.channel, includeDisabled: true });
  return jobs.find(
    ({ payload, createdAtMs }) =>
      createdAtMs >= turn.createdAt && payload.kind === "systemEvent" && payload.text === text,
  );
}

async function remove({ cron }: Deps, command: Command, { turn }: CommandCall, id: string): Promise<string> {
  const isRemoved = await cron.remove(id.toLowerCase());
  if (isRemoved || turn.attempt > 1) return `The job ${toCode(id, 40)} is gone; what it has done stays on record.`;
  throw badArguments(command, `There is no job ${toCode(id, 40)}; \`/cron list all\` shows the ones there are`);
}

async function runNow({ cron }: Deps, command: Command, { turn }: CommandCall, typed: string): Promise<string> {
  const id = typed.toLowerCase();
  const [last] = turn.attempt > 1 ? await cron.runs(id, 1) : [];
  // An attempt that was cut off may have started it.
  if (last?.state === "ran" && last.settledAt >= turn.createdAt) return `Started ${toCode(id, 40)}.`;
  if (!(await cron.get(id))) throw badArguments(command, `There is no job ${toCode(typed, 40)}`);
  const { ran, reason } = await cron.run(id, "force");
  return ran ? `Started ${toCode(id, 40)}.` : `Not started: ${toLine(reason ?? "no reason was given", 300)}.`;
}

/** Also of a job that is gone: its ledger stays. */
async function runs({ cron }: Deps, command: Command, typed: string): Promise<string> {
  const id = typed.toLowerCase();
  const found = await cron.runs(id, mostRuns);
  if (found.length > 0) return found.map(formatRun).join("\n");
  if (await cron.get(id)) return "It has had no due time yet.";
  throw badArguments(command, `There is no job ${toCode(typed, 40)}`);
}

function formatRun({ dueAt, state, status, reason, error, summary }: CronRun): string {
  const parts = [reason, error, summary].flatMap((part) => (part === undefined ? [] : [toCode(part, 200)]));
  return `- ${formatMoment(dueAt)} **${status === undefined ? state : `${state}, ${status}`}** ${parts.join(" ")}`.trim();
}
