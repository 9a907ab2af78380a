/**
 * Times of the day at which a heart may beat. The wall clock of a zone decides, minute by minute: on the day that the clocks
 * go forward hours that do not exist are not waited for, and in the hour that comes twice both count.
 */
import type { HeartbeatConfig } from "../../contracts/heartbeat.ts";

type ActiveHours = NonNullable<HeartbeatConfig["activeHours"]>;

export interface TimeZones {
  /** Of the person whom mom works for; undefined: not known, then mom's machine counts. */
  user?: string | undefined;
  /** Of mom's machine. */
  local: string;
}

const minuteMs = 60_000;
/** Zones change their offset on quarters of an hour of UTC and never in between. */
const quarterMs = 15 * minuteMs;
const dayMinutes = 24 * 60;
/** A window can fall into the hour that a spring day has not: then it is open on the next day. */
const longestSearchMs = 3 * dayMinutes * minuteMs;

/** Minutes since midnight. Undefined: no time of the day, or none that can be a start. */
export function parseClockTime(text: string, kind: "start" | "end"): number | undefined {
  const found = /^(\d\d):(\d\d)$/.exec(text);
  if (!found) return undefined;
  const [hour, minute] = [Number(found[1]), Number(found[2])];
  const minutes = hour * 60 + minute;
  if (minute > 59 || minutes > dayMinutes) return undefined;
  if (kind === "start" && minutes === dayMinutes) return undefined;
  return minutes;
}

/** A name that this Node knows; offsets such as `+02:00` are none, they know no summer. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export interface OpenTimes {
  isOpen(atMs: number): boolean;
  /** `atMs` itself where it is open then, else the first moment that is. */
  nextOpen(atMs: number): number;
}

/** `hours` absent: always open. The same start and end is the whole day; the config refuses it, because people mean different things by it. */
export function createOpenTimes(hours: ActiveHours | undefined, zones: TimeZones): OpenTimes {
  const start = parseClockTime(hours?.start ?? "00:00", "start") ?? 0;
  const end = parseClockTime(hours?.end ?? "24:00", "end") ?? dayMinutes;
  const length = (end - start + dayMinutes) % dayMinutes;
  if (hours === undefined || length === 0) return { isOpen: () => true, nextOpen: (atMs) => atMs };
  const minutesAt = createMinutesOfDay(pickZone(hours.timezone, zones));
  const sinceStart = (atMs: number) => (minutesAt(atMs) - start + dayMinutes) % dayMinutes;
  const isOpen = (atMs: number) => sinceStart(atMs) < length;
  return {
    isOpen,
    nextOpen(atMs) {
      let time = atMs;
      while (!isOpen(time) && time - atMs < longestSearchMs) {
        const minute = Math.floor(time / minuteMs) * minuteMs;
        const untilStart = (dayMinutes - sinceStart(time)) * minuteMs;
        const untilQuarter = quarterMs - (minute % quarterMs);
        time = minute + Math.min(untilStart, untilQuarter);
      }
      return time;
    },
  };
}

function pickZone(wanted: string | undefined, { user, local }: TimeZones): string {
  const zone = wanted === "local" ? local : wanted === undefined || wanted === "user" ? (user ?? local) : wanted;
  // What the config has was checked; a person's zone may come from elsewhere.
  return isTimeZone(zone) ? zone : "UTC";
}

function createMinutesOfDay(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (atMs) => {
    const found = /(\d\d):(\d\d)/.exec(format.format(atMs));
    return Number(found?.[1] ?? 0) * 60 + Number(found?.[2] ?? 0);
  };
}
