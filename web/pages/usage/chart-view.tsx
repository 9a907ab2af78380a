/** A chart with its legend and, for whoever cannot see it, the same numbers as a table. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, Spinner, Table } from "../../ui/index.ts";
import { loadCharts } from "./catalog.ts";
import type { ChartData, DayChart } from "./day-chart.ts";
import { formatDay } from "./usage-figures.ts";

export function ChartView({ title, data }: { title: string; data: ChartData }) {
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const state = useChart(frame, data, setAt);
  const rows = data.days.map((day, i) => ({ day, i })).toReversed();
  return (
    <figure class="usage-chart">
      <figcaption>
        <h2>{title}</h2>
        {at !== undefined && <PointView data={data} at={at} />}
        {at === undefined && data.series.length > 1 && (
          <ul class="usage-legend">
            {data.series.map(({ label, colour }) => (
              <li key={label}>
                <span class="usage-swatch" style={{ background: `var(${colour})` }} />
                {label}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div ref={frame} class="usage-frame" aria-hidden="true">
        {state === "loading" && <Spinner />}
      </div>
      {state === "failed" && <p class="muted">The chart could not be loaded. The table has the numbers.</p>}
      <details class="usage-numbers">
        <summary>
          <Icon name="right" size={16} />
          As a table
        </summary>
        <section class="usage-scroll" aria-label={`${title}, as a table`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <div tabIndex={0}>
            <Table
              caption={title}
              keyOf={({ day }) => day}
              rows={rows}
              columns={[
                { key: "day", label: "Day", isWide: true, render: ({ day }) => formatDay(day) },
                ...data.series.map(({ label, values }) => ({
                  key: label,
                  label,
                  isNumber: true,
                  render: ({ i }: { day: string; i: number }) => data.format(values[i] ?? 0),
                })),
              ]}
            />
          </div>
        </section>
      </details>
    </figure>
  );
}

/** The numbers of the day under the pointer. */
function PointView({ data: { days, series, format }, at }: { data: ChartData; at: number }) {
  const parts = series.map(({ label, values }) => (series.length > 1 ? `${label}: ` : "") + format(values[at] ?? 0));
  return (
    <span class="usage-point" aria-hidden="true">
      {formatDay(days[at] ?? "")} · {parts.join(" · ")}
    </span>
  );
}

function useChart(
  frame: { current: HTMLDivElement | null },
  data: ChartData,
  onPoint: (at: number | undefined) => void,
): "loading" | "drawn" | "failed" {
  const [state, setState] = useState<"loading" | "drawn" | "failed">("loading");
  const key = JSON.stringify([data.days, data.series]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let chart: DayChart | undefined;
    let isWanted = true;
    const redraw = () => chart?.redraw(element.clientWidth);
    const ends = watchLooks(element, redraw);
    loadCharts().then(
      ({ drawDayChart }) => {
        if (!isWanted) return;
        chart = drawDayChart(element, data, onPoint);
        setState("drawn");
      },
      () => isWanted && setState("failed"),
    );
    return () => {
      isWanted = false;
      chart?.destroy();
      ends();
    };
  }, [frame, key]);
  return state;
}

/** The width of the page, and the theme: of the system or chosen here. */
function watchLooks(element: HTMLElement, onChange: () => void): () => void {
  const size = new ResizeObserver(onChange);
  size.observe(element);
  const theme = new MutationObserver(onChange);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", onChange);
  return () => {
    size.disconnect();
    theme.disconnect();
    system.removeEventListener("change", onChange);
  };
}
