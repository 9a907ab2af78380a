/** Times as the model is told them: the minute in front of messages, the day with the zone's offset at the end of the prompt. */

export interface LocalTimes {
  /** `2026-11-16 09:05`. */
  minute(atMs: number): string;
  /** `Monday, 2026-11-16, UTC+01:00`: changes once a day, and when the clocks do. */
  date(atMs: number): string;
}

/** Making the formatter costs more than using it, so it is made once per zone. */
export function buildLocalTimes(timeZone: string): LocalTimes {
  const toParts = buildPartsFormat(timeZone);
  return {
    minute(atMs) {
      const { day, time } = toParts(atMs);
      return `${day} ${time}`;
    },
    date(atMs) {
      const { weekday, day, offset } = toParts(atMs);
      return `${weekday}, ${day}, UTC${offset}`;
    },
  };
}

function buildPartsFormat(timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "longOffset",
  });
  let last: { minute: number; told: ReturnType<typeof tell> } | undefined;
  const tell = (atMs: number) => {
    const parts = format.formatToParts(atMs);
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? "";
    return {
      weekday: part("weekday"),
      day: `${part("year")}-${part("month")}-${part("day")}`,
      time: `${part("hour")}:${part("minute")}`,
      offset: part("timeZoneName").replace("GMT", "") || "+00:00",
    };
  };
  // Asked several times a turn, and changing once a minute.
  return (atMs: number) => {
    const minute = Math.floor(atMs / 60_000);
    if (last?.minute !== minute) last = { minute, told: tell(atMs) };
    return last.told;
  };
}
