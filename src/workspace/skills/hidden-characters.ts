/**
 * Characters that people do not see and models do read: bidirectional controls, zero-width ones, tags, fillers, controls.
 * Where a script or an emoji needs one of them (a joiner between non-Latin characters, a flag's tags), it is no matter.
 */

/** First and last code point. */
const ranges: readonly (readonly [number, number])[] = [
  // Controls but tab and line feed.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul and Khmer fillers, Mongolian separator.
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  // Zero-width characters and marks of direction, overrides, invisible operators, isolates.
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  // More fillers, byte order mark, annotations, musical controls.
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  // Tags and the selectors of variants that carry bytes.
  [0xe0000, 0xe01ef],
];

const toEscape = (codePoint: number) => `\\u{${codePoint.toString(16)}}`;
const hidden = `[${ranges.map(([first, last]) => `${toEscape(first)}-${toEscape(last)}`).join("")}]`;
const flag = String.raw`\u{1f3f4}[\u{e0061}-\u{e007a}]{1,6}\u{e007f}`;
const foreign = String.raw`[^\x00-\x7f\u200b-\u200d]`;
const joiner = String.raw`(?<=${foreign})[\u200c\u200d](?=${foreign})`;
const either = new RegExp(`(${flag}|${joiner})|${hidden}`, "gu");

/** `U+200B` …, each once, in the order in which they come. */
export function listHidden(text: string): string[] {
  const found = [...text.matchAll(either)].filter(([, needed]) => needed === undefined).map(([one]) => one);
  return [...new Set(found)].map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
}

export function dropHidden(text: string): string {
  return text.replace(either, (_, needed: string | undefined) => needed ?? "");
}
