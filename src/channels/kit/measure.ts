/** Length as a platform counts it. */
import type { ChannelCapabilities } from "../../contracts/channel.ts";

export type LengthUnit = ChannelCapabilities["lengthUnit"];

export function measure(text: string, unit: LengthUnit): number {
  if (unit === "utf16") return text.length;
  if (unit === "byte") return Buffer.byteLength(text);
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** How far into `text` one gets from `from` with `budget` units; never inside a surrogate pair. */
export function indexAfter(text: string, from: number, budget: number, unit: LengthUnit): number {
  let index = from;
  let left = budget;
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0;
    const width = point > 0xffff ? 2 : 1;
    left -= unit === "utf16" ? width : unit === "codepoint" ? 1 : utf8Length(point);
    if (left < 0) break;
    index += width;
  }
  return index;
}

function utf8Length(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
