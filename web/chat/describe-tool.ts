/** What a tool call does, in one line, and the diffs that came of it. Pure. */
import { toRecord } from "./agent-event.ts";

const telling = ["command", "path", "query", "url", "pattern", "action", "text", "prompt", "tool", "name"];
const longestLine = 200;

/** From mom's own line, else from the argument that tells most. The tool's name is shown beside it and left out. */
export function describeTool(name: string, args: Readonly<Record<string, unknown>>, label?: string): string {
  const own = label?.startsWith(`${name} `) ? label.slice(name.length + 1) : label === name ? "" : label;
  if (own !== undefined && own !== "") return firstLine(own);
  const key = telling.find((each) => typeof args[each] === "string" && args[each] !== "");
  if (key !== undefined) return firstLine(String(args[key]));
  const rest = JSON.stringify(args);
  return rest === "{}" ? "" : firstLine(rest);
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

export interface FileDiff {
  path: string | undefined;
  diff: string;
}

export function diffsOf(details: unknown): FileDiff[] {
  const own = toRecord(details);
  const files = Array.isArray(own["files"]) ? own["files"].map(toRecord) : [own];
  return files.flatMap((file) => {
    const diff = file["diff"];
    if (typeof diff !== "string" || diff.trim() === "") return [];
    const path = file["path"];
    return [{ path: typeof path === "string" ? path : undefined, diff }];
  });
}

export type DiffLine = { kind: "added" | "removed" | "same" | "place"; text: string };

/** The names of the files stand before the first place; what begins like them later is a line of the file. */
export function toDiffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const first = Math.max(
    0,
    lines.findIndex((line) => line.startsWith("@@")),
  );
  return lines.slice(first).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine["kind"] {
  if (line.startsWith("@@") || line.startsWith("\\")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}
