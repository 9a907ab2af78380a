/** `bash`: runs a command line in the working folder and waits for its end, or leaves it running for `process`. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { maxResultBytes, maxResultLines } from "../kit/limits.ts";
import type { SpillFiles } from "../kit/spill-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { truncateTail } from "../kit/truncate.ts";
import type { SessionRuns } from "./background-runs.ts";
import { findSource } from "./brings-outside.ts";
import { describeEnding } from "./describe-ending.ts";
import { createLiveTail } from "./live-tail.ts";
import { buildShellSubject } from "./shell-subject.ts";

const defaultTimeoutSeconds = 120;
const maxTimeoutSeconds = 600;
const backgroundTimeoutSeconds = 60 * 60;
const maxBackgroundSeconds = 8 * 60 * 60;
const maxSpillBytes = 10 * 1024 * 1024;

const parameters = Type.Object(
  {
    command: Type.String({ minLength: 1, maxLength: 100_000 }),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxBackgroundSeconds,
        description: `Seconds; default ${defaultTimeoutSeconds}, at most ${maxTimeoutSeconds}; in the background ${backgroundTimeoutSeconds}, ${maxBackgroundSeconds}`,
      }),
    ),
    background: Type.Optional(Type.Boolean({ description: "Answer at once with an id for the process tool" })),
  },
  { additionalProperties: false },
);
type BashParams = Static<typeof parameters>;

interface BashDetails {
  exitCode: number | null;
  durationMs: number;
  /** Where the full output is, when not all of it is shown. */
  outputPath?: string;
  /** Id of a run in the background. */
  run?: string;
}

export interface BashOptions {
  clock: Clock;
  spill: SpillFiles;
  /** Of the session. */
  runs: SessionRuns;
  /** Does the executor keep programs from the rest of the machine? If not, every command acts on the world. */
  isConfined: boolean;
  /** May programs use the network? */
  hasNetwork: boolean;
}

export function createBashTool(operations: Operations, options: BashOptions): Tool<typeof parameters, BashDetails> {
  const mayBring = ({ command }: BashParams) =>
    findSource(command, { hasNetwork: options.hasNetwork || !options.isConfined });
  return {
    name: "bash",
    label: "Bash",
    description: `Run a command and wait for it; processes left behind are ended. The last ${maxResultLines} lines or ${formatBytes(maxResultBytes)} are shown, the rest is kept in a file.`,
    parameters,
    effect: "external",
    describe: ({ command, background }) => `bash ${command.split("\n", 1)[0] ?? ""}${background ? " &" : ""}`,
    approvalSubject: async ({ command }) => buildShellSubject(command, await operations.resolve(operations.cwd)),
    isOutward: () => !options.isConfined,
    mayBring,
    execute: (_id, params, signal, onUpdate) =>
      params.background
        ? startInBackground(operations, { ...params, brings: mayBring(params) }, signal, options.runs)
        : runToEnd(operations, params, signal, onUpdate, options),
  };
}

async function startInBackground(
  operations: Operations,
  { command, timeout = backgroundTimeoutSeconds, brings }: BashParams & { brings: string | undefined },
  signal: AbortSignal,
  runs: SessionRuns,
): Promise<ToolResult<BashDetails>> {
  const run = await runs.start({ operations, command, brings, timeoutMs: timeout * 1000, signal });
  const text = `Started ${run.id}; it is ended after ${timeout} s. Look after it with process: poll, write, kill.`;
  return buildTextResult(text, { exitCode: null, durationMs: 0, run: run.id });
}

async function runToEnd(
  operations: Operations,
  { command, timeout = defaultTimeoutSeconds }: BashParams,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult<BashDetails>) => void,
  { clock, spill }: BashOptions,
): Promise<ToolResult<BashDetails>> {
  if (timeout > maxTimeoutSeconds) {
    throw new ToolError("COMMAND_TIMEOUT_TOO_LONG", `A command can be waited for ${maxTimeoutSeconds} s at most`, {
      hint: "Set background for what takes longer.",
    });
  }
  const live = createLiveTail(clock, (text) =>
    onUpdate({ content: [{ type: "text", text }], details: { exitCode: null, durationMs: 0 } }),
  );
  let outputBytes = 0;
  try {
    const result = await operations.exec({
      // Both streams in one pipe: only then does the order of their lines mean something.
      command: { shell: `exec 2>&1; ${command}` },
      timeoutMs: timeout * 1000,
      signal,
      maxOutputBytes: maxSpillBytes,
      onOutput: (chunk) => {
        outputBytes += chunk.length;
        live.push(chunk);
      },
    });
    return await toResult(result, outputBytes, timeout, spill);
  } finally {
    live.stop();
  }
}

async function toResult(
  result: ExecResult,
  outputBytes: number,
  timeoutSeconds: number,
  spill: SpillFiles,
): Promise<ToolResult<BashDetails>> {
  // A syntax error in the first line is reported before the streams are joined.
  const output = result.stdout + result.stderr;
  const shown = truncateTail(output);
  const isCut = shown.cutBy !== undefined || outputBytes > maxSpillBytes;
  const outputPath = isCut ? await spill.save(output).catch(() => undefined) : undefined;
  const notice = isCut ? formatNotice(shown.keptLines, outputBytes, outputPath) : undefined;
  const built = buildTextResult(
    shown.text.trim() === "" ? "(no output)" : shown.text,
    {
      exitCode: result.exitCode,
      durationMs: result.durationMs,
      ...(outputPath === undefined ? {} : { outputPath }),
    },
    notice,
  );
  ensureSuccess(result, timeoutSeconds, built.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
  return built;
}

function formatNotice(shownLines: number, outputBytes: number, outputPath: string | undefined): string {
  const shown = `The last ${shownLines} lines of ${formatBytes(outputBytes)} of output.`;
  if (outputPath === undefined) return `${shown} The rest could not be kept; write it to a file in the command`;
  const kept = outputBytes > maxSpillBytes ? `The last ${formatBytes(maxSpillBytes)}` : "All of it";
  return `${shown} ${kept} is in ${outputPath}; read it with offset, or grep in it`;
}

/** The output comes first in the failure: it is what explains it. */
function ensureSuccess(result: ExecResult, timeoutSeconds: number, output: string): void {
  if (result.ended === "timeout") {
    throw new ToolError("COMMAND_TIMED_OUT", `${output}\n\nThe command was ended after ${timeoutSeconds} s.`, {
      hint: `Give it more time (timeout, at most ${maxTimeoutSeconds}), less to do, or set background.`,
    });
  }
  if (result.ended === "aborted") throw new ToolError("ABORTED", `${output}\n\nThe command was stopped.`);
  if (result.ended === "limit") {
    const detail = result.detail ?? "it took more than it may";
    throw new ToolError("COMMAND_OVER_LIMIT", `${output}\n\nThe command was ended: ${detail}`, {
      hint: "Do it in smaller pieces.",
    });
  }
  if (result.exitCode === 0) return;
  throw new ToolError("COMMAND_FAILED", `${output}\n\nThe command failed: ${describeEnding(result)}.`);
}
