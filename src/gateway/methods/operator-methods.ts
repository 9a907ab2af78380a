/** The operator's other tools: the log, the doctor, the first steps. */
import type { LogRecord } from "../../contracts/gateway.ts";
import { jsonLength, shortenRecord, shortenText } from "../history/shorten.ts";
import type { LogLineSummary } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { unavailable } from "./refusals.ts";

type Names = "logs.tail" | "doctor.run" | "setup.status" | "setup.finish";

const usualLines = 200;
/** Half of what may wait unsent for a client. */
const mostBytes = 2 * 1024 * 1024;

export function buildOperatorMethods({ house }: MethodDeps): Group<Names> {
  return {
    async "logs.tail"({ limit = usualLines, level, search }) {
      const lines = await house.logs.tail({
        limit,
        ...(level !== undefined && { level }),
        ...(search !== undefined && { search }),
      });
      return { lines: keepNewest(lines.map(toLogLine)) };
    },
    async "doctor.run"({ offline = false }) {
      if (!house.examine) throw unavailable('There is no doctor in this process; run "mom doctor"');
      const findings = await house.examine({ offline });
      return {
        ok: findings.every(({ level }) => level !== "fail"),
        findings: findings.map(({ check, level, detail, fix }) => ({
          check,
          level,
          detail,
          ...(fix !== undefined && { fix }),
        })),
      };
    },
    async "setup.status"() {
      const { model, foundKeys, hasOllama, channels, isDone } = await house.setup();
      return {
        model: { active: model.active, isOffline: model.isOffline },
        foundKeys: foundKeys.map(({ provider, from }) => ({ provider, from })),
        hasOllama,
        channels,
        isDone,
        dataDir: house.dataDir,
      };
    },
    async "setup.finish"() {
      await house.finishSetup();
      return { ok: true };
    },
  };
}

const toLogLine = ({ at, level, text, fields }: LogRecord): LogLineSummary => ({
  at,
  level,
  text: shortenText(text),
  fields: shortenRecord(fields),
});

function keepNewest(lines: readonly LogLineSummary[]): LogLineSummary[] {
  let bytes = 0;
  const tooMuch = lines.findLastIndex((line) => {
    bytes += jsonLength(line);
    return bytes > mostBytes;
  });
  return lines.slice(tooMuch + 1);
}
