/**
 * Sets or removes one entry in a config's text. Every comment and every character outside the entry stays; the new text
 * follows the style around it. Knows nothing of schemas.
 */
import { type DocumentMember, type DocumentValue, parseDocument } from "./document.ts";
import { formatJson5, formatKey, type Json5Style } from "./format-json5.ts";

/** `text` must be JSON5. Missing objects on the way are made. Undefined: a part of the path is neither object nor list. */
export function setInText(text: string, path: readonly string[], value: unknown): string | undefined {
  const root = parseDocument(text);
  const style = learnStyle(text, root);
  let container = root;
  for (const [depth, name] of path.entries()) {
    if (container.type === "primitive") return undefined;
    const member = findMember(container, name);
    const rest = path.slice(depth + 1);
    if (!member) return addMember(text, container, name, nest(rest, value), style);
    if (rest.length === 0) return replaceValue(text, member.value, value, style);
    container = member.value;
  }
  return undefined;
}

/** `text` must be JSON5. Undefined: there is no such entry. */
export function removeFromText(text: string, path: readonly string[]): string | undefined {
  let container = parseDocument(text);
  for (const name of path.slice(0, -1)) {
    const member = findMember(container, name);
    if (!member) return undefined;
    container = member.value;
  }
  const last = path.at(-1);
  const index = container.members.findLastIndex(({ name }) => name === last);
  const member = container.members[index];
  return member && cutMember(text, member, container.members[index - 1], container.members[index + 1]);
}

/** Of a key that stands there twice, JSON5 takes the last. */
function findMember(container: DocumentValue, name: string): DocumentMember | undefined {
  return container.members.findLast((member) => member.name === name);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

function replaceValue(text: string, old: DocumentValue, value: unknown, style: Json5Style): string {
  // An entry that stood on one line stays there, if it was more than a single word.
  const wasInline = old.members.length > 0 && !text.slice(old.start, old.end).includes("\n");
  const margin = wasInline ? undefined : marginAt(text, old.start);
  return splice(text, old.start, old.end, formatJson5(value, style, margin));
}

function addMember(
  text: string,
  container: DocumentValue,
  name: string,
  value: unknown,
  style: Json5Style,
): string | undefined {
  if (container.type === "array" && name !== String(container.members.length)) return undefined;
  const write = (margin: string | undefined) =>
    (container.type === "array" ? "" : `${formatKey(name, style)}: `) + formatJson5(value, style, margin);
  const last = container.members.at(-1);
  const closing = container.end - 1;
  const outer = marginAt(text, container.start);

  if (!last && text.slice(container.start + 1, closing).trim() === "") {
    const { lineBreak, unit, trailingComma } = style;
    const line = `${lineBreak}${outer}${unit}${write(outer + unit)}${trailingComma ? "," : ""}${lineBreak}${outer}`;
    return splice(text, container.start + 1, closing, line);
  }
  const comma = last && last.commaEnd === undefined ? "," : "";
  const inserted = insertBeforeClosing(text, container, write, style);
  return last && comma ? splice(inserted, last.value.end, last.value.end, comma) : inserted;
}

/** The new entry goes behind everything in the container, comments included: on a line of its own if the bracket has one. */
function insertBeforeClosing(
  text: string,
  container: DocumentValue,
  write: (margin: string | undefined) => string,
  style: Json5Style,
): string {
  const closing = container.end - 1;
  const last = container.members.at(-1);
  const lineStart = startOfLine(text, closing);
  const isAlone = text.slice(lineStart, closing).trim() === "" && lineStart > container.start;
  const hasTrailingComma = last ? last.commaEnd !== undefined : style.trailingComma;
  if (isAlone) {
    const first = container.members[0];
    const margin = first ? marginAt(text, first.start) : marginAt(text, closing) + style.unit;
    return splice(
      text,
      lineStart,
      lineStart,
      `${margin}${write(margin)}${hasTrailingComma ? "," : ""}${style.lineBreak}`,
    );
  }
  const behind = text.slice(0, closing).trimEnd().length;
  return splice(text, behind, behind, ` ${write(undefined)}${hasTrailingComma ? "," : ""}`);
}

/** Without the entry; without its line too, if nothing else is on it. The one before gives up its comma to stay plain JSON. */
function cutMember(
  text: string,
  member: DocumentMember,
  before: DocumentMember | undefined,
  behind: DocumentMember | undefined,
): string {
  let end = member.commaEnd ?? member.value.end;
  let { start } = member;
  const lineStart = startOfLine(text, start);
  const lineEnd = endOfLine(text, end);
  if (text.slice(lineStart, start).trim() === "" && text.slice(end, lineEnd).trim() === "" && lineStart > 0) {
    start = lineStart;
    end = lineEnd;
  } else if (behind && text.slice(end, behind.start).trim() === "" && !text.slice(end, behind.start).includes("\n")) {
    end = behind.start;
  } else if (text.slice(lineStart, start).trim() === "") {
    // What follows, a comment or the closing bracket, moves to where the entry began.
    while (/[ \t]/.test(text[end] ?? "")) end += 1;
  } else {
    while (/[ \t]/.test(text[start - 1] ?? "")) start -= 1;
  }
  const cut = splice(text, start, end, "");
  const freedComma = !behind && member.commaEnd === undefined ? before?.commaEnd : undefined;
  return freedComma === undefined ? cut : splice(cut, freedComma - 1, freedComma, "");
}

/** Looks at the file's first entries; a file without any is written as JSON5 with two spaces. */
function learnStyle(text: string, root: DocumentValue): Json5Style {
  const all = listMembers(root);
  const indented = all.find(
    ({ member, parent }) => marginAt(text, member.start).length > marginAt(text, parent.start).length,
  );
  const unit = indented
    ? marginAt(text, indented.member.start).slice(marginAt(text, indented.parent.start).length)
    : "  ";
  const keys = all.filter(({ parent }) => parent.type === "object").map(({ member }) => text[member.start] ?? "");
  const lastOnes = all.filter(({ member, parent }) => parent.members.at(-1) === member && isMultiline(text, parent));
  return {
    unit,
    lineBreak: text.includes("\r\n") ? "\r\n" : "\n",
    bareKeys: keys.length === 0 || keys.some((first) => first !== '"' && first !== "'"),
    trailingComma:
      lastOnes.length === 0 ? keys.length === 0 : lastOnes.some(({ member }) => member.commaEnd !== undefined),
  };
}

function listMembers(parent: DocumentValue): { member: DocumentMember; parent: DocumentValue }[] {
  return parent.members.flatMap((member) => [{ member, parent }, ...listMembers(member.value)]);
}

function isMultiline(text: string, { start, end }: DocumentValue): boolean {
  return text.slice(start, end).includes("\n");
}

function marginAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset), offset))?.[0] ?? "";
}

function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Behind the line break. */
function endOfLine(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  return found < 0 ? text.length : found + 1;
}

function splice(text: string, start: number, end: number, insert: string): string {
  return text.slice(0, start) + insert + text.slice(end);
}
