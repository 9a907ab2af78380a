/** `bash`: runs a command line in the working folder and waits for its end. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { maxResultBytes, maxResultLines } from "../kit/limits.ts";
import type { SpillFiles } from "../kit/spill-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { truncateTail } from "../kit/truncate.ts";
import { createLiveTail } from "./live-tail.ts";

const defaultTimeoutSeconds = 120;
const maxTimeoutSeconds = 600;
const maxSpillBytes = 10 * 1024 * 1024;

const parameters = Type.Object(
  {
    command: Type.String({ minLength: 1, maxLength: 100_000 }),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxTimeoutSeconds,
        description: `Seconds, default ${defaultTimeoutSeconds}`,
      }),
    ),
  },
  { additionalProperties: false },
);

interface BashDetails {
  exitCode: number | null;
  durationMs: number;
  /** Where the full output is, when not all of it is shown. */
  outputPath?: string;
}

export interface BashOptions {
  clock: Clock;
  spill: SpillFiles;
}

export function createBashTool(operations: Operations, options: BashOptions): Tool<typeof parameters, BashDetails> {
  return {
    name: "bash",
    label: "Bash",
    description: `Run a command and wait for it; processes left behind are ended. The last ${maxResultLines} lines or ${formatBytes(maxResultBytes)} are shown, the rest is kept in a file.`,
    parameters,
    effect: "external",
    describe: ({ command }) => `bash ${command.split("\n", 1)[0] ?? ""}`,
    async execute(_id, { command, timeout = defaultTimeoutSeconds }, signal, onUpdate) {
      const live = createLiveTail(options.clock, (text) =>
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
        return await toResult(result, outputBytes, timeout, options.spill);
      } finally {
        live.stop();
      }
    },
  };
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
      hint: `Give it more time (timeout, at most ${maxTimeoutSeconds}) or less to do.`,
    });
  }
  if (result.ended === "aborted") throw new ToolError("ABORTED", `${output}\n\nThe command was stopped.`);
  if (result.exitCode === 0) return;
  const ending = result.exitCode === null ? `ended by ${result.signal ?? "a signal"}` : `exit code ${result.exitCode}`;
  throw new ToolError("COMMAND_FAILED", `${output}\n\nThe command failed: ${ending}.`);
}
