/**
 * The lower end of the terminal: a live region that is drawn over and over, below a scrollback that only grows. One write
 * per frame, the cursor hidden meanwhile, so that nothing flickers.
 */
import stringWidth from "string-width";
import type { Clock } from "../../../contracts/clock.ts";
import type { Writer } from "../writer.ts";

export interface Frame {
  /** Each fits one row. Never empty. */
  lines: string[];
  cursorRow: number;
  cursorColumn: number;
}

export interface Size {
  columns: number;
  rows: number;
}

export interface Screen {
  /** Lines for the scrollback, shown with the next frame. */
  append(lines: string[]): void;
  /** A frame soon, at most `framesPerSecond` of them. */
  requestFrame(): void;
  /** A frame now. Resolves when it is written; false when the output is closed. */
  draw(): Promise<boolean>;
  /** To be called when the terminal has another size. */
  resized(): void;
  /** Empties the screen above the live region, as Ctrl-L does. */
  clear(): void;
  /** Takes the live region away and leaves the cursor below the scrollback. Nothing is drawn after it. */
  close(): void;
}

export interface ScreenDeps {
  clock: Clock;
  writer: Writer;
  getSize(): Size;
  /** The live region as it should look now; called once per frame. May append. */
  buildFrame(): Frame;
}

const framesPerSecond = 30;
const frameMs = 1_000 / framesPerSecond;
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";
const eraseLineEnd = "\x1b[K";
const eraseBelow = "\x1b[J";

export function createScreen({ clock, writer, getSize, buildFrame }: ScreenDeps): Screen {
  let appended: string[] = [];
  let drawn: Frame = { lines: [""], cursorRow: 0, cursorColumn: 0 };
  let rowsAboveCursor = 0;
  let lastFrameMs = -Infinity;
  let cancelTimer: (() => void) | undefined;
  let isWaitingForDrain = false;
  let isClosed = false;

  const toTop = () => (rowsAboveCursor > 0 ? `\x1b[${rowsAboveCursor}A\r` : "\r");

  function draw(): Promise<boolean> {
    if (isClosed) return Promise.resolve(false);
    const frame = buildFrame();
    cancelTimer?.();
    cancelTimer = undefined;
    const below = frame.lines.length - 1 - frame.cursorRow;
    // New scrollback may wrap onto rows that hold old live lines, so those are erased first.
    const scrollback = appended.length > 0 ? `${eraseBelow}${appended.join("\r\n")}\r\n` : "";
    const live = `${frame.lines.join(`${eraseLineEnd}\r\n`)}${eraseLineEnd}${eraseBelow}`;
    const place = `${below > 0 ? `\x1b[${below}A` : ""}\r${frame.cursorColumn > 0 ? `\x1b[${frame.cursorColumn}C` : ""}`;
    const output = beginUpdate + hideCursor + toTop() + scrollback + live + place + showCursor + endUpdate;
    appended = [];
    drawn = frame;
    rowsAboveCursor = frame.cursorRow;
    lastFrameMs = clock.monotonic();
    return writer.write(output);
  }

  function requestFrame(): void {
    if (isClosed || cancelTimer || isWaitingForDrain) return;
    if (writer.isFull) {
      isWaitingForDrain = true;
      writer.onDrain(() => {
        isWaitingForDrain = false;
        requestFrame();
      });
      return;
    }
    const waitMs = Math.max(0, lastFrameMs + frameMs - clock.monotonic());
    cancelTimer = clock.after(waitMs, () => void draw());
  }

  return {
    append(lines) {
      appended.push(...lines);
      requestFrame();
    },
    requestFrame,
    draw,
    resized() {
      // Terminals reflow what is on them: lines that are now too long take several rows above the cursor.
      const { columns } = getSize();
      const above = drawn.lines.slice(0, drawn.cursorRow);
      const rows = above.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0);
      rowsAboveCursor = rows + Math.floor(drawn.cursorColumn / columns);
      requestFrame();
    },
    clear() {
      void writer.write("\x1b[2J\x1b[H");
      rowsAboveCursor = 0;
      requestFrame();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      cancelTimer?.();
      const scrollback = appended.length > 0 ? `${appended.join("\r\n")}\r\n` : "";
      void writer.write(toTop() + eraseBelow + scrollback + showCursor);
    },
  };
}
