/** Puts the live region together: unfinished reply, running tools, notice, status line, editor. Pure. */
import stringWidth from "string-width";
import type { Paints } from "../../kit/ansi.ts";
import { breakLines, truncate } from "../../kit/wrap.ts";
import { layOutEditor } from "./editor-layout.ts";
import type { Frame, Size } from "./screen.ts";

export interface ViewState {
  /** Lines of the running turns; only as many of the last ones are shown as fit. */
  live: string[];
  /** One line of advice, e.g. how to leave. Empty: none. */
  notice: string;
  /** Undefined while nothing runs. */
  status: Status | undefined;
  text: string;
  cursor: number;
  /** The scrollback above is not empty, so that the region keeps a distance. */
  hasScrollback: boolean;
}

export interface Status {
  model: string;
  activity: string;
  elapsedMs: number;
  /** Messages behind the one that runs. */
  waiting: number;
}

export const spinnerMs = 100;
const spinner = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const prompt = "❯ ";
const maxEditorRows = 10;

export function buildFrame(state: ViewState, size: Size, paint: Paints): Frame {
  // The last column stays free: a full row would put the cursor in a place that terminals do not agree on.
  const room = Math.max(4, size.columns - 1);
  const editorRows = Math.max(1, Math.min(maxEditorRows, Math.floor(size.rows / 2)));
  const editor = layOutEditor(state.text, state.cursor, Math.max(2, room - prompt.length), editorRows);
  const below = [
    ...(state.notice === "" ? [] : [paint.yellow(truncate(state.notice, room))]),
    ...(state.status ? [formatStatus(state.status, room, paint)] : []),
    ...editor.rows.map((row, index) => (index === 0 ? paint.cyan(prompt) : "  ") + row),
  ];
  const free = size.rows - 1 - below.length - 1;
  const live = free > 0 ? breakLines(state.live, room).slice(-free) : [];
  const gap = live.length > 0 || (state.hasScrollback && free > 0) ? [""] : [];
  const above =
    state.hasScrollback && live.length > 0 && live.length < free ? ["", ...live, ...gap] : [...live, ...gap];
  const lines = [...above, ...below];
  return {
    lines,
    cursorRow: lines.length - editor.rows.length + editor.cursorRow,
    cursorColumn: stringWidth(prompt) + editor.cursorColumn,
  };
}

function formatStatus(status: Status, room: number, paint: Paints): string {
  const sign = spinner[Math.floor(status.elapsedMs / spinnerMs) % spinner.length] ?? "";
  const facts = [
    status.model,
    `${Math.floor(status.elapsedMs / 1_000)} s`,
    status.activity,
    status.waiting > 0 ? `${status.waiting} waiting` : "",
    "Ctrl-C stops",
  ];
  return `${paint.cyan(sign)} ${paint.dim(truncate(facts.filter((fact) => fact !== "").join(" · "), room - 2))}`;
}
