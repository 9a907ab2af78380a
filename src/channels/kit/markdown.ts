/** Markdown as one text: rendered whole in a dialect, or cut where it has stopped changing while it still grows. */
import { Lexer, type Token } from "marked";
import type { Dialect } from "./dialect.ts";
import { neutralise } from "./neutralise.ts";
import { parseDocument } from "./parse-document.ts";
import { renderDocument } from "./render-document.ts";

/** Markdown in `dialect`, its lines made for `room` columns. Empty only where there is nothing to see. */
export function renderMarkdown(markdown: string, dialect: Dialect, room = Infinity): string {
  return (
    renderDocument(parseDocument(markdown, dialect.mentions), dialect, room) ||
    dialect.text(neutralise(markdown).trim(), true)
  );
}

/** Cuts a text that is still growing: the blocks that nothing can change any more, and the rest. */
export function splitFinishedBlocks(markdown: string): { finished: string; rest: string } {
  const none = { finished: "", rest: markdown };
  let tokens: Token[];
  try {
    tokens = new Lexer().blockTokens(markdown, []);
  } catch {
    return none;
  }
  const last = tokens.findLastIndex((token) => token.type !== "space");
  if (last <= 0) return none;
  const end = tokens.slice(0, last).reduce((sum, token) => sum + token.raw.length, 0);
  const rest = markdown.slice(end);
  return rest.startsWith(tokens[last]?.raw.trimEnd() ?? "") ? { finished: markdown.slice(0, end), rest } : none;
}
