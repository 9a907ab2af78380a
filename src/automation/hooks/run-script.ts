/** One run of a hook's script on the host: the event as JSON on standard input, and what the script made of it. */
import { errorText } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { HookScript } from "./config.ts";
import { findScriptFault } from "./find-script-fault.ts";

export type ScriptResult =
  | { type: "go" }
  /** It said no (exit code 2). */
  | { type: "refused"; reason: string }
  /** It could not be run, ended otherwise, or took too long. */
  | { type: "failed"; reason: string };

export interface ScriptDeps {
  /** Runs a program on the host, unconfined. */
  exec: Operations["exec"];
  /** Folders that agents can write, absolute. */
  agentFolders(): readonly string[];
}

const maxOutputBytes = 16 * 1024;
const maxReasonChars = 500;
const refusedCode = 2;

/** Never rejects. */
export async function runScript(
  { exec, agentFolders }: ScriptDeps,
  { run, timeoutSeconds }: HookScript,
  input: string,
  signal: AbortSignal,
): Promise<ScriptResult> {
  try {
    const fault = await findScriptFault(run, agentFolders());
    if (fault !== undefined) return { type: "failed", reason: fault };
    const ended = await exec({
      command: { argv: [...run] },
      input,
      timeoutMs: timeoutSeconds * 1000,
      signal,
      maxOutputBytes,
    });
    if (ended.ended !== "exit") {
      const reason =
        ended.ended === "timeout" ? `it took longer than ${timeoutSeconds} s` : `it was ended (${ended.ended})`;
      return { type: "failed", reason };
    }
    if (ended.exitCode === 0) return { type: "go" };
    if (ended.exitCode === refusedCode)
      return { type: "refused", reason: firstLine(ended.stdout) ?? "no reason was given" };
    const said = firstLine(ended.stderr);
    return { type: "failed", reason: `it ended with ${ended.exitCode ?? ended.signal}${said ? `: ${said}` : ""}` };
  } catch (error) {
    return { type: "failed", reason: errorText(error) };
  }
}

function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((each) => each.trim() !== "");
  return line === undefined ? undefined : toPrintable(line.trim()).slice(0, maxReasonChars);
}
