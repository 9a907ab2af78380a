/** Last step of validation: what zod found, as problems that people can act on (path, found, allowed, hint). */
import { z } from "zod";
import { pickNearest } from "../base/nearest.ts";
import { type ConfigPath, formatConfigPath, valueAt } from "./config-path.ts";
import { describeAllowed } from "./describe-allowed.ts";
import { buildProblem, type ConfigProblem } from "./problem.ts";
import { quoteText } from "./quote-text.ts";

export interface ExplainContext {
  /** The value that was validated. */
  value: unknown;
  /** Formatted path → the reference that gave the value. */
  sources: ReadonlyMap<string, string>;
  secretPaths: readonly ConfigPath[];
}

type Issue = z.core.$ZodIssue;

const longestQuote = 60;
const defaultMessage = z.locales.en().localeError;

export function explainIssue(issue: Issue, context: ExplainContext): ConfigProblem[] {
  if (issue.code === "invalid_union") {
    const meant = pickMeantOption(issue);
    if (meant)
      return meant.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, context));
  }
  const path = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
  const key = formatConfigPath(path);
  const value = valueAt(context.value, path);
  const found =
    issue.code === "invalid_key" ? `the name ${quoteText(path.at(-1) ?? "")}` : describeFound(value, key, context);
  const own = ownMessage(issue);
  if (own !== undefined) {
    // A schema's own words may quote the value.
    const isHidden = found.startsWith("hidden") && typeof value === "string" && value !== "";
    const text = isHidden ? own.replaceAll(value, "***") : own;
    return [
      {
        path: key,
        found,
        allowed: text,
        message: `${key || "config.json"}: found ${found}: ${text}`,
        hint: buildHint(issue, value, key, context),
      },
    ];
  }
  return [buildProblem(path, found, describeAllowed(issue), buildHint(issue, value, key, context))];
}

/** The one option whose outer shape fits, so that only something inside it is wrong. */
function pickMeantOption(issue: z.core.$ZodIssueInvalidUnion): Issue[] | undefined {
  return issue.errors.find((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
}

/** The message that the schema's author wrote; undefined where it is zod's own. */
function ownMessage(issue: Issue): string | undefined {
  const usual = defaultMessage(issue as z.core.$ZodRawIssue);
  const text = typeof usual === "string" ? usual : usual?.message;
  return issue.message === text ? undefined : issue.message;
}

function describeFound(value: unknown, key: string, { sources, secretPaths }: ExplainContext): string {
  if (value === undefined) return "nothing";
  const source = sources.get(key);
  if (source !== undefined) return `hidden text from ${source}`;
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  if (secretPaths.some((path) => formatConfigPath(path) === key)) return `hidden ${typeof value}`;
  if (typeof value !== "string") return String(value);
  return quoteText(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
}

function buildHint(issue: Issue, value: unknown, key: string, { sources }: ExplainContext): string {
  const source = sources.get(key);
  const near = typeof value === "string" && source === undefined ? pickNearest(value, listValues(issue)) : undefined;
  if (near !== undefined) return `Did you mean ${quoteText(near)}?`;
  if (issue.code === "invalid_type") {
    const wantsNumber = issue.expected === "number" || issue.expected === "int";
    if (wantsNumber || issue.expected === "boolean") {
      if (source !== undefined) return "A reference always gives text; write the value itself here.";
      if (typeof value === "string") return "Write the value without quotes.";
    }
    if (issue.expected === "string" && (typeof value === "number" || typeof value === "boolean")) {
      return "Put the value in quotes.";
    }
    if (issue.expected === "array" && typeof value === "string") return "Put the value in brackets: [ … ].";
  }
  if (issue.code === "invalid_key") return "Give the entry another name in config.json.";
  if (value === undefined) return `Add it in config.json, or run: mom config set ${key} <value>`;
  return `Change it in config.json, or run: mom config set ${key || "<key>"} <value>`;
}

function listValues(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code !== "invalid_union" || issue.inclusive === false) return [];
  return issue.errors.length === 0 ? (issue.options ?? []).map(String) : issue.errors.flat().flatMap(listValues);
}
