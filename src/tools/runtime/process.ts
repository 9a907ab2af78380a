/** `process`: looks after the programs that `bash` left running. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import type { SpillFiles } from "../kit/spill-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine, truncateTail } from "../kit/truncate.ts";
import type { BackgroundRun } from "./background-run.ts";
import type { SessionRuns } from "./background-runs.ts";
import { findSource } from "./brings-outside.ts";
import { describeEnding } from "./describe-ending.ts";
import { buildInputSubject } from "./shell-subject.ts";

const maxWaitSeconds = 30;
/** A program need not read what it is given. */
const writeTimeoutMs = 10_000;

const parameters = Type.Object(
  {
    action: Type.Enum(["list", "poll", "write", "kill"], { type: "string" }),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    wait: Type.Optional(Type.Integer({ minimum: 0, maximum: maxWaitSeconds, description: "poll: seconds" })),
    text: Type.Optional(Type.String({ maxLength: 100_000, description: "write: with \\n" })),
    end: Type.Optional(Type.Boolean({ description: "write: close its input" })),
  },
  { additionalProperties: false },
);
type ProcessParams = Static<typeof parameters>;

interface ProcessDetails {
  runs: { id: string; command: string; isRunning: boolean; exitCode: number | null; durationMs: number }[];
  /** Where all of the new output is, when not all of it is shown. */
  outputPath?: string;
}

export interface ProcessOptions {
  clock: Clock;
  spill: SpillFiles;
  /** Of the session. */
  runs: SessionRuns;
  /** Both as for `bash`. */
  isConfined: boolean;
  hasNetwork: boolean;
}

export function createProcessTool(options: ProcessOptions): Tool<typeof parameters, ProcessDetails> {
  const { runs, clock, spill, isConfined } = options;
  const findInputSource = ({ action, text = "" }: ProcessParams) =>
    action === "write" ? findSource(text, { hasNetwork: options.hasNetwork || !isConfined }) : undefined;
  return {
    name: "process",
    label: "Process",
    description: "Look after what bash started in the background: list, poll (new output), write (input), kill.",
    parameters,
    effect: "external",
    describe: ({ action, id }) => `process ${action}${id === undefined ? "" : ` ${id}`}`,
    // What is written to a shell is a command: whoever may not call bash may not do that either.
    actsAs: ({ action }) => (action === "write" ? "bash" : undefined),
    async approvalSubject(params) {
      if (params.action === "write") {
        return buildInputSubject(pickRun(runs, params), { text: params.text ?? "", end: params.end ?? false });
      }
      const words = ["process", params.action, ...(params.id === undefined ? [] : [params.id])];
      return { tool: "process", text: words.join(" "), exact: { argv: words, cwd: "/", env: {} } };
    },
    isOutward: ({ action }) => action === "write" && !isConfined,
    // Also in a later life of the session than the one that started it: its output is still what it is.
    mayBring: (params) => runs.list().find(({ id }) => id === params.id)?.brings ?? findInputSource(params),
    async execute(_id, params, signal) {
      if (params.action === "list") return listRuns(runs);
      const run = pickRun(runs, params);
      if (params.action === "poll") {
        await run.wait((params.wait ?? 0) * 1000, signal);
        return showRun(run, spill);
      }
      if (params.action === "kill") {
        await run.kill();
        return showRun(run, spill);
      }
      return writeTo(run, { ...params, brings: findInputSource(params) }, clock);
    },
  };
}

function pickRun(runs: SessionRuns, { action, id }: ProcessParams): BackgroundRun {
  if (id !== undefined) return runs.get(id);
  throw new ToolError("RUN_NOT_FOUND", `${action} needs the id of a run`, {
    hint: `There are: ${
      runs
        .list()
        .map((run) => run.id)
        .join(", ") || "none"
    }.`,
  });
}

function listRuns(runs: SessionRuns): ToolResult<ProcessDetails> {
  const all = runs.list();
  const lines = all.map((run) => `${describeState(run)}: ${shortenLine(run.command.replace(/\s+/g, " "), 200)}`);
  return buildTextResult(lines.join("\n") || "Nothing was started in the background.", { runs: all.map(toDetails) });
}

async function showRun(run: BackgroundRun, spill: SpillFiles): Promise<ToolResult<ProcessDetails>> {
  const { text, lostBytes } = run.take();
  const shown = truncateTail(text);
  const isCut = shown.cutBy !== undefined;
  const outputPath = isCut ? await spill.save(text).catch(() => undefined) : undefined;
  const notices = [
    ...(isCut ? [`The last ${shown.keptLines} lines of what is new. ${formatPlace(outputPath)}`] : []),
    ...(lostBytes > 0
      ? [
          `${formatBytes(lostBytes)} before it came too fast to be kept; poll more often, or write to a file in the command`,
        ]
      : []),
  ];
  return buildTextResult(
    `${describeState(run)}.\n\n${shown.text.trim() === "" ? "(no new output)" : shown.text}`,
    { runs: [toDetails(run)], ...(outputPath === undefined ? {} : { outputPath }) },
    notices.length > 0 ? notices.join(". ") : undefined,
  );
}

const formatPlace = (path: string | undefined) =>
  path === undefined ? "The rest could not be kept" : `All of it is in ${path}; read it with offset, or grep in it`;

async function writeTo(
  run: BackgroundRun,
  params: ProcessParams & { brings: string | undefined },
  clock: Clock,
): Promise<ToolResult<ProcessDetails>> {
  const { text = "", end = false, brings } = params;
  if (run.result !== undefined) {
    throw new ToolError("RUN_ENDED", `${describeState(run)}; it reads no more`, { hint: "Start it again with bash." });
  }
  if (text === "" && !end) {
    throw new ToolError("RUN_INPUT_EMPTY", "write needs a text, or end to close the input", {
      hint: "Give one of them.",
    });
  }
  const taken = run.write(text, brings).then(() => true);
  const isTaken = text === "" || (await within(clock, writeTimeoutMs, taken, () => false));
  if (end) run.closeInput();
  const said = isTaken ? `Given to ${run.id}.` : `${run.id} has not read it yet; it waits in its input.`;
  return buildTextResult(`${said} Poll for what it answers.`, { runs: [toDetails(run)] });
}

function describeState(run: BackgroundRun): string {
  const seconds = `${Math.round(run.durationMs / 1000)} s`;
  return run.result === undefined
    ? `${run.id} has been running for ${seconds}`
    : `${run.id} ended after ${seconds} (${describeEnding(run.result)})`;
}

const toDetails = (run: BackgroundRun) => ({
  id: run.id,
  command: run.command,
  isRunning: run.result === undefined,
  exitCode: run.result?.exitCode ?? null,
  durationMs: run.durationMs,
});
