/**
 * A terminal for tests: what is written to it is interpreted as a real one would, so that tests can look at the screen; keys
 * and lines go in as bytes. Nothing of it is the process's own.
 */
import { PassThrough, Writable } from "node:stream";
import stringWidth from "string-width";
import type { Terminal, TerminalInput, TerminalOutput } from "../../src/channels/index.ts";

export interface FakeTerminal extends Terminal {
  /** Bytes as if typed or piped in. */
  type(text: string): void;
  /** The person closes it, or the pipe ends. */
  endInput(): void;
  /** Everything that was written, raw. */
  readonly written: string;
  /** One entry per write call. */
  readonly writes: string[];
  readonly notes: string;
  /** Lines on the screen and in the scrollback, trailing blanks removed. */
  lines(): string[];
  cursor(): { row: number; column: number };
  resize(columns: number, rows: number): void;
  /** From now on writes fail, as after `| head -1`. */
  breakOutput(): void;
  readonly isRaw: boolean;
  readonly hasQuit: boolean;
  readonly savedHistory: readonly string[];
}

export interface FakeTerminalOptions {
  isInteractive: boolean;
  columns?: number;
  rows?: number;
  color?: boolean;
  history?: string[];
  banner?: string;
  settled?(messageId: string): Promise<void>;
}

export function createFakeTerminal(options: FakeTerminalOptions): FakeTerminal {
  const writes: string[] = [];
  const notes: string[] = [];
  const picture = createPicture();
  const state = { isRaw: false, hasQuit: false, isBroken: false, savedHistory: options.history ?? [] };
  const raw = {
    setRawMode(isRaw: boolean) {
      state.isRaw = isRaw;
    },
  };
  const input: TerminalInput = Object.assign(new PassThrough(), raw);
  const output: TerminalOutput = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        if (state.isBroken) return done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
        writes.push(chunk);
        picture.write(chunk, output.columns ?? 80, output.rows ?? 24);
        done();
      },
    }),
    { columns: options.columns ?? 80, rows: options.rows ?? 24 },
  );
  const errors = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      notes.push(chunk);
      done();
    },
  });
  return {
    input,
    output,
    errors,
    isInteractive: options.isInteractive,
    color: options.color ?? false,
    user: "ann",
    banner: options.banner ?? "",
    settled: options.settled ?? (async () => undefined),
    onQuit: () => {
      state.hasQuit = true;
    },
    loadHistory: async () => [...state.savedHistory],
    saveHistory: async (entries) => {
      state.savedHistory = [...entries];
    },
    type: (text) => void input.push(text),
    endInput: () => void input.push(null),
    get written() {
      return writes.join("");
    },
    writes,
    get notes() {
      return notes.join("");
    },
    lines: picture.lines,
    cursor: picture.cursor,
    resize(columns, rows) {
      Object.assign(output, { columns, rows });
      output.emit("resize");
    },
    breakOutput: () => {
      state.isBroken = true;
    },
    get isRaw() {
      return state.isRaw;
    },
    get hasQuit() {
      return state.hasQuit;
    },
    get savedHistory() {
      return state.savedHistory;
    },
  };
}

/** The few sequences that the chat uses; an unknown one fails the test instead of being guessed at. */
function createPicture() {
  const grid: string[][] = [[]];
  let row = 0;
  let column = 0;
  let top = 0;

  const put = (character: string, columns: number, rows: number) => {
    const width = stringWidth(character);
    const line = () => {
      grid[row] ??= [];
      return grid[row] ?? [];
    };
    if (width === 0) {
      line()[column - 1] += character;
      return;
    }
    if (column + width > columns) newline(rows, true);
    const cells = line();
    while (cells.length < column) cells.push(" ");
    cells[column] = character;
    if (width === 2) cells[column + 1] = "";
    column += width;
  };
  const newline = (rows: number, isWrap: boolean) => {
    row++;
    if (isWrap) column = 0;
    grid[row] ??= [];
    top = Math.max(top, row - rows + 1);
  };
  const control = (parameter: string, final: string) => {
    const count = Number(parameter || "1");
    if (final === "A") row = Math.max(top, row - count);
    else if (final === "C") column += count;
    else if (final === "K") grid[row] = (grid[row] ?? []).slice(0, column);
    else if (final === "J" && parameter === "") {
      grid[row] = (grid[row] ?? []).slice(0, column);
      grid.length = row + 1;
    } else if (final === "J" && parameter === "2") {
      for (let index = top; index < grid.length; index++) grid[index] = [];
    } else if (final === "H") {
      row = top;
      column = 0;
    } else if (!(final === "m" || ((final === "h" || final === "l") && parameter.startsWith("?")))) {
      throw new Error(`the fake terminal does not know CSI ${parameter}${final}`);
    }
  };
  return {
    write(text: string, columns: number, rows: number) {
      const pieces = text.matchAll(/\x1b\[([0-9;?]*)([A-Za-z])|\r|\n|[^\x1b]/gu);
      for (const [piece, parameter, final] of pieces) {
        if (final !== undefined) control(parameter ?? "", final);
        else if (piece === "\r") column = 0;
        else if (piece === "\n") newline(rows, false);
        else put(piece, columns, rows);
      }
    },
    lines: () => {
      const shown = grid.map((cells) => cells.join("").trimEnd());
      while (shown.at(-1) === "") shown.pop();
      return shown;
    },
    cursor: () => ({ row: row - top, column }),
  };
}
