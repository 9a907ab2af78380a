/**
 * Times of a cron expression in a zone. croner reckons on the wall alone, where no hour is missing or comes twice; what those
 * hours mean is decided here, because croner treats a list of times (`0,30 2 * * *`) unlike a single one.
 *
 * - Spring, the wall jumps over an hour. Times in it that were named by their hour run once, together, right after the jump
 *   (`30 2 * * *` at 03:00). Those of every hour (`30 * * * *`) leave it out: the next is an hour of real time away as ever.
 * - Autumn, an hour comes twice. Times that are fixed to the minute run the first time only. With a `*` in seconds, minutes or
 *   hours they run both times: every twenty minutes is every twenty minutes of real time.
 */
import { Cron } from "croner";
import { errorText, ToolError } from "../../base/errors.ts";
import { createTimeZone, type TimeZone } from "./time-zone.ts";

export interface Times {
  /** The first after `afterMs`; undefined when there is none any more. */
  next(afterMs: number): number | undefined;
}

/** Clocks are set by less than this. */
const longestChangeMs = 3 * 3600_000;
/** Changes that a search may meet one after the other without finding a time; there are never that many. */
const mostChanges = 100;

/** Throws `CRON_EXPRESSION_INVALID` and `TIME_ZONE_UNKNOWN`. */
export function createCronTimes(expr: string, tz: string | undefined): Times {
  const zone = createTimeZone(tz);
  const pattern = parseExpression(expr);
  const { isHourNamed, isFixed } = describeFields(pattern.getPattern() ?? expr);
  const nextWall = (wallMs: number) => pattern.nextRun(new Date(wallMs))?.getTime();
  const next = isFixed ? nextFixed : nextRunning;
  return { next: (afterMs) => next(zone, nextWall, afterMs, isHourNamed) };
}

type NextWall = (wallMs: number) => number | undefined;

/** Every wall time once: when the wall first shows it, or jumps over it. */
function nextFixed(zone: TimeZone, nextWall: NextWall, afterMs: number): number | undefined {
  let wall = nextWall(zone.toWall(afterMs));
  for (let n = 0; wall !== undefined && n < mostChanges; n++) {
    const found = zone.toInstants(wall);
    if (found.type === "gap") return found.endMs;
    if (found.type === "once") return found.atMs;
    if (found.firstMs > afterMs) return found.firstMs;
    // An hour that comes again: all of it has been. On with what the wall has never shown.
    const changeMs = zone.findChange(found.firstMs, found.secondMs) ?? found.secondMs;
    wall = nextWall(zone.toWall(changeMs - 1));
  }
  return undefined;
}

/** Every instant at which the wall shows a time of the expression. */
function nextRunning(zone: TimeZone, nextWall: NextWall, afterMs: number, isHourNamed: boolean): number | undefined {
  const onward = nextOnward(zone, nextWall, afterMs, isHourNamed);
  // Where the wall is about to be set back, what it will show again comes before what is ahead on it.
  const changeMs = zone.findChange(afterMs, afterMs + longestChangeMs);
  if (changeMs === undefined || (onward !== undefined && onward < changeMs)) return onward;
  const again = nextOnward(zone, nextWall, changeMs - 1, isHourNamed, zone.toWall(changeMs) - 1);
  if (onward === undefined || again === undefined) return onward ?? again;
  return Math.min(onward, again);
}

function nextOnward(
  zone: TimeZone,
  nextWall: NextWall,
  afterMs: number,
  isHourNamed: boolean,
  fromWallMs = zone.toWall(afterMs),
): number | undefined {
  let wall = nextWall(fromWallMs);
  for (let n = 0; wall !== undefined && n < mostChanges; n++) {
    const found = zone.toInstants(wall);
    if (found.type === "once") return found.atMs;
    if (found.type === "twice") return found.firstMs > afterMs ? found.firstMs : found.secondMs;
    if (isHourNamed) return found.endMs;
    wall = nextWall(zone.toWall(found.endMs) - 1);
  }
  return undefined;
}

function parseExpression(expr: string): Cron {
  const fields = expr.trim().split(/\s+/);
  // croner would take an expression with a colon for a date.
  const isShort = fields.length === 1 && expr.trim().startsWith("@");
  if ((!isShort && fields.length !== 5 && fields.length !== 6) || expr.includes(":") || expr.length > 200) {
    throw expressionInvalid(expr, `it has ${fields.length === 1 ? "one field" : `${fields.length} fields`}`);
  }
  try {
    return new Cron(expr.trim(), { utcOffset: 0, mode: "5-or-6-parts" });
  } catch (error) {
    throw expressionInvalid(expr, errorText(error).replace(/^CronPattern: /, ""), error);
  }
}

const expressionInvalid = (expr: string, why: string, cause?: unknown) =>
  new ToolError("CRON_EXPRESSION_INVALID", `"${expr.slice(0, 200)}" is no cron expression: ${why}`, {
    hint: 'Give five fields, minute hour day-of-month month day-of-week, or six with seconds in front: "0 9 * * 1-5" is 09:00 from Monday to Friday.',
    cause,
  });

function describeFields(pattern: string): { isHourNamed: boolean; isFixed: boolean } {
  const fields = pattern.trim().split(/\s+/);
  const [second = "0", minute = "*", hour = "*"] = fields.length === 5 ? ["0", ...fields] : fields;
  const isOpen = (field: string) => /[*?]/.test(field);
  return { isHourNamed: !isOpen(hour), isFixed: ![second, minute, hour].some(isOpen) };
}
