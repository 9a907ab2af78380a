/** `mom status`: is a mom running here, what waits, what was used today. Reads only, also beside a running mom. */
import { stat } from "node:fs/promises";
import { Command } from "commander";
import { createSystemClock } from "../../base/clock.ts";
import { formatBytes, formatCost, formatCount, formatMoment } from "../../base/format-values.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Store } from "../../contracts/store.ts";
import type { TurnState } from "../../contracts/turn.ts";
import { buildLayout } from "../../store/index.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { formatAge } from "../format-values.ts";
import { findGateway } from "../gateway/find-gateway.ts";
import { type Holder, readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { hasStore, openGuestStore } from "../open-guest-store.ts";
import { printJson, printLines } from "../print.ts";
import { version } from "../version.ts";

interface Usage {
  calls: number;
  input: number;
  output: number;
  cost: number;
}

interface Status {
  version: string;
  dataDir: string;
  running: Holder | false;
  /** Where it listens; false where nobody does. */
  gateway: string | false;
  turns: Record<TurnState, number>;
  pendingPosts: number;
  sessions: number;
  usageToday: Usage;
  /** The database with what it has not yet folded in. */
  databaseBytes: number;
}

/** Posts are counted up to here; more is a number nobody reads. */
const mostPosts = 10_000;

export function buildStatusCommand(io: CliIo): Command {
  return new Command("status")
    .description("Shows whether a mom is running on a data directory and how it is doing.")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action(async (options: { data?: string; json?: true }) => {
      const clock = createSystemClock();
      const status = await readStatus(await findDataDir(io, options.data), clock);
      if (options.json) printJson(io, status);
      else printLines(io, formatStatus(status, clock.now()));
    });
}

async function readStatus(dataDir: string, clock: Clock): Promise<Status> {
  const search = await findGateway(dataDir);
  const gateway = search.type === "found" ? search.url : (false as const);
  const base = { version, dataDir, running: readHolderNow(dataDir) ?? (false as const), gateway };
  if (!hasStore(dataDir)) return { ...base, ...nothing };
  const store = await openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
  try {
    return { ...base, ...(await readNumbers(store, clock)), databaseBytes: await measureDatabase(dataDir) };
  } finally {
    await store.close();
  }
}

const nothing: Omit<Status, "version" | "dataDir" | "running" | "gateway"> = {
  turns: { received: 0, queued: 0, running: 0, delivering: 0, done: 0, failed: 0, stopped: 0 },
  pendingPosts: 0,
  sessions: 0,
  usageToday: { calls: 0, input: 0, output: 0, cost: 0 },
  databaseBytes: 0,
};

async function readNumbers(store: Store, clock: Clock) {
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const used = (await store.usage.totals("day")).find(({ key }) => key === today);
  const { calls, input, output, cost } = used ?? nothing.usageToday;
  const pending = await store.outbox.list({ states: ["pending", "sending"], limit: mostPosts });
  return {
    turns: await store.turns.counts(),
    pendingPosts: pending.length,
    sessions: (await store.sessions.list()).length,
    usageToday: { calls, input, output, cost },
  };
}

async function measureDatabase(dataDir: string): Promise<number> {
  const { databasePath } = buildLayout(dataDir);
  const sizes = await Promise.all(
    ["", "-wal"].map((suffix) =>
      stat(databasePath + suffix).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function formatStatus(status: Status, nowMs: number): string[] {
  const { turns, usageToday } = status;
  const waiting = turns.received + turns.queued;
  const cutOff = status.running ? "running" : "cut off and to be resumed";
  return [
    `mom ${status.version} on ${status.dataDir}`,
    formatRunning(status.running, nowMs),
    ...(status.gateway === false ? [] : [`gateway: ${status.gateway} (\`mom gateway link\` lets a browser in)`]),
    `turns: ${turns.running} ${cutOff}, ${waiting} waiting, ${turns.delivering} being delivered; ` +
      `${turns.done} done, ${turns.failed} failed, ${turns.stopped} stopped in the last 30 days`,
    `posts to deliver: ${status.pendingPosts}${status.pendingPosts >= mostPosts ? " or more" : ""}`,
    `sessions: ${status.sessions}`,
    `today: ${usageToday.calls} model calls, ${formatCount(usageToday.input)} tokens in, ` +
      `${formatCount(usageToday.output)} out, ${formatCost(usageToday.cost)}`,
    `database: ${formatBytes(status.databaseBytes)}`,
  ];
}

function formatRunning(running: Status["running"], nowMs: number): string {
  if (!running) return "not running";
  const startedAt = Date.parse(running.startedAt);
  if (Number.isNaN(startedAt)) return "running";
  const since = `${formatMoment(startedAt)} (${formatAge(nowMs - startedAt)})`;
  return `running: process ${running.pid} on ${running.host} since ${since}`;
}
