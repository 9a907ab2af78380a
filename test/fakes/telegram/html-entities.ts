/** Reads `parse_mode: "HTML"` as Telegram does: the text that is left, or one of its complaints, with the offset in bytes. */
import { badRequest } from "./bot-error.ts";

const supported = new Set(
  "a b strong i em s strike del u ins code pre blockquote span tg-spoiler tg-emoji tg-time".split(" "),
);
const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

export interface ParsedHtml {
  text: string;
  /** The tags that were understood, in order. */
  tags: string[];
}

export function parseHtml(html: string): ParsedHtml {
  const open: string[] = [];
  const tags: string[] = [];
  let text = "";
  for (let at = 0; at < html.length; ) {
    if (html[at] !== "<") {
      const next = html.indexOf("<", at);
      const end = next < 0 ? html.length : next;
      text += decode(html.slice(at, end));
      at = end;
      continue;
    }
    const end = html.indexOf(">", at);
    if (html[at + 1] === "/") closeTag(html, at, end, open);
    else tags.push(openTag(html, at, end, open));
    at = end + 1;
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw complain(`Can't find end tag corresponding to start tag "${unclosed}"`);
  return { text: text.trim(), tags };
}

function openTag(html: string, at: number, end: number, open: string[]): string {
  if (end < 0) throw complain(`Unclosed start tag at byte offset ${offset(html, at)}`);
  const inside = html.slice(at + 1, end);
  const name = (/^[^\s>]*/.exec(inside)?.[0] ?? "").toLowerCase();
  if (!supported.has(name)) throw complain(`Unsupported start tag "${name}" at byte offset ${offset(html, at)}`);
  const attributes = inside.slice(name.length).trim();
  if (attributes !== "" && !/^(?:[\w-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[\w.-]+))?\s*)*$/.test(attributes)) {
    const where = `the tag "${name}" at byte offset ${offset(html, at)}`;
    throw complain(`Expected equal sign in declaration of an attribute of ${where}`);
  }
  open.push(name);
  return name;
}

function closeTag(html: string, at: number, end: number, open: string[]): void {
  if (open.length === 0) throw complain(`Unexpected end tag at byte offset ${offset(html, at)}`);
  if (end < 0) throw complain(`Unclosed end tag at byte offset ${offset(html, at)}`);
  const name = html
    .slice(at + 2, end)
    .trim()
    .toLowerCase();
  const expected = open.pop();
  if (name === "" || name === expected) return;
  throw complain(`Unmatched end tag at byte offset ${offset(html, at)}, expected "</${expected}>", found "</${name}>"`);
}

const complain = (why: string) => badRequest(`can't parse entities: ${why}`);
const offset = (html: string, at: number) => Buffer.byteLength(html.slice(0, at));

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
  });
