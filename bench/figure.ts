/** What a bench gives back: one measured figure with its spread, its CPU time and its target. Printed by format-table.ts. */

export interface Summary {
  count: number;
  min: number;
  p25: number;
  median: number;
  p75: number;
  p95: number;
  max: number;
}

export type Unit = "ms" | "µs" | "MiB" | "kB" | "turns/s" | "×" | "tokens" | "%";
export type Target = { atMost: number } | { atLeast: number };

export interface Figure {
  /** Stable: results of two runs are compared by it. */
  name: string;
  unit: Unit;
  value: Summary;
  /** CPU time of mom's own process over the same span, in milliseconds. Absent where it means nothing or cannot be had. */
  cpuMs?: Summary;
  /** Absent: for information. */
  target?: Target;
  cpuTargetMs?: number;
  /** What else a reader should know of this run. */
  note?: string;
}

export type Verdict = "ok" | "MISSED" | "info";

export function summarise(samples: readonly number[]): Summary {
  if (samples.length === 0) throw new Error("a figure needs at least one sample");
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? 0;
    const above = sorted[Math.ceil(position)] ?? 0;
    return below + (above - below) * (position % 1);
  };
  return { count: sorted.length, min: at(0), p25: at(0.25), median: at(0.5), p75: at(0.75), p95: at(0.95), max: at(1) };
}

/** What one run of something took; `cpuMs` is undefined where it cannot be read. */
export interface Cost {
  wallMs: number;
  cpuMs: number | undefined;
}

/** The time figure of several runs. */
export function summariseCosts(costs: readonly Cost[]): Pick<Figure, "unit" | "value" | "cpuMs"> {
  const cpuMs = costs.flatMap((cost) => cost.cpuMs ?? []);
  return {
    unit: "ms",
    value: summarise(costs.map((cost) => cost.wallMs)),
    ...(cpuMs.length > 0 && { cpuMs: summarise(cpuMs) }),
  };
}

/** Round by round, so that a busy moment does not count for one of the two only. */
export function compareRounds(
  costs: readonly Cost[],
  against: readonly Cost[],
  compare: (one: Cost, other: Cost) => number,
): Summary {
  if (costs.length !== against.length) throw new Error("only runs of the same rounds can be compared");
  return summarise(
    costs.flatMap((cost, round) => against.slice(round, round + 1).map((other) => compare(cost, other))),
  );
}

/** The medians decide. */
export function judge({ value, cpuMs, target, cpuTargetMs }: Figure): Verdict {
  if (target === undefined && cpuTargetMs === undefined) return "info";
  const isMet = target === undefined || meets(value.median, target);
  const isCpuMet = cpuTargetMs === undefined || cpuMs === undefined || cpuMs.median <= cpuTargetMs;
  return isMet && isCpuMet ? "ok" : "MISSED";
}

const meets = (value: number, target: Target): boolean =>
  "atMost" in target ? value <= target.atMost : value >= target.atLeast;
