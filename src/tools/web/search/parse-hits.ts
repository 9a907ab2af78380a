/** Results out of the JSON of a provider: the fields under their names there, as plain text on one line. */
import { shortenLine } from "../../kit/truncate.ts";
import type { SearchHit } from "./search-provider.ts";

export interface HitFields {
  title: string;
  url: string;
  snippet: string;
  date: string;
}

const maxTitleLength = 300;
const maxSnippetLength = 700;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Undefined where `list` is no list; entries without an address are passed over. */
export function parseHitList(list: unknown, fields: HitFields): SearchHit[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => {
    const url = fieldOf(entry, fields.url);
    if (typeof url !== "string" || url === "") return [];
    const title = toPlain(fieldOf(entry, fields.title), maxTitleLength);
    const date = toPlain(fieldOf(entry, fields.date), 40);
    const snippet = toPlain(fieldOf(entry, fields.snippet), maxSnippetLength);
    return [{ title: title === "" ? url : title, url, snippet, ...(date === "" ? {} : { date }) }];
  });
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Providers mark the words that fit with tags. */
function toPlain(value: unknown, maxLength: number): string {
  if (typeof value !== "string") return "";
  const text = value
    .replace(/<\/?[a-z][^<>]{0,100}>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    });
  return shortenLine(text.replace(/\s+/g, " ").trim(), maxLength);
}
