/**
 * A record as a person reads it on a terminal: `12:03:04 WARN  text  key=value key="two words"`, an error as its message,
 * code, hint and causes. Everything that came from outside is escaped; only the colours are ours.
 */
import { toPrintable } from "../base/printable.ts";
import type { LogLevel } from "../contracts/log.ts";
import type { PlainValue } from "./bound-value.ts";
import type { LogRecord } from "./log-record.ts";
import { withoutStacks } from "./without-stacks.ts";

export interface HumanFormat {
  colors: boolean;
  /** Also the frames of an error, indented below its line. */
  stacks: boolean;
}

const levelColor: Record<LogLevel, number> = { debug: 90, info: 36, warn: 33, error: 31 };

export function formatHumanLine(record: LogRecord, format: HumanFormat): string {
  const paint = (code: number, text: string) => (format.colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  const level = paint(levelColor[record.level], record.level.toUpperCase().padEnd(5));
  const fields = Object.entries(record.fields).flatMap(([name, value]) => formatField(name, value));
  const head = `${paint(90, formatTime(record.at))} ${level} ${toPrintable(record.text)}`;
  const tail = fields.length > 0 ? `  ${paint(90, fields.join(" "))}` : "";
  const frames = format.stacks ? Object.values(record.fields).flatMap(listFrames) : [];
  return [head + tail, ...frames.map((frame) => paint(90, `    ${toPrintable(frame)}`))].join("\n").concat("\n");
}

function formatTime(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function formatField(name: string, value: PlainValue): string[] {
  const parts = isErrorObject(value) ? listErrorParts(name, value) : [[name, withoutStacks(value)] as const];
  return parts.map(([key, part]) => `${toPrintable(key)}=${formatValue(part)}`);
}

function listErrorParts(name: string, error: { [key: string]: PlainValue }): (readonly [string, PlainValue])[] {
  const { message, stack: _stack, causes, name: _name, ...rest } = error;
  const parts = Object.entries(rest).map(([key, part]) => [`${name}.${key}`, part] as const);
  if (Array.isArray(causes)) parts.push([`${name}.cause`, causes.map(String).join(" < ")]);
  return [[name, message ?? ""], ...parts];
}

/** Bare where nothing could be mistaken for the end of the value; quoted otherwise. */
function formatValue(value: PlainValue): string {
  if (typeof value === "string" && /^[^\s"'=\\\p{C}]+$/u.test(value)) return value;
  return toPrintable(JSON.stringify(value));
}

function isErrorObject(value: PlainValue): value is { [key: string]: PlainValue; message: string } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value["message"] === "string";
}

function listFrames(value: PlainValue): string[] {
  return isErrorObject(value) && Array.isArray(value["stack"]) ? value["stack"].map(String) : [];
}
