/** A record as one line of JSON, for files, pipes and log collectors. */
import { toPrintable } from "../base/printable.ts";
import type { LogRecord } from "./log-record.ts";
import { withoutStacks } from "./without-stacks.ts";

/** Names that a field cannot take over. */
const reserved = new Set(["time", "level", "text"]);

export function formatJsonLine(record: LogRecord, options: { stacks: boolean }): string {
  const fields = Object.entries(record.fields).map(
    ([name, value]) => [reserved.has(name) ? `${name}_` : name, options.stacks ? value : withoutStacks(value)] as const,
  );
  const head = { time: new Date(record.at).toISOString(), level: record.level, text: record.text };
  return `${toPrintable(JSON.stringify({ ...head, ...Object.fromEntries(fields) }))}\n`;
}
