/**
 * Between instants and what clocks on the wall show in a zone. Wall times are numbers too: the milliseconds that `Date.UTC`
 * gives for what the wall shows.
 */
import { ToolError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";

export interface TimeZone {
  readonly name: string;
  /** What the wall shows. */
  toWall(atMs: number): number;
  /** When the wall shows this: once, never (the hour is left out) or twice. */
  toInstants(wallMs: number): WallInstants;
  /** The first instant after `fromMs`, up to `toMs`, from which the wall shows another time; undefined when there is none. At most one in between. */
  findChange(fromMs: number, toMs: number): number | undefined;
}

type WallInstants =
  | { type: "once"; atMs: number }
  | { type: "twice"; firstMs: number; secondMs: number }
  /** `endMs`: when the wall jumps over it. */
  | { type: "gap"; endMs: number };

const dayMs = 86_400_000;

/** Throws `TIME_ZONE_UNKNOWN`. Absent: the zone of mom's machine. */
export function createTimeZone(name = machineZone()): TimeZone {
  const format = createFormat(name);
  const toWall = (atMs: number) => {
    const values: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(atMs)) values[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = values;
    // Zones count in whole seconds, so what is below one is the same on every wall.
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((atMs % 1000) + 1000) % 1000);
  };
  const offsetAt = (atMs: number) => toWall(atMs) - atMs;
  const findChange = (fromMs: number, toMs: number) => {
    const offset = offsetAt(fromMs);
    if (offsetAt(toMs) === offset) return undefined;
    let low = fromMs;
    let high = toMs;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  };
  return {
    name,
    toWall,
    findChange,
    toInstants(wallMs) {
      // No zone is further than 14 hours from UTC: a day to both sides shows what holds before and after.
      const before = offsetAt(wallMs - dayMs);
      const after = offsetAt(wallMs + dayMs);
      if (before === after) return { type: "once", atMs: wallMs - before };
      const found = [wallMs - before, wallMs - after].filter((atMs) => toWall(atMs) === wallMs).sort((a, b) => a - b);
      const [firstMs, secondMs] = found;
      if (firstMs === undefined) {
        const [low, high] = before > after ? [wallMs - before, wallMs - after] : [wallMs - after, wallMs - before];
        return { type: "gap", endMs: findChange(low, high) ?? high };
      }
      return secondMs === undefined ? { type: "once", atMs: firstMs } : { type: "twice", firstMs, secondMs };
    },
  };
}

const machineZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, ...parts, second: "numeric", hourCycle: "h23" });
  } catch (error) {
    const nearest = pickNearestZone(timeZone);
    throw new ToolError("TIME_ZONE_UNKNOWN", `There is no time zone called "${timeZone.slice(0, 60)}"`, {
      hint: nearest
        ? `Did you mean ${nearest}?`
        : "Give a name of the IANA list, as Europe/Vienna or America/New_York; UTC is one too.",
      cause: error,
    });
  }
}

/** By the place: "vienna" and "Eurpoe/Vienna" are near Europe/Vienna, and "Europe/Wien" is not near Europe/Kiev. */
function pickNearestZone(name: string): string | undefined {
  const zones = new Map(["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => [toPlace(zone), zone]));
  const place = pickNearest(toPlace(name.slice(0, 60).replaceAll(" ", "_")), zones.keys());
  return place === undefined ? undefined : zones.get(place);
}

const toPlace = (zone: string) => zone.slice(zone.lastIndexOf("/") + 1).toLowerCase();
