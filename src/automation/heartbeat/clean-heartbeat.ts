/**
 * What of HEARTBEAT.md is for mom. Comments are for people, and headings, empty list items and rules alone ask for nothing: a file of
 * only those costs no model call. As in `src/workspace/clean-markdown.ts`, which decides what the main prompt shows.
 */

/** A file that is longer has content all the same, and nobody needs to look at all of it. */
const maxLookedAt = 64 * 1024;
const frontMatter = /^---\n(?:(?:[A-Za-z_][\w-]*:[^\n]*|[ \t]+[^\n]*|#[^\n]*|)\n){0,50}---(?:\n|$)/;

/** Without front matter and HTML comments, except in code. A comment that is never closed is plain text. */
export function cleanHeartbeat(markdown: string): string {
  const text = markdown
    .slice(0, maxLookedAt)
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(frontMatter, "");
  return stripComments(text).trim();
}

/** Nothing but headings, blank lines, comments, rules, and list items or boxes without a word. */
export function isEmptyHeartbeat(markdown: string): boolean {
  return cleanHeartbeat(markdown)
    .replace(underlined, "")
    .split("\n")
    .every((line) => isEmptyLine(line.trim()));
}

/** A heading with a line below it. */
const underlined = /^(?![ \t]*(?:[-*+>#`]|\d+[.)]))\S[^\n]*\n(?:=+|-+)[ \t]*$/gm;
const isEmptyLine = (line: string) =>
  /^(?:#{1,6}(?:\s.*)?|(?:>\s*)+|(?:[-*+]|\d{1,9}[.)])(?:\s*\[[ xX]?\])?|(?:[-*_=]\s*){2,})?$/.test(line);

function stripComments(text: string): string {
  const lastClose = text.lastIndexOf("-->");
  const kept: string[] = [];
  let fence: string | undefined;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, lineEnd);
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const open = fence === undefined && marker === undefined ? findComment(line) : -1;
    if (open >= 0 && at + open + 4 <= lastClose) {
      kept.push(line.slice(0, open));
      at = text.indexOf("-->", at + open + 4) + 3;
      continue;
    }
    if (marker !== undefined && fence === undefined) fence = marker;
    else if (fence !== undefined && marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
    kept.push(line);
    at = lineEnd;
  }
  return kept.join("");
}

/** Where a comment begins that does not stand in a code span; -1: nowhere. */
function findComment(line: string): number {
  for (let open = line.indexOf("<!--"); open >= 0; open = line.indexOf("<!--", open + 4)) {
    const ticks = line.slice(0, open).split("`").length - 1;
    if (ticks % 2 === 0) return open;
  }
  return -1;
}
