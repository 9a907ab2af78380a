/**
 * How a platform writes what Markdown means: one table of functions per dialect, so that a new platform is a new table and
 * the walker in `render-document.ts` has no branches by platform. All text handed in is already free of control characters.
 */
import type { MentionWriter } from "./mentions.ts";

export interface Dialect {
  /** Plain words: escapes what the dialect would take for markup. `isLineStart`: nothing stands before them on their line; absent: nobody knows. */
  text(words: string, isLineStart?: boolean): string;
  /** `inner` shows something, here and below. */
  strong(inner: string): string;
  emphasis(inner: string): string;
  strike(inner: string): string;
  codeSpan(code: string): string;
  /** `url` is http, https or mailto; anything else arrives as text. An empty label stands for the address itself. */
  link(label: string, url: string): string;
  image(alt: string, url: string): string;
  lineBreak: string;
  /** What goes between two spans that would otherwise be misread together. Absent: nothing ever. */
  seam?(before: string, after: string): string;

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

  /** Names that become mentions. Absent: none do. */
  mentions?: MentionWriter | undefined;
}

/** Blocks inside a block, rendered for the columns that are left to them; Infinity where lines do not matter. */
export type Body = (room: number) => string;

export interface ListItem {
  /** Its number in an ordered list. */
  number?: number;
  /** Set on a task. */
  isChecked?: boolean;
  /** It began in an earlier post. */
  isContinued?: boolean;
  body: Body;
}

export interface Cell {
  /** In the dialect. */
  inner: string;
  /** Without any marks and on one line, for tables that are put into code. */
  plain: string;
}

export interface Table {
  header: Cell[];
  rows: Cell[][];
  align: ("left" | "center" | "right")[];
}
