/**
 * The log of a command that runs the app: into `state/logs/mom.log`, and to the people at the terminal in a way that fits
 * what else is on it. While the chat UI owns the screen, lines wait until they can be shown above the input.
 */
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Clock } from "../contracts/clock.ts";
import {
  createFileSink,
  createLogger,
  createRedactor,
  createStreamSink,
  type Logger,
  type LogSink,
} from "../observability/index.ts";
import { buildLayout } from "../store/index.ts";
import type { CliIo } from "./io.ts";
import { hasColors } from "./print.ts";

export interface CliLog {
  log: Logger;
  /** From now on lines go to `write`, those that waited first. Only for `above`. */
  showAbove(write: (text: string) => void): void;
  /** The screen is free again: what waits, and what still comes, goes to stderr. */
  release(): void;
}

/**
 * `all`: every line to stderr, JSON unless it is a terminal. `warnings`: only those, in words. `above`: only those, where
 * `showAbove` says.
 */
export type CliLogView = "all" | "warnings" | "above";

export const logPathOf = (dataDir: string): string => join(buildLayout(dataDir).logsDir, "mom.log");

export function createCliLog(io: CliIo, clock: Clock, options: { dataDir: string; view: CliLogView }): CliLog {
  const above = createAboveStream(io);
  const file = createFileSink(logPathOf(options.dataDir));
  const sinks = [file, createViewSink(io, options.view, above.stream)];
  return {
    log: createLogger({ clock, redactor: createRedactor(), sinks }, { level: "info" }),
    showAbove: above.show,
    release: above.release,
  };
}

/** For commands that only look: what the rooms would log is of no interest there. */
export function createSilentLog(clock: Clock): Logger {
  return createLogger({ clock, redactor: createRedactor(), sinks: [] }, { level: "error" });
}

function createViewSink(io: CliIo, view: CliLogView, above: Writable): LogSink {
  const stacks = io.debug === true;
  const colors = hasColors(io.stderr, io.env);
  if (view === "all")
    return createStreamSink(io.stderr, { format: io.stderr.isTTY ? "human" : "json", colors, stacks });
  if (view === "warnings") return onlyWarnings(createStreamSink(io.stderr, { format: "human", colors, stacks }));
  return onlyWarnings(createStreamSink(above, { format: "human", colors: false, stacks }));
}

function onlyWarnings(sink: LogSink): LogSink {
  return {
    ...sink,
    write(record) {
      if (record.level === "warn" || record.level === "error") sink.write(record);
    },
  };
}

function createAboveStream(io: CliIo) {
  const held: string[] = [];
  let write: ((text: string) => void) | undefined;
  const flush = () => {
    for (const text of held.splice(0)) write?.(text);
  };
  return {
    stream: new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        held.push(String(chunk));
        if (write) flush();
        done();
      },
    }),
    show(next: (text: string) => void) {
      write = next;
      flush();
    },
    release() {
      write = (text) => void io.stderr.write(text);
      flush();
    },
  };
}
