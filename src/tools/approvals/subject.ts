/** What exactly is to be allowed: made of a call by its tool or here, compared by its hash, and read as a command line where it is one. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { ApprovalSubject } from "../../contracts/approval.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { Shell } from "./read-word.ts";

/** Throws like the tool's `execute`. */
export async function buildSubject(tool: Tool, params: unknown): Promise<ApprovalSubject> {
  const subject = (await tool.approvalSubject?.(params)) ?? buildPlainSubject(tool.name, params);
  const line = toShellLine(subject);
  // What is shown must be what is run, whatever else the tool would like to say of it.
  return line === undefined ? subject : { ...subject, text: line.command };
}

function buildPlainSubject(tool: string, params: unknown): ApprovalSubject {
  const text = JSON.stringify(sortKeys(params), null, 2) ?? "";
  return { tool, text, exact: { argv: [tool, text], cwd: "", env: {} } };
}

/** SHA-256 over everything that makes two calls the same. */
export function hashSubject({ tool, exact: { argv, cwd, env } }: ApprovalSubject): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, argv, cwd, Object.entries(env).sort(compareKeys)]))
    .digest("hex");
}

/** The line that a shell is given; undefined where the subject is something else. */
export function toShellLine({ exact: { argv } }: ApprovalSubject): { shell: Shell; command: string } | undefined {
  const [program = "", option, command, ...rest] = argv;
  if (option !== "-c" || command === undefined || rest.length > 0) return undefined;
  const name = basename(program);
  return name === "bash" || name === "sh" ? { shell: name, command } : undefined;
}

/** The same arguments in another order are the same call. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(compareKeys)
      .map(([key, each]) => [key, sortKeys(each)]),
  );
}

const compareKeys = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : Number(a > b));
