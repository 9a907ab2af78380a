/** Bars per day, drawn by uPlot. Colours come from the page's custom properties, so both themes look right. */
import uPlot from "uplot";
import { formatDay } from "./usage-figures.ts";

interface Series {
  label: string;
  /** A custom property: `--accent`. */
  colour: string;
  values: readonly number[];
}

export interface ChartData {
  days: readonly string[];
  /** Stacked, the first at the bottom. */
  series: readonly Series[];
  format(value: number): string;
}

export interface DayChart {
  /** The theme or the width has changed. */
  redraw(width: number): void;
  destroy(): void;
}

const height = 200;
const mostLabels = 10;

/** `onPoint`: the day that is pointed at, or undefined. */
export function drawDayChart(
  element: HTMLElement,
  { days, series, format }: ChartData,
  onPoint: (day: number | undefined) => void,
): DayChart {
  const width = element.clientWidth;
  const readColour = (name: string) => resolveColour(element, name);
  const stacked = stack(series.map(({ values }) => values));
  const options: uPlot.Options = {
    width,
    height,
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    legend: { show: false },
    padding: [12, 24, 0, 0],
    scales: {
      x: { time: false, range: (_, min, max) => [min - 0.5, max + 0.5] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        stroke: () => readColour("--text-muted"),
        font: fontOf(element),
        size: 28,
        grid: { show: false },
        ticks: { show: false },
        splits: () => pickLabels(days.length, width),
        values: (_, splits) => splits.map((at) => shortDay(days[at])),
      },
      {
        stroke: () => readColour("--text-muted"),
        font: fontOf(element),
        size: 64,
        grid: { stroke: () => readColour("--border"), width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map(format),
      },
    ],
    // The whole stack first, then each part over it: what stays visible of a bar is its own part.
    series: [
      {},
      ...series.toReversed().map(({ label, colour }) => ({
        label,
        fill: () => readColour(colour),
        stroke: () => readColour(colour),
        width: 0,
        paths: drawBars,
        points: { show: false },
      })),
    ],
  };
  options.hooks = {
    setCursor: [
      ({ cursor }) => onPoint(cursor.left !== undefined && cursor.left >= 0 ? (cursor.idx ?? undefined) : undefined),
    ],
  };
  const chart = new uPlot(options, [days.map((_, i) => i), ...stacked.toReversed()], element);
  return {
    redraw: (next) => {
      chart.setSize({ width: next, height });
      chart.redraw(false, true);
    },
    destroy: () => chart.destroy(),
  };
}

const widestBar = 48;

/** On whole pixels: parts of a stack lie over each other, and blurred edges would shine through. */
function drawBars(chart: uPlot, series: number): uPlot.Series.Paths {
  const fill = new Path2D();
  const bottom = Math.round(chart.valToPos(0, "y", true));
  for (const [i, value] of (chart.data[series] ?? []).entries()) {
    if (typeof value !== "number" || value <= 0) continue;
    const [from, to] = [chart.valToPos(i - 0.36, "x", true), chart.valToPos(i + 0.36, "x", true)];
    const width = Math.max(1, Math.min(Math.round(to - from), widestBar * devicePixelRatio));
    const top = Math.min(Math.round(chart.valToPos(value, "y", true)), bottom - 1);
    fill.rect(Math.round((from + to - width) / 2), top, width, bottom - top);
  }
  return { fill, stroke: null };
}

/** Each series on top of those before it. */
function stack(all: readonly (readonly number[])[]): number[][] {
  const sums: number[] = [];
  return all.map((values) =>
    values.map((value, i) => {
      sums[i] = (sums[i] ?? 0) + value;
      return sums[i];
    }),
  );
}

/** A canvas knows no custom properties and no `light-dark()`: the browser works the colour out for an element. */
function resolveColour(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function fontOf(element: HTMLElement): string {
  return `12px ${getComputedStyle(element).fontFamily}`;
}

function pickLabels(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.min(mostLabels, Math.max(2, Math.floor((width - 64) / 64)))));
  return Array.from({ length: count }, (_, i) => i).filter((i) => (count - 1 - i) % step === 0);
}

const shortDay = (day: string | undefined): string => (day === undefined ? "" : formatDay(day).replace(/^\S+?,? /, ""));
