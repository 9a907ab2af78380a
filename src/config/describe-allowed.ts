/** What a zod issue would have accepted, in words. */
import type { z } from "zod";
import { quoteText } from "./quote-text.ts";

type Issue = z.core.$ZodIssue;

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  url: "a URL such as https://example.com",
  email: "an e-mail address",
  datetime: "a date and time such as 2026-01-31T09:00:00Z",
  date: "a date such as 2026-01-31",
  time: "a time such as 09:00:00",
  duration: "an ISO 8601 duration such as PT30M",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

export function describeAllowed(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? `a value of type ${issue.expected}`;
    case "invalid_value":
      return listChoices(issue.values);
    case "too_small":
      return describeLimit(
        issue.origin,
        issue.exact ? "exactly" : issue.inclusive ? "at least" : "more than",
        issue.minimum,
      );
    case "too_big":
      return describeLimit(
        issue.origin,
        issue.exact ? "exactly" : issue.inclusive ? "at most" : "less than",
        issue.maximum,
      );
    case "invalid_format":
      return describeFormat(issue);
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_key":
      return `a name that is ${issue.issues.map(describeAllowed).join(" and ")}`;
    case "invalid_union":
      if (issue.inclusive === false) return "a value that fits one kind only";
      if (issue.errors.length === 0) return listChoices(issue.options ?? []);
      return [...new Set(issue.errors.flat().map(describeAllowed))].join(", or ");
    default:
      return "another value";
  }
}

function listChoices(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === "string" ? quoteText(value) : String(value)));
  return shown.length === 1 ? String(shown[0]) : `one of ${shown.join(", ")}`;
}

function describeLimit(origin: string, relation: string, limit: number | bigint): string {
  const plural = Number(limit) === 1 ? "" : "s";
  if (origin === "string") return `${relation} ${limit} character${plural}`;
  if (origin === "array" || origin === "set") return `${relation} ${limit} entr${plural ? "ies" : "y"}`;
  if (origin === "object" || origin === "record") return `${relation} ${limit} key${plural}`;
  return `a number of ${relation} ${limit}`;
}

function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const read = (key: string) => quoteText(String(Reflect.get(issue, key)));
  if (issue.format === "starts_with") return `a string that starts with ${read("prefix")}`;
  if (issue.format === "ends_with") return `a string that ends with ${read("suffix")}`;
  if (issue.format === "includes") return `a string that contains ${read("includes")}`;
  if (issue.format === "regex") return `a string that matches ${issue.pattern}`;
  return formats[issue.format] ?? `a string of the form ${issue.format}`;
}
