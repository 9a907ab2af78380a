/**
 * Event files (spec 6.1): `*.json` in the folders of events become items on the durable clock. The file is the order, the item
 * says how far it has come: put there when the file is seen, marked done in the step that writes its letter, and removed after
 * the file. So a crash anywhere in between loses nothing and runs nothing twice.
 */
import { join } from "node:path";
import { errorText } from "../../base/errors.ts";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { OpenFolder } from "../../base/open-folder.ts";
import { useFolder } from "../../base/open-within.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { DueHandler, DueItem } from "../../contracts/schedule.ts";
import { nextTimeOf } from "../recurrence/index.ts";
import type { EventsConfig } from "./config.ts";
import { type Decision, type DueEvent, decideEvent, toSchedule } from "./decide-event.ts";
import { listEventNames, openEvents, readEventFile, stampOf } from "./event-folder.ts";
import { type EventRoot, fromItemId, toEventData, toItemId } from "./event-item.ts";
import { forgetFile, type RootState, type TakeDeps, takeFile } from "./take-file.ts";
import { createFolderWatches, type WatchPath } from "./watch-folders.ts";

export interface EventFiles {
  /** Looks at every folder and begins to watch them. Before the scheduler starts: what was deleted meanwhile does not run. */
  start(): Promise<void>;
  /** Nothing is touched after it resolves. */
  stop(): Promise<void>;
  /** Looks now: at one folder, or at all. */
  look(label?: string): Promise<void>;
  readonly handler: DueHandler;
  status(): EventFilesStatus;
}

export interface EventFilesStatus {
  roots: { label: string; files: number /** Beyond the limit, so not looked at. */; left: number; problem?: string }[];
}

export interface EventFilesDeps extends Omit<TakeDeps, "lookAgain"> {
  ports: Pick<ErrandPorts, "toChatLetter" | "ownerOf">;
  /** Asked at every look. */
  roots(): EventRoot[];
  /** Absent: the system's. */
  watch?: WatchPath;
}

/** By name. */
type Items = Map<string, DueItem>;

/** Of one folder. */
const mostFiles = 1000;
const quietMs = 100;
const lookEveryMs = 60_000;
/** Rounds. */
const wholeEvery = 10;
const changedAgainMs = 2_000;

export function createEventFiles(deps: EventFilesDeps, config: () => EventsConfig): EventFiles {
  const { due, clock, log, roots } = deps;
  const queue = createKeyedQueue();
  const states = new Map<string, RootState>();
  const timers = new Map<string, () => void>();
  let isRunning = false;

  /** A look at the folder soon; one that is due already will do. */
  const kick = (label: string, delayMs = quietMs) => {
    if (!isRunning || timers.has(label)) return;
    const run = () => {
      timers.delete(label);
      look(label).catch((error: unknown) => log.error("Event files cannot be looked at", { label, error }));
    };
    timers.set(label, clock.after(delayMs, run));
  };
  const watches = createFolderWatches({ log, watch: deps.watch }, (label) => kick(label));
  const takeDeps: TakeDeps = { ...deps, lookAgain: kick };

  const forget = async (root: EventRoot, state: RootState, file: string) => {
    forgetFile(state, file);
    await due.remove("event", toItemId(root.label, file));
  };
  const lookAtFolder = async (root: EventRoot, folder: OpenFolder, items: Items, state: RootState) => {
    const { names, isWhole } = await listEventNames(folder);
    const { picked, left } = pickNames(names, items);
    if (left > 0 && left !== state.left) {
      log.warn("A folder has too many event files; the others wait", { folder: root.label, left, limit: mostFiles });
    }
    state.left = left;
    for (const file of picked) {
      const item = items.get(file);
      const isSame = item?.dueAt !== undefined && state.stamps.get(file) === (await stampOf(folder, file));
      const found = isSame ? undefined : await readEventFile(folder, file);
      if (found) await takeFile(takeDeps, { root, folder, state, file, found, item });
    }
    const listed = new Set(names);
    for (const file of new Set([...items.keys(), ...state.doubts.keys()])) {
      if (!listed.has(file) && (isWhole || (await stampOf(folder, file)) === undefined)) {
        await forget(root, state, file);
      }
    }
  };
  const lookAtRoot = async (root: EventRoot, items: Items) => {
    const state: RootState = states.get(root.label) ?? {
      stamps: new Map(),
      doubts: new Map(),
      stuck: new Set(),
      left: 0,
    };
    states.set(root.label, state);
    try {
      // Before the look, so that what happens during it is told.
      const isThere = !isRunning || (await watches.follow(root.label, join(root.workspaceDir, root.folder)));
      const folder = isThere ? await openEvents(root) : undefined;
      if (folder) await useFolder(folder, () => lookAtFolder(root, folder, items, state));
      else for (const file of items.keys()) await forget(root, state, file);
      delete state.problem;
    } catch (error) {
      if (state.problem === undefined) log.error("A folder of events cannot be read", { folder: root.label, error });
      state.problem = errorText(error);
    }
  };
  const lookAt = (isMeant: (label: string) => boolean, isRound: boolean) =>
    queue.run("look", async () => {
      if (!config().enabled) return;
      const all = roots();
      const items = groupByLabel(await due.list("event"));
      for (const root of all) {
        if (isMeant(root.label)) await lookAtRoot(root, items.get(root.label) ?? new Map());
      }
      if (isRound) await forgetOthers(all, items);
    });
  const look = (label?: string) => lookAt((each) => label === undefined || each === label, label === undefined);
  /** Of folders that are no more. A mark that a file's end is written stays: the folder may come back. */
  const forgetOthers = async (all: readonly EventRoot[], items: Map<string, Items>) => {
    const labels = new Set(all.map(({ label }) => label));
    watches.keepOnly(labels);
    for (const label of states.keys()) if (!labels.has(label)) states.delete(label);
    for (const [label, files] of items) {
      if (labels.has(label)) continue;
      for (const { id, data } of files.values()) if (!toEventData(data)?.done) await due.remove("event", id);
    }
  };
  /** Most chats have no folder, and its making is told: those are looked at in some of the rounds only. */
  const lookNowAndThen = (round = 1) => {
    if (!isRunning) return;
    const run = () => {
      lookAt((label) => round % wholeEvery === 0 || !watches.isAwaited(label), true)
        .catch((error: unknown) => log.error("Event files cannot be looked at", { error }))
        .finally(() => lookNowAndThen(round + 1));
    };
    timers.set("", clock.after(lookEveryMs, run));
  };
  return {
    handler: createHandler(deps, config, kick),
    look,
    async start() {
      if (isRunning) return;
      isRunning = true;
      try {
        await look();
      } catch (error) {
        // So that the next start looks again.
        isRunning = false;
        throw error;
      }
      lookNowAndThen();
    },
    async stop() {
      isRunning = false;
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await queue.run("look", async () => watches.close());
    },
    status: () => ({
      roots: [...states].map(([label, { stamps, left, problem }]) => ({
        label,
        files: stamps.size,
        left,
        ...(problem !== undefined && { problem }),
      })),
    }),
  };
}

