/** A line of the log file as the record that it was written from: what the sinks wrote, read back. */
import type { LogRecord } from "./log-record.ts";

const levels: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);

/** Undefined for a line that is not one of ours: half written, or edited by hand. */
export function parseLogLine(line: string): LogRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { time, level, text, ...fields } = parsed as Record<string, unknown>;
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at) || !levels.has(level) || typeof text !== "string") return undefined;
  return { at, level: level as LogRecord["level"], text, fields: fields as LogRecord["fields"] };
}
