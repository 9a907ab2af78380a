/** What an agent remembers, as its owner reads it: search, open, and keep the index up to date. */
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { MemoryReader } from "../../contracts/memory.ts";
import { toMemoryHit, toMemoryStatus } from "./automation-summary.ts";
import { ensureAgent } from "./find-session.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid } from "./refusals.ts";

type Names = "memory.search" | "memory.get" | "memory.status" | "memory.index";
type HouseMemory = NonNullable<GatewayHouse["memory"]>;

/** What is indexed sooner is answered as done. */
const waitMs = 1000;

export function buildMemoryMethods(deps: MethodDeps): Partial<Group<Names>> {
  const { memory } = deps.house;
  return memory ? { ...buildReading(deps, memory), ...buildIndexing(deps, memory) } : {};
}

function buildReading(
  { house }: MethodDeps,
  memory: HouseMemory,
): Group<"memory.search" | "memory.get" | "memory.status"> {
  const readAs = async (agentId: string | undefined): Promise<MemoryReader> => ({
    agentId: (await ensureAgent(house, agentId)).id,
    type: "owner",
  });
  return {
    async "memory.search"({ query, agentId, ...wishes }, { signal }) {
      const { hits, mode, note } = await memory.search({ text: query, ...wishes }, await readAs(agentId), signal);
      return { hits: hits.map(toMemoryHit), mode, ...(note !== undefined && { note }) };
    },
    async "memory.get"({ path, agentId, from = 1, to }) {
      if (to !== undefined && to < from) throw invalid(`memory.get: line ${to} comes before line ${from}`);
      const lines = { from, ...(to !== undefined && { to }) };
      const { path: found, fromLine, toLine, totalLines, text } = await memory.get(path, lines, await readAs(agentId));
      return { path: found, fromLine, toLine, totalLines, text };
    },
    async "memory.status"({ agentId }) {
      return toMemoryStatus(await memory.status((await ensureAgent(house, agentId)).id));
    },
  };
}

function buildIndexing({ house, clock, log }: MethodDeps, memory: HouseMemory): Group<"memory.index"> {
  /** One at a time for each agent: whoever asks meanwhile waits for the same. */
  const running = new Map<string, Promise<void>>();
  const start = (agentId: string, force: boolean): Promise<void> => {
    const run = memory
      .index(agentId, { force })
      .then(() => undefined)
      .finally(() => running.delete(agentId));
    // Whoever asked may have gone by then.
    run.catch((error: unknown) => log.warn("The memory could not be indexed", { agentId, error }));
    running.set(agentId, run);
    return run;
  };
  return {
    async "memory.index"({ agentId, force = false }) {
      const { id } = await ensureAgent(house, agentId);
      const run = running.get(id) ?? start(id, force);
      let endWait = () => {};
      const soon = new Promise<false>((resolve) => {
        endWait = clock.after(waitMs, () => resolve(false));
      });
      const isDone = await Promise.race([run.then(() => true), soon]).finally(() => endWait());
      return { isDone, status: toMemoryStatus(await memory.status(id)) };
    },
  };
}
