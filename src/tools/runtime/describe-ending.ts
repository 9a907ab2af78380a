/** How a program ended, in words for the model. */
import type { ExecResult } from "../../contracts/sandbox.ts";

/** `exit code 1`, `ended by SIGKILL`, `it ran out of time`. */
export function describeEnding({ ended, exitCode, signal, detail }: ExecResult): string {
  if (ended === "timeout") return "it ran out of time";
  if (ended === "aborted") return "it was stopped";
  if (ended === "limit") return `it was stopped: ${detail ?? "it took more than it may"}`;
  return exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}
