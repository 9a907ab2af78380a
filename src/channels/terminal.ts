/** The terminal that the process sits at, as a port: the app hands it in, so that nothing here touches `process`. */
import type { Readable, Writable } from "node:stream";

/** `process.stdin` or the like. Bytes, no encoding set. */
export type TerminalInput = Readable & { setRawMode?(isRaw: boolean): unknown };
/** `process.stdout` or the like. Emits `resize` where it has a size. */
export type TerminalOutput = Writable & { columns?: number; rows?: number };

export interface Terminal {
  input: TerminalInput;
  output: TerminalOutput;
  /** Notes that are no replies, when piped; log lines before and after the chat. */
  errors: Writable;
  /** A person sits at both ends: the chat UI. Otherwise one message per input line, replies as plain text. */
  isInteractive: boolean;
  /** False under `NO_COLOR`. */
  color: boolean;
  /** Name of the person at the terminal. */
  user: string;
  /** First line of the chat UI. Empty: none. */
  banner: string;
  /** Resolves when the message's turn is over and its posts are delivered; at once for a message that started none. */
  settled(messageId: string): Promise<void>;
  /** The person wants to leave, or the terminal is gone. Called once; the app then stops the adapter. */
  onQuit(): void;
  /** Earlier input, oldest first. */
  loadHistory(): Promise<string[]>;
  /** Replaces it. */
  saveHistory(entries: readonly string[]): Promise<void>;
}
