/**
 * What an answer to a heartbeat means: nothing to say, or a text to be posted. Models wrap `HEARTBEAT_OK` in bold, quotes and
 * code, escape its underscore, and add a friendly word; none of that may wake anybody.
 */

export type BeatReply = { type: "ok-empty" } | { type: "ok-token" } | { type: "text"; text: string };

/** Not part of a longer name. Markdown may have its underscore escaped. */
const token = /(?<![\p{L}\p{N}])(?<![\p{L}\p{N}]_)HEARTBEAT\\?_OK(?![\p{L}\p{N}])(?!_[\p{L}\p{N}])/giu;
/** Spaces, signs, emoji: what can stand at an edge without saying anything. */
const onlySigns = /^[\s\p{P}\p{S}\p{M}\p{Cf}]*$/u;
/** Tags around a word, and lines that open or close a block of code. */
const wrapping = /<\/?(?:b|i|em|strong|code|pre|p|span|final)>|^[ \t]*(?:`{3,}|~{3,})\w*[ \t]*$/gim;

/** `ackMaxChars`: so many characters beside the token are still nothing to say. */
export function parseReply(reply: string, ackMaxChars: number): BeatReply {
  const text = reply.trim();
  if (saysNothing(text) || /^\[SILENT\]$/i.test(text)) return { type: "ok-empty" };
  const rest = takeToken(text);
  if (rest === undefined) return { type: "text", text };
  return saysNothing(rest) || countShown(rest) <= ackMaxChars ? { type: "ok-token" } : { type: "text", text: rest };
}

const saysNothing = (text: string) => onlySigns.test(text.replace(wrapping, ""));
const countShown = (text: string) => [...text.replace(wrapping, "").replace(/\s+/g, " ").trim()].length;

/** What is left without it. Undefined: it stands neither at the start nor at the end, so it is only talked about. */
function takeToken(text: string): string | undefined {
  const found = [...text.matchAll(token)];
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const before = text.slice(0, first.index);
  const after = text.slice(last.index + last[0].length);
  const isAtStart = saysNothing(before);
  const isAtEnd = saysNothing(after);
  if (!isAtStart && !isAtEnd) return undefined;
  const from = isAtStart ? first.index + first[0].length : 0;
  const to = isAtEnd ? last.index : text.length;
  if (to <= from) return "";
  const between = text.slice(from, to);
  const tail = isAtStart ? dropEndOf(before, between) : between;
  return (isAtEnd ? dropStartOf(after, tail) : tail).trim();
}

const maxEdgeChars = 64;
const fence = /^\s*(?:`{3,}|~{3,})/;

/** The other half of what was around a token at the start: its closing stars and quotes, a dash on the same line. */
function dropEndOf(before: string, text: string): string {
  const closed = text.replace(/^(?:<\/\w+>|[*_`~"'”’)\]>.,:;!?…])*[ \t]*(?:[-–—|:][ \t]+)?/u, "");
  return fence.test(before) ? closed.replace(/^\s*(?:`{3,}|~{3,})[ \t]*/, "") : closed;
}

/** The same in front of a token at the end. Only the last characters are looked at: there is no more of it than that. */
function dropStartOf(after: string, text: string): string {
  const [head, edge] = [text.slice(0, -maxEdgeChars), text.slice(-maxEdgeChars)];
  const opened = edge.replace(/(?:<\w+>|[*_`~"'“‘([<])*$/u, "").replace(/[ \t]+[-–—|][ \t]*$/, "");
  return head + (fence.test(after) ? opened.replace(/\s*(?:`{3,}|~{3,})\w*\s*$/, "") : opened);
}
