/** A text that is too long for the prompt keeps its start and its end (spec 3.4), with a line between that says so. */
import type { WorkspaceText } from "./read-file.ts";

export interface CutText {
  text: string;
  /** Characters of the whole; of a file too big to be read, its bytes. */
  total: number;
}

const headShare = 0.7;
const tailShare = 0.2;
/** A character of a JavaScript string is at most this many bytes of UTF-8. */
const bytesPerChar = 3;

/** How much of a file must be read to cut it to `maxChars`: whatever is longer in bytes is too long in characters too. */
export function toReadLimits(maxChars: number): { maxBytes: number; tailBytes: number } {
  return { maxBytes: maxChars * bytesPerChar, tailBytes: Math.ceil(maxChars * tailShare) * bytesPerChar };
}

/** `place`: where the whole can be read. `clean` is applied to what is shown, before it is measured. */
export function cutText(
  file: WorkspaceText,
  maxChars: number,
  place: string,
  clean: (text: string) => string,
): CutText {
  const text = clean(file.text).trim();
  if (file.isWhole && text.length <= maxChars) return { text, total: file.text.length };
  const head = sliceStart(text, Math.floor(maxChars * headShare));
  const tail = sliceEnd(file.isWhole ? text : clean(file.tail).trim(), Math.floor(maxChars * tailShare));
  const [total, kept, unit] = file.isWhole
    ? [text.length, head.length + tail.length, "characters"]
    : [file.totalBytes, Buffer.byteLength(head) + Buffer.byteLength(tail), "bytes"];
  const marker = `[… ${total - kept} of ${total} ${unit} are left out here; the whole text is in ${place} …]`;
  return { text: `${head}\n\n${marker}\n\n${tail}`, total: file.isWhole ? file.text.length : file.totalBytes };
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff;

/** At most `length` characters from the start; a pair of surrogates stays whole or goes. */
export function sliceStart(text: string, length: number): string {
  const isSplit = length < text.length && isHighSurrogate(text.charCodeAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}

/** At most `length` characters from the end; a pair of surrogates stays whole or goes. */
export function sliceEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}
