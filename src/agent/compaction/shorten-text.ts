/** Cuts the middle out of a text and says how much is gone. No character is cut in two. */

/** `head` and `tail` characters with `marker` between them; the text itself when that would not be shorter. */
export function cutMiddle(text: string, head: number, tail: number, marker: (gone: number) => string): string {
  if (text.length <= head + tail) return text;
  const first = sliceHead(text, head);
  const last = sliceTail(text, tail);
  const short = `${first}${marker(text.length - first.length - last.length)}${last}`;
  return short.length < text.length ? short : text;
}

/** At most `maxCharacters`, marker included. */
export function fitText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const room = maxCharacters - formatGap(text.length).length;
  // Too little for both ends and a marker: the beginning says most.
  if (room < 40) return sliceHead(text, Math.max(0, maxCharacters));
  const head = Math.ceil(room * 0.6);
  return cutMiddle(text, head, room - head, formatGap);
}

/** All of it as one line, at most `maxCharacters`. */
export function fitLine(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= maxCharacters ? line : `${sliceHead(line, maxCharacters - 1)}…`;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");

const formatGap = (gone: number) => `\n[… ${formatCount(gone)} characters left out …]\n`;

const isLowSurrogate = (text: string, index: number) => (text.charCodeAt(index) & 0xfc00) === 0xdc00;

function sliceHead(text: string, length: number): string {
  return text.slice(0, isLowSurrogate(text, length) ? length - 1 : length);
}

function sliceTail(text: string, length: number): string {
  const start = text.length - length;
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}
