/** The log as the gateway shows it: the file for what was, the logger for what comes. */
import { join } from "node:path";
import type { HouseLogs, LogRecord } from "../../contracts/gateway.ts";
import type { LogLevel } from "../../contracts/log.ts";
import { type Logger, parseLogLine, readLogTail } from "../../observability/index.ts";

const weight: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
/** Lines looked at for a filter that lets few through. */
const mostRead = 20_000;

export function createHouseLogs({ logsDir, log }: { logsDir: string; log: Logger }): HouseLogs {
  return {
    async tail({ limit, level = "debug", search = "" }) {
      await log.flush();
      const isFiltered = level !== "debug" || search !== "";
      const { lines } = await readLogTail(join(logsDir, "mom.log"), isFiltered ? mostRead : limit);
      const needle = search.toLowerCase();
      const records = lines.flatMap((line): LogRecord[] => {
        if (needle !== "" && !line.toLowerCase().includes(needle)) return [];
        const record = parseLogLine(line);
        return record && weight[record.level] >= weight[level] ? [record] : [];
      });
      return records.slice(-limit);
    },
    follow: (handler) => log.follow(handler),
  };
}
