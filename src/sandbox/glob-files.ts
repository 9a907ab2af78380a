/** Lists files below a folder for `Operations.glob`: ripgrep walks and knows the ignore files, we match and bound. */
import { relative } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { ExecRequest, ExecResult } from "../contracts/sandbox.ts";
import { buildGlobMatcher } from "./glob-pattern.ts";
import { isWithin } from "./real-path.ts";

/**
 * The pattern is not given to ripgrep as `--glob`, because there it would override the ignore files. Ignore files above
 * the folder count for nothing: what lies outside must not decide what is seen inside.
 */
const listArguments = [
  "--no-config",
  "--files",
  "--null",
  "--hidden",
  "--no-require-git",
  "--no-ignore-parent",
  "--no-ignore-global",
  "--no-messages",
  "--sort=path",
  "--glob=!.git",
];

const listTimeoutMs = 60_000;

export interface GlobRequest {
  pattern: string;
  /** Real path. */
  root: string;
  hidden: string[];
  limit: number;
  signal: AbortSignal;
}

export async function globFiles(
  request: GlobRequest,
  exec: (request: ExecRequest) => Promise<ExecResult>,
): Promise<string[]> {
  const matches = buildGlobMatcher(request.pattern);
  const found: string[] = [];
  const enough = new AbortController();
  const take = (path: string) => {
    if (found.length >= request.limit || request.hidden.some((hidden) => isWithin(path, hidden))) return;
    const name = relative(request.root, path);
    if (!matches(name)) return;
    found.push(name);
    if (found.length === request.limit) enough.abort();
  };
  const result = await exec({
    command: { argv: ["rg", ...listArguments, "--", request.root] },
    timeoutMs: listTimeoutMs,
    signal: AbortSignal.any([request.signal, enough.signal]),
    maxOutputBytes: 4096,
    onOutput: createNulSplitter(take),
  });
  if (found.length === request.limit) return found;
  if (request.signal.aborted) throw new ToolError("ABORTED", "The search was stopped");
  const { ended, exitCode, stderr } = result;
  // 1 means "nothing found"; 2 without a word, that some folders could not be entered.
  const isComplete = exitCode === 0 || exitCode === 1 || (exitCode === 2 && stderr === "");
  if (ended === "timeout" || !isComplete) {
    throw new ToolError("GLOB_FAILED", `Cannot list the files below ${request.root}: ${stderr.trim() || ended}`, {
      hint: "Search a smaller folder.",
    });
  }
  return found;
}

function createNulSplitter(take: (path: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk: Uint8Array, stream: "stdout" | "stderr") => {
    if (stream === "stderr") return;
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = parts.pop() ?? "";
    for (const path of parts) take(path);
  };
}
