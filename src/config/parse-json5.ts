/** First step of reading a config: text → plain value, or a syntax problem that shows the place. */
import JSON5 from "json5";
import { errorText } from "../base/errors.ts";
import type { ConfigProblem } from "./problem.ts";

/** Far deeper than any real config; deeper ones could exhaust the stack of whoever walks them. */
const maxDepth = 64;
const excerptLength = 100;

export type Json5Result = { type: "ok"; value: unknown } | { type: "invalid"; problem: ConfigProblem };

export function parseJson5(text: string): Json5Result {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    return { type: "invalid", problem: buildSyntaxProblem(text, error) };
  }
  if (isDeeperThan(value, maxDepth)) return { type: "invalid", problem: buildDepthProblem() };
  return { type: "ok", value };
}

function buildSyntaxProblem(text: string, error: unknown): ConfigProblem {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  let { line, column } = placeOf(error);
  if (column === 0 && line > 1) {
    // The reader counts a line break as the start of the next line; people look for it at the end of theirs.
    line -= 1;
    column = (lines[line - 1] ?? "").length + 1;
  }
  const found = errorText(error)
    .replace(/^JSON5: /, "")
    .replace(/ at \d+:\d+$/, "");
  return {
    path: "",
    found,
    allowed: "JSON5",
    message: `config.json:${line}:${column}: not valid JSON5, ${found}`,
    hint: "Look for a missing comma, quote or bracket at the caret or on the line before it.",
    location: { line, column, excerpt: buildExcerpt(lines[line - 1] ?? "", column) },
  };
}

function buildDepthProblem(): ConfigProblem {
  const found = `more than ${maxDepth} levels of nesting`;
  const allowed = `at most ${maxDepth}`;
  return {
    path: "",
    found,
    allowed,
    message: `config.json: found ${found}, expected ${allowed}`,
    hint: "Remove the nested braces or brackets; no key of the config is that deep.",
  };
}

function placeOf(error: unknown): { line: number; column: number } {
  const read = (key: string) => {
    const value = typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
    return typeof value === "number" ? value : 1;
  };
  return { line: read("lineNumber"), column: read("columnNumber") };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

function buildExcerpt(line: string, column: number): string {
  const from = Math.max(0, Math.min(column - 1 - excerptLength / 2, line.length - excerptLength));
  const shown = maskValues(line).slice(from, from + excerptLength);
  const margin = shown.slice(0, column - 1 - from).replace(/[^\t]/g, " ");
  return `${shown}\n${margin.padEnd(column - 1 - from)}^`;
}

const lineParts = /(["'])((?:\\.|(?!\1).)*)(\1?)(\s*:)?|([^\s{}[\],:"'/]+)(\s*:)?/g;
const harmless = /^(?:true|false|null|[-+]?[\d.]{1,6})$/;

/** The line goes to terminals and logs and may hold a token: keys stay readable, values become stars of the same width. */
function maskValues(line: string): string {
  const visible = line.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "?");
  return visible.replace(lineParts, (part, quote, quoted, closing, keyColon, word, wordColon) => {
    if (keyColon !== undefined || wordColon !== undefined) return part;
    if (quote !== undefined) return `${quote}${"*".repeat(quoted.length)}${closing}`;
    return harmless.test(word) ? part : "*".repeat(word.length);
  });
}
