/**
 * Subagents (spec 3.8): a task becomes an item of the durable clock, the clock starts it when there is room, and its end is a
 * letter to whoever asked. Made by the composition root; tools and commands use it as a door.
 */
import { errorText } from "../../base/errors.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { ErrandHandler } from "../../contracts/errand-ports.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { DueHandler, DueItem } from "../../contracts/schedule.ts";
import type { SessionDoor } from "../../contracts/session-door.ts";
import type { SubagentRun, Subagents } from "../../contracts/subagent.ts";
import type { SubagentsConfig } from "./config.ts";
import { createSessionDoor } from "./create-session-door.ts";
import { describeEnd, endRun, toAnnounceLetter } from "./end-of-run.ts";
import { createDecide } from "./handle-due.ts";
import { readSpoken } from "./read-spoken.ts";
import { createRelay } from "./relay.ts";
import { createRunBook } from "./run-book.ts";
import { createSpawn } from "./spawn.ts";
import { isOpen, parseData, source } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";
import { createTidy } from "./tidy.ts";

export interface SubagentRoom extends Subagents {
  /** For the source `subagent` of the clock. */
  handler: DueHandler;
  /** For errands of the type `subagent`. */
  errands: ErrandHandler;
  /** For errands of the type `relay`. */
  relay: ErrandHandler;
  /** What the tools of the group `sessions` go through. */
  door: SessionDoor;
  /** Makes good what a crash left undone. Before the clock is started. */
  start(): Promise<void>;
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
}

const mostListed = 100;

export function createSubagents(deps: SubagentDeps, config: () => SubagentsConfig): SubagentRoom {
  const { due, scheduler, clock, onLetters } = deps;
  const log = deps.log.with({ room: "subagents" });
  const book = createRunBook(deps);
  const queue = createKeyedQueue();
  const decide = createDecide(deps, book, config);
  const tidy = createTidy(deps, book);
  const runTidy = () =>
    queue.run("tidy", tidy).catch((error: unknown) => {
      log.warn("Old subagents could not be put away; it is tried again later", { error: errorText(error) });
    });
  const onSettled = () => {
    onLetters();
    scheduler.wake();
    void runTidy();
  };
  /** What the clock would do with the item now, without waiting for it. Two who do it at once change nothing. */
  const settleNow = async (runId: string) => {
    const item = await due.get(source, runId);
    if (item?.dueAt === undefined) return;
    const decision = await decide(item, clock.now());
    if (decision.type === "settle" && (await due.settle(item, decision))) onSettled();
  };
  const stop = async (runId: string, by?: TurnId): Promise<boolean> => {
    const asked = await book.change(runId, (data) =>
      isOpen(data.run.state) && !data.stop ? { ...data, stop: by === undefined ? {} : { by } } : undefined,
    );
    const data = asked ?? (await book.get(runId));
    if (!data || !isOpen(data.run.state)) return false;
    if (data.run.state === "running") await deps.stopSession(data.run.sessionKey);
    await settleNow(runId);
    return true;
  };
  const list = async (requester?: SubagentRun["requester"]) => {
    const all = await book.list(requester);
    return all.slice(0, mostListed).map(({ run }) => run);
  };

  return {
    spawn: createSpawn({ ...deps, queue }, book, config),
    list,
    get: async (runId) => (await book.get(runId))?.run,
    stop: (runId) => stop(runId),
    async stopAllOf(requester, by) {
      let stopped = 0;
      for (const { run } of await book.list(requester)) {
        if (isOpen(run.state) && (await stop(run.runId, by))) stopped++;
      }
      if (by === undefined) return stopped;
      return (await book.list(requester)).filter((data) => data.stop?.by === by).length;
    },
    async log(runId, limit) {
      const run = (await book.get(runId))?.run;
      const session = run && (await deps.sessions.get(run.sessionKey));
      return session && readSpoken(deps.transcripts, session.sessionKey, limit);
    },
    handler: {
      decide,
      settled: onSettled,
      async clockTurnedBack(nowMs) {
        for (const item of await due.list(source)) if ((item.dueAt ?? 0) > nowMs) await bringForward(item, nowMs);
      },
    },
    errands: {
      async end(errand, _turn, result) {
        const data = await book.get(errand.id);
        // Somebody has put it away: nobody waits for it.
        if (!data) return { deliveries: [], letters: [] };
        const { state, findings } = await describeEnd(deps, data, result);
        const run = await endRun(deps, data.run, state, clock.now());
        const letter = await toAnnounceLetter(deps, data, { run, findings });
        return { deliveries: [], letters: typeof letter === "string" ? [] : [letter] };
      },
      async ended(errand) {
        // The clock has it too, should this fail.
        await settleNow(errand.id).catch((error: unknown) =>
          log.warn("The end of a subagent is written later", { run: errand.id, error: errorText(error) }),
        );
        scheduler.wake();
      },
    },
    relay: createRelay(deps),
    door: createSessionDoor(deps, book, config),
    async start() {
      const running = (await book.list()).filter(({ run }) => run.state === "running");
      for (const { run, stop: asked } of running) {
        if (!asked) continue;
        await deps.stopSession(run.sessionKey).catch((error: unknown) => {
          log.warn("A subagent that was to stop could not be stopped", { run: run.runId, error: errorText(error) });
        });
      }
      await runTidy();
    },
    idle: queue.idle,
  };

  async function bringForward({ id }: DueItem, nowMs: number): Promise<void> {
    await due.change(source, id, (item) =>
      parseData(item) && (item.dueAt ?? 0) > nowMs ? { data: item.data, dueAt: nowMs } : undefined,
    );
  }
}
