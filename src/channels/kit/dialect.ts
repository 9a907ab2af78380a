/**
 * How a platform writes what Markdown means: one table of functions per dialect, so that a new platform is a new table and
 * the walker in `markdown.ts` has no branches by platform. All text handed in is already free of control characters.
 */
export interface Dialect {
  /** Plain words: escapes what the dialect would take for markup. */
  text(words: string): string;
  strong(inner: string): string;
  emphasis(inner: string): string;
  strike(inner: string): string;
  codeSpan(code: string): string;
  /** `url` is http, https or mailto; anything else arrives as text. */
  link(label: string, url: string): string;
  image(alt: string, url: string): string;
  lineBreak: string;

  paragraph(inner: string, room: number): string;
  heading(inner: string, depth: number, room: number): string;
  /** `code` has no newline at its end. */
  codeBlock(code: string, language: string): string;
  quote(body: Body, room: number): string;
  list(items: ListItem[], isLoose: boolean, room: number): string;
  table(table: Table, room: number): string;
  rule(room: number): string;
  /** Between two blocks. */
  blockGap: string;
}

/** Blocks inside a block, rendered for the columns that are left to them; Infinity where lines do not matter. */
export type Body = (room: number) => string;

export interface ListItem {
  /** Its number in an ordered list. */
  number?: number;
  /** Set on a task. */
  isChecked?: boolean;
  body: Body;
}

export interface Table {
  header: string[];
  rows: string[][];
  align: ("left" | "center" | "right")[];
}
