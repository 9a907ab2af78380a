/** The input line as a pure state machine: a key and a state give the next state, and at times something to do. */
import { boundaryAtOrBefore, nextBoundary, previousBoundary } from "../../kit/graphemes.ts";
import { type History, newerEntry, olderEntry, rememberEntry } from "./history.ts";
import type { Key } from "./keys.ts";

export interface EditorState {
  text: string;
  /** Index into `text`, always between two characters. */
  cursor: number;
  history: History;
}

export interface EditorStep {
  state: EditorState;
  /** What was entered; the state is then empty again. */
  submitted?: string;
  /** The text would have become longer than allowed and is unchanged. */
  isTooLong?: true;
}

export function createEditorState(history: History): EditorState {
  return { text: "", cursor: 0, history };
}

/** Keys that mean nothing here leave the state as it is. */
export function applyKey(state: EditorState, key: Key, maxBytes: number): EditorStep {
  if (key.text !== undefined) return insert(state, key.text, maxBytes);
  if (key.name === "enter") return enter(state, maxBytes);
  if (newlineKeys.has(key.name)) return insert(state, "\n", maxBytes);
  return { state: bindings[key.name]?.(state) ?? state };
}

const newlineKeys = new Set(["alt+enter", "shift+enter", "ctrl+j"]);

const bindings: Record<string, (state: EditorState) => EditorState> = {
  left: (state) => moveTo(state, previousBoundary(state.text, state.cursor)),
  right: (state) => moveTo(state, nextBoundary(state.text, state.cursor)),
  "ctrl+b": (state) => moveTo(state, previousBoundary(state.text, state.cursor)),
  "ctrl+f": (state) => moveTo(state, nextBoundary(state.text, state.cursor)),
  "ctrl+left": (state) => moveTo(state, wordStart(state)),
  "ctrl+right": (state) => moveTo(state, wordEnd(state)),
  "alt+left": (state) => moveTo(state, wordStart(state)),
  "alt+right": (state) => moveTo(state, wordEnd(state)),
  "alt+b": (state) => moveTo(state, wordStart(state)),
  "alt+f": (state) => moveTo(state, wordEnd(state)),
  home: (state) => moveTo(state, lineStart(state)),
  end: (state) => moveTo(state, lineEnd(state)),
  "ctrl+a": (state) => moveTo(state, lineStart(state)),
  "ctrl+e": (state) => moveTo(state, lineEnd(state)),
  backspace: (state) => remove(state, previousBoundary(state.text, state.cursor), state.cursor),
  delete: (state) => remove(state, state.cursor, nextBoundary(state.text, state.cursor)),
  "ctrl+d": (state) => remove(state, state.cursor, nextBoundary(state.text, state.cursor)),
  "ctrl+w": (state) => remove(state, wordStart(state), state.cursor),
  "alt+backspace": (state) => remove(state, wordStart(state), state.cursor),
  "ctrl+u": (state) => remove(state, lineStart(state), state.cursor),
  "ctrl+k": (state) => remove(state, state.cursor, lineEnd(state)),
  up,
  down,
  "ctrl+p": up,
  "ctrl+n": down,
};

function insert(state: EditorState, added: string, maxBytes: number): EditorStep {
  const text = state.text.slice(0, state.cursor) + added + state.text.slice(state.cursor);
  if (Buffer.byteLength(text) > maxBytes) return { state, isTooLong: true };
  return { state: { ...state, text, cursor: state.cursor + added.length } };
}

function enter(state: EditorState, maxBytes: number): EditorStep {
  if (state.text.endsWith("\\") && state.cursor === state.text.length) {
    return insert(remove(state, state.cursor - 1, state.cursor), "\n", maxBytes);
  }
  if (state.text.trim() === "") return { state: { ...state, text: "", cursor: 0 } };
  return { state: createEditorState(rememberEntry(state.history, state.text)), submitted: state.text };
}

const moveTo = (state: EditorState, cursor: number): EditorState => ({ ...state, cursor });

const remove = (state: EditorState, from: number, to: number): EditorState => ({
  ...state,
  text: state.text.slice(0, from) + state.text.slice(to),
  cursor: from,
});

const lineStart = ({ text, cursor }: EditorState): number =>
  cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;

function lineEnd({ text, cursor }: EditorState): number {
  const newline = text.indexOf("\n", cursor);
  return newline < 0 ? text.length : newline;
}

function wordStart({ text, cursor }: EditorState): number {
  let index = cursor;
  while (index > 0 && /\s/.test(text[index - 1] ?? "")) index--;
  while (index > 0 && !/\s/.test(text[index - 1] ?? "")) index--;
  return index;
}

function wordEnd({ text, cursor }: EditorState): number {
  let index = cursor;
  while (index < text.length && /\s/.test(text[index] ?? "")) index++;
  while (index < text.length && !/\s/.test(text[index] ?? "")) index++;
  return index;
}

/** One line up; from the first line into the history. */
function up(state: EditorState): EditorState {
  const start = lineStart(state);
  if (start === 0) return withEntry(state, olderEntry(state.history, state.text));
  const above = start < 2 ? 0 : state.text.lastIndexOf("\n", start - 2) + 1;
  return moveTo(state, boundaryAtOrBefore(state.text, Math.min(above + state.cursor - start, start - 1)));
}

/** One line down; from the last line back towards what was being written. */
function down(state: EditorState): EditorState {
  const end = lineEnd(state);
  if (end === state.text.length) return withEntry(state, newerEntry(state.history));
  const column = state.cursor - lineStart(state);
  const belowEnd = lineEnd({ ...state, cursor: end + 1 });
  return moveTo(state, boundaryAtOrBefore(state.text, Math.min(end + 1 + column, belowEnd)));
}

function withEntry(state: EditorState, found: { history: History; text: string } | undefined): EditorState {
  return found ? { text: found.text, cursor: found.text.length, history: found.history } : state;
}
