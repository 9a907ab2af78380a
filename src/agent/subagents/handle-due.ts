/**
 * What becomes of a subagent on the durable clock. Waiting: it starts when there is room. Running: it stays due, and ends here
 * when its turn is over; the announce is written in that step too, in case the end of the turn could not take it along, or as soon
 * as its chat can be reached. Reads only.
 */
import type { Errand, Principal } from "../../contracts/errand.ts";
import type { DueHandler, DueItem } from "../../contracts/schedule.ts";
import type { SubagentState } from "../../contracts/subagent.ts";
import type { SubagentsConfig } from "./config.ts";
import { endRun, findEnd, type RunEnd, toAnnounceLetter } from "./end-of-run.ts";
import { subagentRole } from "./role.ts";
import type { RunBook } from "./run-book.ts";
import { letterIdOf, parseData, type SubagentData } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

type Decision = Awaited<ReturnType<DueHandler["decide"]>>;

/** A chat that cannot be reached is asked for again this often. */
const unreachableMs = 60_000;
/** Then what waits for a chat is given up. */
const givenUpMs = 7 * 24 * 3600_000;
const maxUnsaidChars = 20_000;
/** The end of a turn is told at once; this is for one that ended where nobody tells. */
const lookAgainMs = 300_000;

export function createDecide(deps: SubagentDeps, book: RunBook, config: () => SubagentsConfig): DueHandler["decide"] {
  const { ports } = deps;

  const end = async (item: DueItem, data: SubagentData, found: RunEnd, nowMs: number): Promise<Decision> => {
    const { state, findings } = found;
    const run = await endRun(deps, data.run, state, nowMs);
    const letter = await toAnnounceLetter(deps, data, { run, findings });
    const over: SubagentData = { ...data, run };
    const ran = { type: "settle" as const, state: "ran" as const, reason: state };
    if (letter !== "later") return { ...ran, next: { data: over }, letters: letter === "none" ? [] : [letter] };
    // It is over, and takes nobody's place while it waits for its chat.
    const unsaid = findings.slice(0, maxUnsaidChars);
    return { ...ran, next: { dueAt: pickNextTime(item, nowMs + unreachableMs), data: { ...over, unsaid } } };
  };
  const announce = async (data: SubagentData, findings: string, nowMs: number): Promise<Decision> => {
    const { unsaid: _said, ...said } = data;
    const letter = await toAnnounceLetter(deps, data, { run: data.run, findings });
    if (letter !== "later") {
      const letters = letter === "none" ? [] : [letter];
      return { type: "settle", state: "ran", reason: "announced", next: { data: said }, letters };
    }
    if (nowMs - (data.run.endedAt ?? 0) < givenUpMs) return { type: "wait", untilMs: nowMs + unreachableMs };
    return { type: "settle", state: "missed", reason: "its chat cannot be reached", next: { data: said } };
  };
  const hasRoom = async () => {
    const running = (await book.list()).filter(({ run }) => run.state === "running");
    return running.length < config().maxParallel;
  };
  const start = async (item: DueItem, data: SubagentData, nowMs: number): Promise<Decision> => {
    if (data.stop) return end(item, data, { state: "stopped", findings: "It had not begun." }, nowMs);
    if (!(await hasRoom())) return { type: "wait" };
    const { channel, sender } = data.principal;
    if (!ports.isRunning(channel.adapter)) {
      if (nowMs - data.run.createdAt < givenUpMs) return { type: "wait", untilMs: nowMs + unreachableMs };
      return end(
        item,
        data,
        { state: "interrupted", findings: "It never began: its chat could not be reached." },
        nowMs,
      );
    }
    const principal = await ports.principalOf({ channel, sender });
    if (!isSameRight(principal, data.principal)) {
      return end(item, data, { state: "failed", findings: "Whoever asked for it has other rights by now." }, nowMs);
    }
    const { run, outside } = data;
    const letter = ports.toErrandLetter(toErrand(data), {
      messageId: letterIdOf(run.runId),
      text: run.task,
      session: {
        type: "subagent",
        id: run.runId,
        agentId: run.agentId,
        spawnedBy: run.requester,
        ...(run.label !== undefined && { label: run.label }),
      },
      ...(outside !== undefined && { outside }),
    });
    const chat = { adapter: letter.adapter, channelId: letter.message.channelId };
    const state: SubagentState = "running";
    const begun: SubagentData = { ...data, chat, run: { ...run, state, startedAt: nowMs } };
    const next = { dueAt: pickNextTime(item, nowMs), data: begun };
    return { type: "settle", state: "ran", reason: "started", next, letters: [letter] };
  };
  const finish = async (item: DueItem, data: SubagentData, nowMs: number): Promise<Decision> => {
    const found = await findEnd(deps, data);
    return found ? end(item, data, found, nowMs) : { type: "wait", untilMs: nowMs + lookAgainMs };
  };

  return async (item, nowMs) => {
    const data = parseData(item);
    if (!data) return { type: "settle", state: "skipped", reason: "its record cannot be read", next: null };
    if (data.run.state === "waiting") return start(item, data, nowMs);
    if (data.run.state === "running") return finish(item, data, nowMs);
    if (data.unsaid !== undefined) return announce(data, data.unsaid, nowMs);
    return { type: "settle", state: "skipped", reason: "it was over", next: {} };
  };
}

/** Another time than the one before: each ends once. */
const pickNextTime = (item: DueItem, wantedMs: number): number => Math.max(wantedMs, (item.dueAt ?? 0) + 1);

function toErrand({ run, principal, timeoutMs, model, thinking }: SubagentData): Errand {
  return {
    type: "subagent",
    id: run.runId,
    principal,
    role: subagentRole,
    timeoutMs,
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** Rights are those of today, and never other ones than it was asked for with. */
const isSameRight = (now: Principal | undefined, then: Principal): boolean =>
  now !== undefined && now.sessionType === then.sessionType && now.agentId === then.agentId;
