/**
 * `/subagents`: the tasks that this conversation has given away; how they stand, what they do, an end to them. The owner sees and
 * ends those of every conversation. Answered at once, beside a running turn.
 */
import { formatCost, formatCount } from "../base/format-values.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { SubagentRun } from "../contracts/subagent.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toBlock, toCode, toLine } from "./text/foreign-text.ts";
import { formatDuration, formatNumber } from "./text/format-values.ts";

type Deps = Pick<CommandDeps, "subagents" | "clock">;

const mostShown = 20;
const logLines = 30;
/** Fewer letters of an id could mean any. */
const shortestId = 4;

export function buildSubagentsCommand(deps: Deps): Command {
  const command: Command = {
    name: "subagents",
    usage: "[list | stop <id|all> | log <id>]",
    summary: "tasks that I gave to subagents",
    immediate: true,
    async run(call) {
      const [verb, rest] = splitFirst(call.args);
      const action = verb === "" ? "list" : pickChoice(command, verb, ["list", "stop", "log"]);
      if (action === "list") {
        if (rest !== "") throw badArguments(command, "`/subagents list` takes nothing behind it");
        return formatList(await listVisible(deps, call), deps.clock.now());
      }
      if (rest === "") throw badArguments(command, "Say which one, by its id");
      if (action === "stop" && rest.toLowerCase() === "all") return stopAll(deps, call);
      const run = await find(command, deps, call, rest);
      return action === "stop" ? stop(deps, call, run) : showLog(deps, run);
    },
  };
  return command;
}

const listVisible = ({ subagents }: Deps, { session, isAdmin }: CommandCall): Promise<SubagentRun[]> =>
  subagents.list(isAdmin && session.type === "main" ? undefined : session.sessionKey);

async function find(command: Command, deps: Deps, call: CommandCall, typed: string): Promise<SubagentRun> {
  const wanted = typed.toLowerCase();
  const runs = await listVisible(deps, call);
  const isMeant = ({ runId, label }: SubagentRun) =>
    runId === wanted || label === typed || (wanted.length >= shortestId && runId.startsWith(wanted));
  const [found, ...others] = runs.filter(isMeant);
  if (found && others.length === 0) return found;
  const why = found ? `${others.length + 1} are called ${toCode(typed, 40)}` : `There is no ${toCode(typed, 40)}`;
  throw badArguments(command, `${why}; \`/subagents\` shows the ids`);
}

async function stop({ subagents }: Deps, { turn }: CommandCall, run: SubagentRun): Promise<string> {
  const isStopped = await subagents.stop(run.runId);
  // An attempt that was cut off may have ended it.
  if (isStopped || (turn.attempt > 1 && run.state === "stopped")) return `Stopped ${formatName(run)}.`;
  return `${formatName(run)} was over already: ${run.state}.`;
}

async function stopAll({ subagents }: Deps, { session, turn }: CommandCall): Promise<string> {
  const count = await subagents.stopAllOf(session.sessionKey, turn.id);
  return count === 0 ? "There was none to stop." : `Stopped ${formatNumber(count, "subagent")}.`;
}

async function showLog({ subagents }: Deps, run: SubagentRun): Promise<string> {
  const lines = await subagents.log(run.runId, logLines);
  const head = `${formatName(run)}, ${run.state}: ${toCode(run.task, 300)}`;
  if (!lines) return `${head}\nIt has no transcript: it has not begun, or its session is gone.`;
  const text = lines.map(({ at, who, text: said }) => `${at.slice(11, 16)} ${who}: ${said}`).join("\n");
  return `${head}\n${text === "" ? "Nothing was said yet." : toBlock(text, { maxChars: 6000 })}`;
}

function formatList(runs: readonly SubagentRun[], nowMs: number): string {
  if (runs.length === 0) return "There are no subagents.";
  const more = runs.length - mostShown;
  return [
    "Subagents, newest first:",
    ...runs
      .slice(0, mostShown)
      .map((run) => `- ${formatName(run)} ${formatState(run, nowMs)}: ${toCode(run.task, 80)}`),
    ...(more > 0 ? [`- and ${more} older`] : []),
  ].join("\n");
}

const formatName = ({ runId, label }: SubagentRun): string =>
  `**${toLine(runId, 20)}**${label === undefined ? "" : ` ${toCode(label, 60)}`}`;

function formatState({ state, createdAt, startedAt, endedAt, tokens, cost }: SubagentRun, nowMs: number): string {
  const time = formatDuration(Math.max(0, (endedAt ?? nowMs) - (startedAt ?? createdAt)));
  const used = tokens === undefined ? "" : `, ${formatCount(tokens)} tokens, ${formatCost(cost ?? 0)}`;
  return `${state}, ${time}${used}`;
}
