/** Jobs: look, make, change, run, take away. What is wrong with one is said by the house. */
import type { CronJob } from "../../contracts/cron.ts";
import type { HouseCron } from "../../contracts/gateway.ts";
import { toCronJob, toCronRun, toSchedule } from "./automation-summary.ts";
import { ensureAgent } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { notFound } from "./refusals.ts";

type Looking = "cron.status" | "cron.list" | "cron.preview" | "cron.runs";
type Changing = "cron.add" | "cron.update" | "cron.remove" | "cron.run" | "cron.wake";

const usualJobs = 500;
const usualRuns = 50;
const usualTimes = 5;

export function buildCronMethods(deps: MethodDeps): Partial<Group<Looking | Changing>> {
  const { cron } = deps.house;
  return cron ? { ...buildLooking(deps, cron), ...buildChanging(deps, cron) } : {};
}

function buildLooking({ house }: MethodDeps, cron: HouseCron): Group<Looking> {
  return {
    async "cron.status"() {
      const { enabled, jobs, nextRunAtMs } = await cron.status();
      return { enabled, jobs, ...(nextRunAtMs !== undefined && { nextRunAtMs }) };
    },
    async "cron.list"({ agentId, includeDisabled = true, limit = usualJobs }) {
      if (agentId !== undefined) await ensureAgent(house, agentId);
      const jobs = await cron.list({ includeDisabled, ...(agentId !== undefined && { agentId }) });
      return { jobs: jobs.slice(0, limit).map((job) => show(cron, job)), total: jobs.length };
    },
    async "cron.preview"({ when, tz, times = usualTimes }) {
      const { schedule, text, next } = await cron.preview(when, { times, ...(tz !== undefined && { tz }) });
      return { schedule: toSchedule(schedule), text, next: next.slice(0, times) };
    },
    async "cron.runs"({ id, limit = usualRuns }) {
      return { runs: (await cron.runs(id, limit)).map(toCronRun) };
    },
  };
}

function buildChanging({ house }: MethodDeps, cron: HouseCron): Group<Changing> {
  return {
    async "cron.add"({ idempotencyKey: _, ...job }) {
      if (job.agentId !== undefined) await ensureAgent(house, job.agentId);
      return show(cron, await cron.add(job));
    },
    async "cron.update"({ id, patch }) {
      await ensureJob(cron, id);
      return show(cron, await cron.update(id, patch));
    },
    async "cron.remove"({ id }) {
      if (!(await cron.remove(id))) throw notFound(`job ${id}`);
      return { ok: true };
    },
    async "cron.run"({ id, mode = "force" }) {
      await ensureJob(cron, id);
      const { ran, reason, turnId } = await cron.run(id, mode);
      return { ran, ...(reason !== undefined && { reason }), ...(turnId !== undefined && { turnId }) };
    },
    async "cron.wake"({ mode, text, agentId }) {
      const { id } = await ensureAgent(house, agentId);
      await cron.wake({ mode, agentId: id, ...(text !== undefined && { text }) });
      return { ok: true };
    },
  };
}

const show = (cron: HouseCron, job: CronJob) => toCronJob(job, cron.describe(job));

async function ensureJob(cron: HouseCron, id: string): Promise<void> {
  if (!(await cron.get(id))) throw notFound(`job ${id}`);
}
