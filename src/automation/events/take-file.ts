/**
 * What is done with an event file that was seen: it is put on the clock, put there anew where it has changed, left alone, or
 * (its end is written) taken away. Called for one file at a time by `create-event-files`.
 */
import { errorText, MomError } from "../../base/errors.ts";
import type { OpenFolder } from "../../base/open-folder.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { DueClock, DueItem, Scheduler } from "../../contracts/schedule.ts";
import { checkSchedule, nextTimeOf } from "../recurrence/index.ts";
import { notAllowed, toSchedule } from "./decide-event.ts";
import { type FoundFile, failEventFile, removeEventFile } from "./event-folder.ts";
import { type EventData, type EventRoot, toEventData, toItemId } from "./event-item.ts";
import { type FileEvent, type ParsedEvent, parseEvent } from "./parse-event.ts";

export interface TakeDeps {
  due: DueClock;
  scheduler: Pick<Scheduler, "wake">;
  clock: Clock;
  log: Log;
  /** Names of the adapters in the config. */
  adapters(): readonly string[];
  /** True: the adapter runs and knows for sure that it has no such chat. */
  isUnknownChat(channel: ChannelRef): boolean;
  /** The folder is to be looked at again. */
  lookAgain(label: string, delayMs?: number): void;
}

interface Doubt {
  stamp: string;
  since: number;
  first: number;
}

/** What is remembered of a folder between two looks. */
export interface RootState {
  /** Files whose state is on the clock, by name. */
  stamps: Map<string, string>;
  /** Files that are no JSON yet, by name. */
  doubts: Map<string, Doubt>;
  /** Ended files that could not be taken away, which has been said. */
  stuck: Set<string>;
  /** Files beyond the limit. */
  left: number;
  problem?: string;
}

/** A file with what is known of it. */
export interface Sighting {
  root: EventRoot;
  folder: OpenFolder;
  state: RootState;
  file: string;
  found: FoundFile;
  item: DueItem | undefined;
}

/** A file that is no JSON is read again for so long; one that keeps changing, for the longer time. */
const unfinishedMs = 2_000;
const unfinishedAtMostMs = 60_000;
const readAgainMs = 500;

export async function takeFile(deps: TakeDeps, sighting: Sighting): Promise<void> {
  const { found, item, state, file } = sighting;
  const data = toEventData(item?.data);
  if (data?.hash === found.hash) {
    state.doubts.delete(file);
    if (data.done) await takeAway(deps, sighting, data);
    else state.stamps.set(file, found.stamp);
    return;
  }
  const parsed: ParsedEvent = found.type === "fault" ? found : parseEvent(found.bytes);
  if (parsed.type === "unfinished" && isStillUnfinished(deps, sighting)) return;
  state.doubts.delete(file);
  if (parsed.type === "event") await putEvent(deps, sighting, parsed.event);
  else await putFault(deps, sighting, parsed.reason);
}

function isStillUnfinished({ clock, lookAgain }: TakeDeps, { root, state, file, found }: Sighting): boolean {
  const now = clock.monotonic();
  const before = state.doubts.get(file);
  const { stamp } = found;
  const doubt = before?.stamp === stamp ? before : { stamp, since: now, first: before?.first ?? now };
  state.doubts.set(file, doubt);
  if (now - doubt.since >= unfinishedMs || now - doubt.first >= unfinishedAtMostMs) return false;
  lookAgain(root.label, readAgainMs);
  return true;
}

async function putEvent(deps: TakeDeps, sighting: Sighting, event: FileEvent): Promise<void> {
  const now = deps.clock.now();
  const fault = findFault(deps, sighting.root, event, now);
  if (fault !== undefined) return putFault(deps, sighting, fault);
  if (event.type === "periodic") {
    const first = nextTimeOf(toSchedule(event), now, now);
    if (first !== undefined) return put(deps, sighting, { event }, first);
    return putFault(deps, sighting, `The schedule ${event.schedule} never comes. Look at day and month.`);
  }
  // What came while mom was down has been due since then.
  const wanted = event.type === "one-shot" ? event.atMs : Math.min(now, Math.floor(sighting.found.changedAtMs));
  return put(deps, sighting, { event }, await findFreeTime(deps, sighting, wanted));
}

/** On the clock too: its end is a row of the ledger and a word to whoever wrote it, in one step; then the file is moved. */
async function putFault(deps: TakeDeps, sighting: Sighting, fault: string): Promise<void> {
  const { root, file } = sighting;
  deps.log.warn("An event file cannot be used", { folder: root.label, file, reason: fault });
  await put(deps, sighting, { fault }, await findFreeTime(deps, sighting, deps.clock.now()));
}

async function put(
  { due, scheduler }: TakeDeps,
  { root, state, file, found }: Sighting,
  data: Omit<EventData, "hash">,
  dueAt: number,
): Promise<void> {
  const id = toItemId(root.label, file);
  await due.put({ source: "event", id, dueAt, data: { hash: found.hash, ...data } satisfies EventData });
  state.stamps.set(file, found.stamp);
  scheduler.wake();
}

/** The ledger has each time of an item once: a file that is written anew needs one that was not yet. */
async function findFreeTime({ due }: TakeDeps, { root, file }: Sighting, wantedMs: number): Promise<number> {
  const rows = await due.ledger({ source: "event", id: toItemId(root.label, file), limit: 1000 });
  const taken = new Set(rows.map(({ dueAt }) => dueAt));
  let at = wantedMs;
  while (taken.has(at)) at++;
  return at;
}

/** Its end is on disk: now the file may go, and after it the mark that says so. */
async function takeAway({ due, log, lookAgain }: TakeDeps, sighting: Sighting, { fault }: EventData): Promise<void> {
  const { root, folder, state, file, found } = sighting;
  const { stamp } = found;
  const onAside = (path: string, aside: string) => log.warn("Something was in the way of failed/", { path, aside });
  try {
    const isGone =
      fault === undefined
        ? removeEventFile(folder, file, stamp)
        : await failEventFile(root, file, { stamp, reason: fault, onAside });
    if (!isGone) return lookAgain(root.label);
  } catch (error) {
    if (!state.stuck.has(file)) log.error("An event file that is over cannot be taken away", { file, error });
    state.stuck.add(file);
    return;
  }
  forgetFile(state, file);
  await due.remove("event", toItemId(root.label, file));
}

export function forgetFile(state: RootState, file: string): void {
  state.stamps.delete(file);
  state.doubts.delete(file);
  state.stuck.delete(file);
}

/** What is wrong with an event that is well written. */
function findFault(
  { adapters, isUnknownChat }: TakeDeps,
  root: EventRoot,
  event: FileEvent,
  nowMs: number,
): string | undefined {
  const { adapter, channelId } = event.channel;
  if (!root.mayUse(event.channel)) return notAllowed(event.channel);
  if (!adapters().includes(adapter)) {
    return `There is no adapter ${adapter}. The config has: ${adapters().join(", ") || "none"}.`;
  }
  if (isUnknownChat(event.channel)) return `${adapter} has no chat ${channelId}. Use the chat's id, not its name.`;
  return event.type === "periodic" ? findScheduleFault(event, nowMs) : undefined;
}

function findScheduleFault(event: Extract<FileEvent, { type: "periodic" }>, nowMs: number): string | undefined {
  try {
    checkSchedule(toSchedule(event), nowMs);
    return undefined;
  } catch (error) {
    return [errorText(error), error instanceof MomError ? error.hint : undefined].filter(Boolean).join(" ");
  }
}
