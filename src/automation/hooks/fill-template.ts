/** `{{a.b.0}}` in a mapping's text, filled from the JSON that came. What it fills in is foreign text, and only text. */
import type { Headers } from "./verify-request.ts";

/** Of one value, and of the whole. */
const maxValueChars = 4_000;
export const maxTextChars = 32_000;
const closedHeaders = /^(?:authorization|cookie|proxy-authorization|x-mom-token)$|signature/;

export function fillTemplate(template: string, body: unknown, headers: Headers): string {
  const text = template.replace(/\{\{\s*([^{}]{1,300}?)\s*\}\}/g, (_, path: string) => {
    const [, header] = /^headers\.(.+)$/.exec(path) ?? [];
    return header === undefined ? toText(findValue(body, path)) : toText(findHeader(headers, header.toLowerCase()));
  });
  return cut(text, maxTextChars);
}

/** Own keys only; what is not there is empty. */
function findValue(body: unknown, path: string): unknown {
  let value = body;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const findHeader = (headers: Headers, name: string): string | undefined =>
  closedHeaders.test(name) || !Object.hasOwn(headers, name) ? undefined : headers[name];

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return cut(typeof value === "object" ? JSON.stringify(value) : String(value), maxValueChars);
}

const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`);
