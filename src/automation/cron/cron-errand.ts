/** What a run in a session of its own carries with it, JSON, and has again at its end. */
import type { CronJob } from "../../contracts/cron.ts";

export interface CronErrand {
  jobId: string;
  name: string;
  dueAt: number;
  /** A job for once: nobody will see a second failure. */
  isOnce: boolean;
  /** The answer is posted; where, as in the job's payload. */
  delivery?: { channel?: string; to?: string; isBestEffort?: true };
  isolation?: NonNullable<CronJob["isolation"]>;
  outside?: string;
}

export function readCronErrand(data: unknown): CronErrand | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  return typeof Reflect.get(data, "jobId") === "string" ? (data as CronErrand) : undefined;
}
