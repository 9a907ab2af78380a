/**
 * Foreign names and descriptions as they stand in the prompt: one line each, nothing invisible, bounded. Nobody can write
 * lines of the prompt through a display name, a channel's topic or a skill's description.
 */

/** Control and format characters (tag characters among them), separators, private use, lone halves, variation selectors. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;
/** What a file may have in its name and still be shown on one line. */
const unsafeInPath = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Control characters but tab and line feed, and the tag characters that spell what nobody sees. */
const unsafeInText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\udb40[\udc00-\udc7f]/g;

const maxPathChars = 512;

/** White space becomes single spaces; what is longer than `maxChars` ends in `…`. May be empty. Infinity keeps it whole. */
export function toLine(text: string, maxChars: number): string {
  // Names can be megabytes; only what could still be shown is looked at.
  const head = text.slice(0, maxChars * 8);
  const line = head.replace(/\s/g, " ").replace(hidden, "").replace(/ {2,}/g, " ").trim();
  if (line.length <= maxChars) return line;
  const characters = [...line];
  return characters.length <= maxChars ? line : `${characters.slice(0, maxChars - 1).join("")}…`;
}

/** Somebody's or some chat's name, without signs in front that would make a mention or a heading of it. */
export function toName(text: string, maxChars: number): string {
  return toLine(text, maxChars).replace(/^[@#\s]+/, "");
}

/** Spaces stay as they are: the path must still name the file. */
export function toPathText(path: string): string {
  return path.replace(unsafeInPath, "").slice(0, maxPathChars).toWellFormed();
}

/** A text of many lines, without what some providers refuse and what no reader would see. */
export function toBlock(text: string): string {
  return text.replace(unsafeInText, "").toWellFormed().trim();
}
