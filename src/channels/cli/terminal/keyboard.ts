/** The keyboard while the chat has it: raw mode, keys instead of bytes, and everything given back at the end. */
import type { Clock } from "../../../contracts/clock.ts";
import type { TerminalInput } from "../../terminal.ts";
import { createKeyParser, type Key } from "./keys.ts";

export interface Keyboard {
  start(): void;
  /** May be called twice, and before `start`. */
  stop(): void;
}

export interface KeyboardDeps {
  input: TerminalInput;
  clock: Clock;
  maxPasteLength: number;
  onKey(key: Key): void;
  /** The terminal is gone. */
  onEnd(): void;
}

/** A lone escape is a key when nothing follows it for this long. */
const escapeMs = 50;

export function createKeyboard({ input, clock, maxPasteLength, onKey, onEnd }: KeyboardDeps): Keyboard {
  const parser = createKeyParser(maxPasteLength);
  let cancelFlush: (() => void) | undefined;
  let isStarted = false;

  const give = (keys: Key[]) => {
    for (const key of keys) if (isStarted) onKey(key);
  };
  const onData = (chunk: Uint8Array | string) => {
    cancelFlush?.();
    give(parser.push(chunk));
    cancelFlush = parser.isWaiting ? clock.after(escapeMs, () => give(parser.flush())) : undefined;
  };

  return {
    start() {
      isStarted = true;
      input.setRawMode?.(true);
      // Stays, like the one for output: a terminal that disappears reports an error at any time.
      input.on("error", onEnd);
      input.on("end", onEnd);
      input.on("data", onData);
    },
    stop() {
      if (!isStarted) return;
      isStarted = false;
      cancelFlush?.();
      input.off("data", onData);
      input.off("end", onEnd);
      input.pause();
      input.setRawMode?.(false);
    },
  };
}
