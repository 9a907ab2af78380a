/** What the session used on each of the last days, as bars; the same as a table for those who do not see them. */
import { useEffect, useState } from "preact/hooks";
import { call, can, describeError } from "../../connection.ts";
import { Card, formatCost, formatTokens, Note, Spinner } from "../../ui/index.ts";
import { type DayUsage, listDays, splitByDay } from "./daily-usage.ts";

const dayCount = 7;

export function DailyUsage({ sessionKey, updatedAt }: { sessionKey: string; updatedAt: number }) {
  const [days, setDays] = useState<readonly DayUsage[] | undefined>();
  const [error, setError] = useState<unknown>();
  const isAllowed = can("sessions.usage");
  useEffect(() => {
    if (!isAllowed) return;
    let isWanted = true;
    loadDays(sessionKey).then(
      (loaded) => isWanted && setDays(loaded),
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
  }, [sessionKey, updatedAt, isAllowed]);
  if (!isAllowed) return null;
  return (
    <Card title="Last seven days">
      {days ? (
        <Bars days={days} />
      ) : error === undefined ? (
        <Spinner label="Loading…" />
      ) : (
        <Note>{describeError(error)}</Note>
      )}
    </Card>
  );
}

async function loadDays(sessionKey: string): Promise<DayUsage[]> {
  const days = listDays(Date.now(), dayCount);
  const since = await Promise.all(days.map((day) => call("sessions.usage", { by: "session", since: day })));
  return splitByDay(
    sessionKey,
    days,
    since.map(({ totals }) => totals),
  );
}

function Bars({ days }: { days: readonly DayUsage[] }) {
  const top = Math.max(1, ...days.map(({ tokens }) => tokens));
  if (days.every(({ calls }) => calls === 0)) return <p class="muted">Nothing was used.</p>;
  return (
    <table class="day-bars">
      <caption class="visually-hidden">Tokens and cost by day</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Share</th>
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, tokens, cost }) => (
          <tr key={day}>
            <th scope="row">{formatDay(day)}</th>
            <td class="day-bar">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(tokens / top) * 100} height="8" />
              </svg>
            </td>
            <td class="is-number">{formatTokens(tokens)}</td>
            <td class="is-number">{formatCost(cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const formatDay = (day: string): string =>
  new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { weekday: "short", day: "numeric" });
