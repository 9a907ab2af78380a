/**
 * What becomes of an event file whose time has come: a letter in the chat that it names, in the name of who stands behind its
 * folder; or why not. Only reads: the scheduler writes the end, and the file goes after that (`create-event-files`).
 */
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { DueHandler, DueItem } from "../../contracts/schedule.ts";
import type { Letter } from "../../contracts/store.ts";
import { findLatestTime, listMissed } from "../cron/late-times.ts";
import { nextTimeOf } from "../recurrence/index.ts";
import { type EventData, type EventRoot, formatEvent, toPlainName } from "./event-item.ts";
import type { FileEvent } from "./parse-event.ts";

export type Decision = Awaited<ReturnType<DueHandler["decide"]>>;
type Periodic = Extract<FileEvent, { type: "periodic" }>;

interface DecideDeps {
  ports: Pick<ErrandPorts, "toChatLetter" | "ownerOf">;
  maxLatenessMs: number;
}

export interface DueEvent {
  item: DueItem;
  dueAt: number;
  data: EventData;
  root: EventRoot;
  file: string;
}

/** Looked for again so soon where a chat's adapter does not run; it is woken too when one comes up. */
const againMs = 60_000;

export async function decideEvent(deps: DecideDeps, due: DueEvent, nowMs: number): Promise<Decision> {
  const { event, fault } = due.data;
  if (fault !== undefined || !event) return fail(deps, due, "skipped", fault ?? "It is no event.");
  const behind = event.type === "periodic" ? catchUp(due, event, nowMs) : undefined;
  if (behind) return behind;
  const lateMs = nowMs - due.dueAt;
  if (lateMs > deps.maxLatenessMs) return miss(deps, due, event, nowMs);
  if (!due.root.mayUse(event.channel)) return refuse(deps, due, event, nowMs, notAllowed(event.channel));
  const sender = await due.root.askerOf(event.channel);
  if (!sender) return refuse(deps, due, event, nowMs, nobody(event.channel, due.root));
  const letter = await deps.ports.toChatLetter(
    { channel: event.channel, sender },
    { id: messageIdOf(due), text: formatEvent(due.file, event), outside: outsideOf(due.file) },
  );
  if (!letter) return { type: "wait", untilMs: nowMs + againMs };
  if (letter.verdict.type === "refused") {
    const reason = `The chat does not take it: ${letter.verdict.reason}.`;
    return refuse(deps, due, event, nowMs, reason);
  }
  const reason = lateMs > againMs ? `${Math.round(lateMs / 1000)} s late` : undefined;
  return {
    type: "settle",
    state: "ran",
    ...(reason !== undefined && { reason }),
    next: event.type === "periodic" ? goOn(due, event, nowMs) : { data: { ...due.data, done: true } },
    letters: [letter],
  };
}

/** Of the times that passed unserved only the latest is made up for; the others are missed. Undefined: it is the latest. */
function catchUp({ dueAt, item }: DueEvent, event: Periodic, nowMs: number): Decision | undefined {
  const timed = { schedule: toSchedule(event), createdAtMs: item.createdAt };
  const latest = findLatestTime(timed, dueAt, nowMs);
  if (latest === dueAt) return undefined;
  const reason = "mom did not run; only the latest time is made up for";
  const missed = listMissed(timed, dueAt, latest, reason);
  return { type: "settle", state: "missed", reason, missed, next: { dueAt: latest } };
}

const hourMs = 3600_000;

function goOn({ data, dueAt, item }: DueEvent, event: Periodic, nowMs: number): { dueAt?: number; data?: unknown } {
  const next = nextTimeOf(toSchedule(event), Math.max(nowMs, dueAt), item.createdAt);
  if (next !== undefined) return { dueAt: next };
  return { data: { ...data, done: true, fault: "Its schedule has no time any more." } };
}

async function miss(deps: DecideDeps, due: DueEvent, event: FileEvent, nowMs: number): Promise<Decision> {
  const was = new Date(due.dueAt).toISOString();
  const hours = Math.round((nowMs - due.dueAt) / hourMs);
  const reason = `It was due at ${was}, ${hours} hours ago, so it was not run (events.maxLatenessMinutes). Write it anew with another time if it is still wanted.`;
  if (event.type !== "periodic") return fail(deps, due, "missed", reason, event.channel);
  return { type: "settle", state: "missed", reason, next: goOn(due, event, nowMs) };
}

/** A schedule goes on: rights may come back. */
async function refuse(
  deps: DecideDeps,
  due: DueEvent,
  event: FileEvent,
  nowMs: number,
  reason: string,
): Promise<Decision> {
  if (event.type !== "periodic") return fail(deps, due, "skipped", reason);
  return { type: "settle", state: "skipped", reason, next: goOn(due, event, nowMs) };
}

/** The file is to go to `failed/`, and somebody is told. */
async function fail(
  deps: DecideDeps,
  due: DueEvent,
  state: "skipped" | "missed",
  fault: string,
  chat?: ChannelRef,
): Promise<Decision> {
  const letter = await toNotice(deps, due, fault, chat ?? due.root.home);
  const next = { data: { ...due.data, fault, done: true } };
  return { type: "settle", state, reason: fault, next, ...(letter && { letters: [letter] }) };
}

/** Read with whatever is said there next. Undefined: there is nobody to be told now; the log and `failed/` have it. */
async function toNotice(
  { ports }: DecideDeps,
  due: DueEvent,
  fault: string,
  chat: ChannelRef | undefined,
): Promise<Letter | undefined> {
  const message = {
    id: `${messageIdOf(due)}:failed`,
    text: `[EVENT:${toPlainName(due.file)}:failed] ${fault} The file was moved to failed/.`,
    outside: outsideOf(due.file),
    isHeard: true as const,
  };
  const say = async (place: Parameters<ErrandPorts["toChatLetter"]>[0]) => {
    const letter = await ports.toChatLetter(place, message);
    return letter?.verdict.type === "heard" ? letter : undefined;
  };
  const sender = chat && (await due.root.askerOf(chat));
  const inChat = chat && sender && (await say({ channel: chat, sender }));
  // What belongs to a chat is not told elsewhere.
  if (inChat || due.root.home) return inChat;
  const owner = await ports.ownerOf(due.root.agentId);
  return owner && say(owner);
}

export const toSchedule = ({ schedule, timezone }: Periodic) =>
  ({ kind: "cron", expr: schedule, tz: timezone }) as const;
export const notAllowed = (channel: ChannelRef) =>
  `Files here may not speak in ${nameOf(channel)}. Name the chat that this folder belongs to, or ask the owner to write it into workspace/events.`;
const nobody = (channel: ChannelRef, { home }: EventRoot) =>
  `There is nobody in whose name mom could speak in ${nameOf(channel)}. ${
    home
      ? "A chat's own files do not run in an admin's name where others talk too: ask the owner to write it into workspace/events."
      : "Name an admin of that adapter in the config."
  }`;
const nameOf = ({ adapter, channelId }: ChannelRef) => `${adapter}/${channelId}`;
const messageIdOf = ({ item, dueAt }: DueEvent) => `event:${item.id}:${dueAt}`;
const outsideOf = (file: string) => `event file ${toPlainName(file)}`;
