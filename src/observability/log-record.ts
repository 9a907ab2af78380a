/** One line of the log before it is formatted: already bounded and redacted, so that a sink cannot leak what it never gets. */
import type { LogLevel } from "../contracts/log.ts";
import type { PlainValue } from "./bound-value.ts";

export interface LogRecord {
  /** Milliseconds since the epoch. */
  at: number;
  level: LogLevel;
  text: string;
  fields: { [name: string]: PlainValue };
}

/** Where lines go. All three must not throw; `write` must not block. */
export interface LogSink {
  write(record: LogRecord): void;
  /** Resolves when everything written so far is out, or given up. */
  flush(): Promise<void>;
  /** Flushes; later writes are ignored. May be called twice. */
  close(): Promise<void>;
}
