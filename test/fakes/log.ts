/** Logs for tests: one that says nothing, one that remembers. */
import type { Log, LogFields, LogLevel } from "../../src/contracts/log.ts";

export interface RecordedLine {
  level: LogLevel;
  text: string;
  fields: LogFields;
}

export function createRecordingLog(): Log & { lines: RecordedLine[] } {
  const lines: RecordedLine[] = [];
  const build = (base: LogFields): Log => {
    const write =
      (level: LogLevel) =>
      (text: string, fields: LogFields = {}) =>
        void lines.push({ level, text, fields: { ...base, ...fields } });
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      with: (fields) => build({ ...base, ...fields }),
    };
  };
  return { ...build({}), lines };
}

const ignore = () => undefined;
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => silentLog };