function createHandler(
  { due, ports, roots, log }: EventFilesDeps,
  config: () => EventsConfig,
  kick: (label: string) => void,
): DueHandler {
  const decide = async (item: DueItem, nowMs: number): Promise<Decision> => {
    const { label, file } = fromItemId(item.id);
    const data = toEventData(item.data);
    if (!data) return { type: "settle", state: "skipped", reason: "What is kept of it cannot be read", next: null };
    const root = roots().find((each) => each.label === label);
    if (!root || !config().enabled || item.dueAt === undefined) return { type: "wait", untilMs: nowMs + lookEveryMs };
    // The file has the last word: it may have gone or changed, and nobody has looked yet.
    const hash = await hashOf(root, file);
    if (hash === undefined) return { type: "settle", state: "skipped", reason: "Its file was deleted", next: null };
    if (hash !== data.hash) {
      kick(label);
      return { type: "wait", untilMs: nowMs + changedAgainMs };
    }
    const dueEvent: DueEvent = { item, dueAt: item.dueAt, data, root, file };
    return decideEvent({ ports, maxLatenessMs: config().maxLatenessMinutes * 60_000 }, dueEvent, nowMs);
  };
  return {
    decide,
    settled: ({ id }) => kick(fromItemId(id).label),
    async clockTurnedBack(nowMs) {
      for (const { id } of await due.list("event")) {
        await due
          .change("event", id, (item) => reckonAnew(item, nowMs))
          .catch((error: unknown) => log.error("When an event file is due could not be reckoned anew", { id, error }));
      }
    },
  };
}

/** Undefined: there is no file. */
async function hashOf(root: EventRoot, file: string): Promise<string | undefined> {
  const folder = await openEvents(root);
  return folder && useFolder(folder, async () => (await readEventFile(folder, file))?.hash);
}

function reckonAnew(item: DueItem, nowMs: number): { data: unknown; dueAt?: number } | undefined {
  const { event, done } = toEventData(item.data) ?? {};
  // What is due by the new time too comes as it would have.
  if (done || event?.type !== "periodic" || item.dueAt === undefined || item.dueAt <= nowMs) return undefined;
  const dueAt = nextTimeOf(toSchedule(event), nowMs, item.createdAt);
  return dueAt === undefined || dueAt === item.dueAt ? undefined : { data: item.data, dueAt };
}

/** Those that are known keep their place; of the others the first by name. */
function pickNames(names: readonly string[], items: Items): { picked: string[]; left: number } {
  const known = names.filter((name) => items.has(name));
  const fresh = names.filter((name) => !items.has(name));
  const picked = [...known, ...fresh.slice(0, Math.max(0, mostFiles - known.length))];
  return { picked, left: names.length - picked.length };
}

function groupByLabel(items: readonly DueItem[]): Map<string, Items> {
  const byLabel = new Map<string, Items>();
  for (const item of items) {
    const { label, file } = fromItemId(item.id);
    const files = byLabel.get(label) ?? new Map<string, DueItem>();
    byLabel.set(label, files.set(file, item));
  }
  return byLabel;
}
