/**
 * Writes the log to a stream that is already open (stderr): for people on a terminal, JSON lines otherwise. A reader that is
 * slow or gone never holds mom up: lines beyond what may wait are dropped and counted.
 */
import type { Writable } from "node:stream";
import { formatHumanLine } from "./format-human-line.ts";
import { formatJsonLine } from "./format-json-line.ts";
import type { LogRecord, LogSink } from "./log-record.ts";

export interface StreamSinkOptions {
  format: "human" | "json";
  /** Only for `human`. */
  colors: boolean;
  /** Whether errors come with their stack. */
  stacks: boolean;
  /** Characters that may wait for a slow reader. */
  maxWaiting?: number;
}

export function createStreamSink(stream: Writable, options: StreamSinkOptions): LogSink {
  const maxWaiting = options.maxWaiting ?? 1_048_576;
  let dropped = 0;
  let isOpen = true;
  // Without a listener a closed pipe would end the process.
  const onError = () => {
    isOpen = false;
  };
  stream.on("error", onError);

  const format = (record: LogRecord): string =>
    options.format === "human" ? formatHumanLine(record, options) : formatJsonLine(record, options);

  function write(record: LogRecord): void {
    if (!isOpen || stream.destroyed) return;
    if (stream.writableLength > maxWaiting) {
      dropped++;
      return;
    }
    if (dropped > 0) {
      const note = { ...record, level: "warn" as const, text: "log lines were dropped", fields: { dropped } };
      dropped = 0;
      stream.write(format(note));
    }
    stream.write(format(record));
  }

  const flush = (): Promise<void> =>
    isOpen && !stream.destroyed && stream.writableLength > 0
      ? new Promise((resolve) => stream.write("", () => resolve()))
      : Promise.resolve();

  return {
    write,
    flush,
    // The stream belongs to whoever passed it in, and so does the listener from here on: late errors must not throw either.
    async close() {
      await flush();
      isOpen = false;
    },
  };
}
