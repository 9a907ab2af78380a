/** The log: filters by level, bounds and redacts each line once, and hands it to every sink. Made once, by the app. */
import type { Clock } from "../contracts/clock.ts";
import type { Log, LogFields, LogLevel } from "../contracts/log.ts";
import { createBounds } from "./bound-value.ts";
import type { LogRecord, LogSink } from "./log-record.ts";
import type { Redactor } from "./redactor.ts";

export interface LoggerParts {
  clock: Clock;
  redactor: Redactor;
  sinks: readonly LogSink[];
}

export interface Logger extends Log {
  /** Takes effect at once, also for logs made by `with`. */
  setLevel(level: LogLevel): void;
  /** Calls the handler with every line from now on, as the sinks get it. Must not throw. The result ends it. */
  follow(handler: (record: LogRecord) => void): () => void;
  /** Values that must never be seen in any line (see Redactor). */
  addSecrets(values: Iterable<string>): void;
  /** Resolves when every line so far is out, or given up. */
  flush(): Promise<void>;
  /** Flushes and closes the sinks. Later lines are ignored. May be called twice. */
  close(): Promise<void>;
}

const weight: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createLogger(parts: LoggerParts, options: { level: LogLevel }): Logger {
  const { clock, redactor, sinks } = parts;
  const followers = new Set<(record: LogRecord) => void>();
  let least = weight[options.level];

  function write(level: LogLevel, text: string, fields: LogFields): void {
    if (weight[level] < least) return;
    const bounds = createBounds(redactor);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const plain = given.map(([name, value]) => [bounds.toText(name), bounds.toPlain(value, name)] as const);
    const record = { at: clock.now(), level, text: bounds.toText(text), fields: Object.fromEntries(plain) };
    for (const sink of sinks) sink.write(record);
    for (const tell of followers) tell(record);
  }

  const buildLog = (own: LogFields): Log => ({
    debug: (text, fields) => write("debug", text, { ...own, ...fields }),
    info: (text, fields) => write("info", text, { ...own, ...fields }),
    warn: (text, fields) => write("warn", text, { ...own, ...fields }),
    error: (text, fields) => write("error", text, { ...own, ...fields }),
    with: (fields) => buildLog({ ...own, ...fields }),
  });

  return {
    ...buildLog({}),
    setLevel(level) {
      least = weight[level];
    },
    follow(handler) {
      // Its own function: somebody may follow twice with the same one.
      const tell = (record: LogRecord) => handler(record);
      followers.add(tell);
      return () => void followers.delete(tell);
    },
    addSecrets: (values) => redactor.addSecrets(values),
    async flush() {
      await Promise.all(sinks.map((sink) => sink.flush()));
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}
