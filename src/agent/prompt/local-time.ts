/** Times as the prompt tells them: ISO 8601 with the offset of the zone, to the minute, `2026-11-16T09:05+01:00`. */

/** Making the formatter costs more than using it, so it is made once per zone. */
export function buildLocalTimeFormat(timeZone: string): (nowMs: number) => string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "longOffset",
  });
  return (nowMs) => {
    const parts = format.formatToParts(nowMs);
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? "";
    const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
    return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}${offset}`;
  };
}
