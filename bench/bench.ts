/** A bench: measures one thing about mom and gives the figures that come of it. Listed in catalog.ts. */
import type { Figure } from "./figure.ts";
import type { Workshop } from "./workshop.ts";

export interface Bench {
  /** For `--only`. */
  name: string;
  /** One line, shown while it runs. */
  summary: string;
  /** Measures the built program: needs dist/. Absent: bundles what it needs itself. */
  needsBuild?: true;
  /** Rejects when it cannot be measured. */
  run(workshop: Workshop): Promise<Figure[]>;
}
