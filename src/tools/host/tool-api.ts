/** What a factory gets: programs on the host, and files of the data directory but those that are mom's own. */
import { resolve } from "node:path";
import type { Operations } from "../../contracts/sandbox.ts";
import { createDataFiles } from "./data-files.ts";
import type { ToolAPI } from "./sdk.ts";

export interface ToolApiDeps {
  /** Absolute. */
  dataDir: string;
  /** Configuration, credentials, state: absolute. */
  closedPaths: readonly string[];
  /** On the host itself. */
  exec: Operations["exec"];
}

const defaultTimeoutMs = 60_000;
const maxOutputBytes = 4 * 1024 * 1024;

export function createToolApi({ dataDir, closedPaths, exec }: ToolApiDeps): ToolAPI {
  return {
    dataDir,
    async exec(program, args = [], { cwd = dataDir, env, input, timeoutMs = defaultTimeoutMs, signal } = {}) {
      const result = await exec({
        command: { argv: [program, ...args] },
        cwd: resolve(dataDir, cwd),
        ...(env && { env }),
        ...(input !== undefined && { input }),
        timeoutMs,
        signal: signal ?? new AbortController().signal,
        maxOutputBytes,
      });
      const { exitCode, stdout, stderr, ended } = result;
      return { code: exitCode, stdout, stderr, killed: ended !== "exit" };
    },
    ...createDataFiles(dataDir, closedPaths),
  };
}
