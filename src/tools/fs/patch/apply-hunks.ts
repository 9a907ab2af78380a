/** Applies the hunks of one file to its text. Lines that are only context stay as the file has them, byte for byte. */
import { byteOrderMark } from "../decode-text.ts";
import { pickLineEnd, splitLines, type TextLine } from "../text-lines.ts";
import type { Hunk, HunkLine } from "./patch-parts.ts";
import { placeHunk, toSearchedFile } from "./place-hunk.ts";

/** Throws `PATCH_FAILED`, naming the file, the hunk and the line that was expected. */
export function applyHunks(
  path: string,
  original: string,
  { hunks, hasFinalNewline }: { hunks: Hunk[]; hasFinalNewline?: boolean },
): { text: string; isTolerant: boolean } {
  const mark = original.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = original.slice(mark.length);
  const lines = splitLines(text);
  const file = toSearchedFile(
    path,
    text,
    lines.map((line) => line.text),
  );
  const usual = pickLineEnd(text);
  const result: TextLine[] = [];
  let from = 0;
  let isTolerant = false;
  for (const [n, hunk] of hunks.entries()) {
    const place = placeHunk(file, hunk, from, n + 1);
    for (; from < place.start; from++) result.push(lines[from] ?? { text: "", end: usual });
    from += place.count;
    for (const line of rebuild(place.hunkLines, lines.slice(place.start, from), usual)) result.push(line);
    isTolerant ||= place.isTolerant;
  }
  for (const line of lines.slice(from)) result.push(line);
  const endsWithLine = hasFinalNewline ?? lines.at(-1)?.end !== "";
  return { text: mark + joinLines(result, usual, endsWithLine), isTolerant };
}

/** The hunk's lines with what the file has in place of its context; an added line ends as the one it replaces did. */
function rebuild(hunkLines: HunkLine[], covered: TextLine[], usual: string): TextLine[] {
  const rebuilt: TextLine[] = [];
  let at = 0;
  /** Ends of removed lines, and how many of them have been given away. */
  let freed: string[] = [];
  let given = 0;
  for (const { type, text } of hunkLines) {
    const old = covered[at];
    if (type === "add") {
      rebuilt.push({ text, end: freed[given] ?? usual });
      if (given < freed.length) given++;
      continue;
    }
    at++;
    if (type === "remove") freed.push(old?.end ?? usual);
    else {
      freed = [];
      given = 0;
      rebuilt.push(old ?? { text, end: usual });
    }
  }
  return rebuilt;
}

/** Every line ends; the last one as the file did. */
function joinLines(lines: TextLine[], usual: string, endsWithLine: boolean): string {
  const parts: string[] = [];
  lines.forEach(({ text, end }, i) => {
    parts.push(text, i < lines.length - 1 || endsWithLine ? end || usual : "");
  });
  return parts.join("");
}
