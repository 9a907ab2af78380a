/**
 * The containers that mom starts for herself: one per set of folders and network, kept as long as it is used, a bounded
 * number at a time. Left-overs of a mom that died are removed at first use, all of one's own on close.
 */
import { randomBytes } from "node:crypto";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { DockerEngine, EngineAnswer } from "./docker-engine.ts";
import type { ContainerPlan } from "./docker-mounts.ts";
import { describeOwner, instanceLabel, isOwnerAlive, ownerLabel } from "./docker-owner.ts";
import type { ContainerLease } from "./docker-place.ts";

export interface Containers {
  /** Throws `SANDBOX_BUSY` when too many are in use, and what `toError` makes of a container that does not start. */
  lease(engine: DockerEngine, plan: ContainerPlan): Promise<ContainerLease>;
  close(): Promise<void>;
}

export interface ContainersParts {
  clock: Clock;
  log: Log;
  /** The same after a restart; different for every mom on this machine. */
  instance: string;
  buildRunArguments(
    name: string,
    labels: Record<string, string>,
    plan: ContainerPlan,
    engine: DockerEngine,
  ): readonly string[];
  /** Why could it not be started? */
  toError(answer: EngineAnswer, engine: DockerEngine): Promise<Error>;
}

const maxContainers = 8;
const idleMs = 10 * 60_000;
const startTimeoutMs = 60_000;

interface Entry {
  key: string;
  name: string;
  engine: DockerEngine;
  started: Promise<void>;
  users: number;
  lastUsedAt: number;
  cancelIdle(): void;
}

export function createContainers(parts: ContainersParts): Containers {
  const { clock, log } = parts;
  const entries = new Map<string, Entry>();
  const removals = new Set<Promise<void>>();
  let swept: Promise<void> | undefined;

  const remove = (entry: Entry): Promise<void> => {
    entry.cancelIdle();
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    const removal = removeContainer(entry, log).finally(() => removals.delete(removal));
    removals.add(removal);
    return removal;
  };

  const begin = (engine: DockerEngine, plan: ContainerPlan): Entry => {
    const name = `mom-${randomBytes(8).toString("hex")}`;
    const start = async () => {
      swept ??= removeLeftovers(engine, parts);
      await swept;
      const labels = { [instanceLabel]: parts.instance, [ownerLabel]: await describeOwner(process.pid) };
      const answer = await engine.call(parts.buildRunArguments(name, labels, plan, engine), startTimeoutMs);
      if (answer.exitCode === 0) return log.info("container started", { container: name, engine: engine.title });
      // An engine may have made it before it failed to start it.
      await engine.call(["rm", "--force", name]);
      throw await parts.toError(answer, engine);
    };
    const { key } = plan;
    const entry: Entry = { key, name, engine, started: start(), users: 0, lastUsedAt: 0, cancelIdle: () => {} };
    entry.started.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    entries.set(key, entry);
    return entry;
  };

  const makeRoom = () => {
    if (entries.size < maxContainers) return;
    const idle = [...entries.values()].filter(({ users }) => users === 0);
    const oldest = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0];
    if (oldest === undefined) throw busyError();
    void remove(oldest);
  };

  const release = (entry: Entry) => {
    entry.users--;
    entry.lastUsedAt = clock.monotonic();
    if (entry.users > 0 || entries.get(entry.key) !== entry) return;
    entry.cancelIdle = clock.after(idleMs, () => void remove(entry));
  };

  return {
    async lease(engine, plan) {
      if (!entries.has(plan.key)) makeRoom();
      const entry = entries.get(plan.key) ?? begin(engine, plan);
      entry.cancelIdle();
      entry.users++;
      await entry.started.catch((error: unknown) => {
        release(entry);
        throw error;
      });
      return { name: entry.name, release: () => release(entry), discard: () => remove(entry) };
    },
    async close() {
      const all = [...entries.values()];
      await Promise.allSettled(all.map(({ started }) => started));
      await Promise.all([...all.map(remove), ...removals]);
    },
  };
}

async function removeContainer({ engine, name }: Entry, log: Log): Promise<void> {
  const { exitCode, stderr } = await engine.call(["rm", "--force", name]);
  if (exitCode === 0) log.info("container removed", { container: name });
  else log.warn("container could not be removed", { container: name, reason: stderr });
}

/** Containers of this instance whose mom is gone. */
async function removeLeftovers(engine: DockerEngine, { instance, log }: ContainersParts): Promise<void> {
  const listed = await engine.call(["ps", "--all", "--quiet", "--filter", `label=${instanceLabel}=${instance}`]);
  for (const id of listed.stdout.split("\n").filter((line) => /^[0-9a-f]+$/.test(line))) {
    const format = `{{index .Config.Labels "${ownerLabel}"}}`;
    const { exitCode, stdout } = await engine.call(["inspect", "--type", "container", "--format", format, id]);
    if (exitCode !== 0 || (await isOwnerAlive(stdout.trim()))) continue;
    await engine.call(["rm", "--force", id]);
    log.info("container of an earlier run removed", { container: id });
  }
}

function busyError(): ToolError {
  return new ToolError("SANDBOX_BUSY", `${maxContainers} containers are in use, and no more may run at a time`, {
    hint: "Wait until something that runs has ended, or end it.",
    retryable: true,
  });
}
