/** Figures as a table, for the terminal and for docs/benchmarks.md. */
import { type Figure, judge, type Summary, type Target, type Unit } from "./figure.ts";

const head = ["figure", "median", "p25 – p75", "min – max", "CPU", "target", "verdict", "n"];

/** Columns aligned by spaces. */
export function formatTextTable(figures: readonly Figure[]): string {
  const lines = align([head, ...figures.map(toCells)]).map((row) => row.join("  ").trimEnd());
  const notes = figures.filter(hasNote).map(({ name, note }) => `${name}: ${note}`);
  return [...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

export function formatMarkdownTable(figures: readonly Figure[]): string {
  const [titles = [], ...rows] = align([head, ...figures.map(toCells)]);
  const rule = titles.map((title) => "-".repeat(title.length));
  const lines = [titles, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const notes = figures.filter(hasNote).map(({ name, note }) => `- ${name}: ${note}`);
  return [...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

/** Every cell as wide as the widest of its column. */
function align(rows: readonly string[][]): string[][] {
  const widths = head.map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}

const hasNote = ({ note }: Figure) => note !== undefined;

function toCells(figure: Figure): string[] {
  const { name, unit, value, cpuMs } = figure;
  const range = (low: number, high: number) => `${formatNumber(low)} – ${formatNumber(high)}`;
  return [
    name,
    `${formatNumber(value.median)} ${unit}`,
    value.count > 1 ? range(value.p25, value.p75) : "",
    value.count > 1 ? range(value.min, value.max) : "",
    cpuMs ? formatCpu(cpuMs) : "",
    formatTarget(figure),
    judge(figure),
    String(value.count),
  ];
}

const formatCpu = (cpuMs: Summary) => `${formatNumber(cpuMs.median)} ms`;

function formatTarget({ unit, target, cpuTargetMs }: Figure): string {
  const parts = [
    ...(target ? [formatLimit(target, unit)] : []),
    ...(cpuTargetMs === undefined ? [] : [`CPU ≤ ${cpuTargetMs} ms`]),
  ];
  return parts.join(", ");
}

const formatLimit = (target: Target, unit: Unit) =>
  "atMost" in target ? `≤ ${target.atMost} ${unit}` : `≥ ${target.atLeast} ${unit}`;

/** Three digits that count, without an exponent: 0.123, 4.56, 78.9, 1234. As many decimals for a round number as for any. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toFixed(3);
}
