/** What becomes of a beat that is due (spec 6.3): skipped, with the first reason that holds, or sent on its way. Only reads. */
import type { Principal } from "../../contracts/errand.ts";
import type { HeartbeatSkip } from "../../contracts/heartbeat.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";
import type { LogLine } from "../../contracts/message.ts";
import type { DueItem, OccurrenceEnd } from "../../contracts/schedule.ts";
import type { TurnState } from "../../contracts/turn.ts";
import { createOpenTimes, type OpenTimes } from "./active-hours.ts";
import { type BeatData, parseBeatData } from "./beat-records.ts";
import { buildBeatErrand, buildBeatText, pickUnread } from "./build-beat.ts";
import { cleanHeartbeat, isEmptyHeartbeat } from "./clean-heartbeat.ts";
import { findAgent, type HeartbeatAgent, type HeartbeatDeps } from "./heartbeat-deps.ts";

/** The session that beats run in, one per agent. */
export const beatSessionId = "heartbeat";

const openStates: TurnState[] = ["received", "queued", "running"];
/** Failures in a row from the second on double the time to the next beat, so often at most. */
const mostDoublings = 4;
const mostUnreadLines = 50;

export async function decideBeat(deps: HeartbeatDeps, item: DueItem, nowMs: number): Promise<OccurrenceEnd> {
  const agent = findAgent(deps, item.id);
  if (!agent) return { state: "skipped", reason: "disabled", next: null };
  const times = openTimesOf(deps, agent);
  const found = await look(deps, agent, times, nowMs);
  const dueAt = nextBeatAt(agent, times, nowMs, item);
  if (found.type === "run") return run(deps, agent, found, item, dueAt);
  const { reason } = found;
  if (reason === "disabled") return skip(item, reason, undefined);
  return skip(item, reason, reason === "quiet-hours" ? times.nextOpen(nowMs) : dueAt);
}

export const openTimesOf = ({ timeZones }: Pick<HeartbeatDeps, "timeZones">, { id, config }: HeartbeatAgent) =>
  createOpenTimes(config.activeHours, timeZones(id));

/** The next one on the grid that `item` stands on (absent: one that begins now), moved to where the day is open. */
export function nextBeatAt({ config }: HeartbeatAgent, times: OpenTimes, nowMs: number, item?: DueItem): number {
  const failures = item ? (parseBeatData(item).failures ?? 0) : 0;
  const stepMs = config.everyMs * 2 ** Math.min(mostDoublings, Math.max(0, failures - 1));
  const from = item?.dueAt === undefined || item.dueAt > nowMs ? nowMs : item.dueAt;
  return times.nextOpen(from + stepMs * (Math.floor((nowMs - from) / stepMs) + 1));
}

type Look = { type: "skip"; reason: HeartbeatSkip } | { type: "run"; principal: Principal; file: string };

/** In the order of the spec; what is cheap and says most comes first. */
async function look(deps: HeartbeatDeps, agent: HeartbeatAgent, times: OpenTimes, nowMs: number): Promise<Look> {
  const { id, config } = agent;
  const skipped = (reason: HeartbeatSkip): Look => ({ type: "skip", reason });
  if (config.enabled === false) return skipped("disabled");
  if (!times.isOpen(nowMs)) return skipped("quiet-hours");
  if (await isBusy(deps, agent)) return skipped("requests-in-flight");
  const file = (await agent.readFile()) ?? "";
  if (isEmptyHeartbeat(file)) return skipped("empty-heartbeat-file");
  if (await deps.isOverBudget(id)) return skipped("over-budget");
  const principal = await findPrincipal(deps, agent);
  return principal ? { type: "run", principal, file: cleanHeartbeat(file) } : skipped("no-chat");
}

/** A turn of the conversation that it looks after runs or waits, or an earlier beat is not over. */
async function isBusy(deps: HeartbeatDeps, agent: HeartbeatAgent): Promise<boolean> {
  const sessionKey = watchedSession(deps, agent);
  const waiting = await deps.turns.list({ sessionKey, states: openStates, limit: 1 });
  if (waiting.length > 0) return true;
  const turnId = await lastBeatTurn(deps, agent.id);
  const turn = turnId && (await deps.turns.get(turnId));
  return turn !== undefined && openStates.includes(turn.state);
}

/** A key comes from the config as text; one that names no session finds none. */
const watchedSession = (deps: HeartbeatDeps, { id, config }: HeartbeatAgent): SessionKey =>
  (config.session as SessionKey | undefined) ?? deps.mainSessionOf(id);

/** The last one that started a turn. Of skips in a row only the first has a row, so it is not far down. */
export async function lastBeatTurn({ due }: Pick<HeartbeatDeps, "due">, agentId: string): Promise<TurnId | undefined> {
  const rows = await due.ledger({ source: "heartbeat", id: agentId, limit: 50 });
  return rows.find(({ turnId }) => turnId !== undefined)?.turnId;
}

/** On whose behalf, as things are now: the owner where they last spoke, or in the chat of the session that the config names. */
export async function findPrincipal(deps: HeartbeatDeps, agent: HeartbeatAgent): Promise<Principal | undefined> {
  const { ports, sessions } = deps;
  const owner = await ports.ownerOf(agent.id);
  const wanted = watchedSession(deps, agent);
  if (!owner || owner.sessionKey === wanted) return owner;
  const channel = (await sessions.get(wanted))?.lastChannel;
  // An id means somebody on its own platform only.
  if (channel?.adapter !== owner.channel.adapter) return undefined;
  const principal = await ports.principalOf({ channel, sender: owner.sender });
  return principal?.sessionKey === wanted && principal.agentId === agent.id ? principal : undefined;
}

function skip(item: DueItem, reason: HeartbeatSkip, dueAt: number | undefined): OccurrenceEnd {
  const data = parseBeatData(item);
  const isAlike = data.skips?.reason === reason;
  const skips = { reason, count: isAlike ? (data.skips?.count ?? 0) + 1 : 1 };
  return {
    state: "skipped",
    reason,
    next: { ...(dueAt !== undefined && { dueAt }), data: { ...data, skips } satisfies BeatData },
    ...(isAlike && { isUnlisted: true }),
  };
}

async function run(
  deps: HeartbeatDeps,
  { id, config }: HeartbeatAgent,
  { principal, file }: Extract<Look, { type: "run" }>,
  item: DueItem,
  dueAt: number,
): Promise<OccurrenceEnd> {
  const { skips, ...data } = parseBeatData(item);
  const { sessionKey, channel } = principal;
  const [lines, talk, known] = await Promise.all([
    deps.inbox.unseen(sessionKey, channel, Number.MAX_SAFE_INTEGER, mostUnreadLines),
    deps.recentTalk(principal),
    deps.outsideOf(sessionKey),
  ]);
  const unread = pickUnread(lines, data.shown ?? []);
  const outside = known ?? findOutside([...lines, ...talk]);
  const letter = deps.ports.toErrandLetter(
    buildBeatErrand(id, config, principal, { shown: unread.map((line) => line.id) }),
    {
      messageId: `heartbeat:${id}:${item.dueAt ?? deps.clock.now()}`,
      text: buildBeatText({ prompt: config.prompt, file, unread, talk }),
      session: { type: "cron", id: beatSessionId, agentId: id },
      ...(outside !== undefined && { outside }),
    },
  );
  return {
    state: "ran",
    ...toReason(skips, Math.floor((deps.clock.now() - (item.dueAt ?? deps.clock.now())) / config.everyMs)),
    next: { dueAt, data },
    letters: [letter],
  };
}

/**
 * What the conversation has not read yet has not marked it, but the beat reads it. Lines that are not shown count too: mom's own
 * post of what an earlier beat said has no mark, the line beside it has.
 */
const findOutside = (lines: readonly LogLine[]): string | undefined =>
  lines.find(({ outside, refused }) => outside !== undefined && refused === undefined)?.outside;

/** What the ledger has no rows of: skips alike after the first, and due times that nobody was there for. */
function toReason(skips: BeatData["skips"], missed: number): { reason?: string } {
  const said = [
    ...(skips && skips.count > 1 ? [`after ${skips.count} beats skipped as ${skips.reason}`] : []),
    ...(missed > 0 ? [`for ${missed} more that mom was not there for`] : []),
  ];
  return said.length > 0 ? { reason: said.join(", ") } : {};
}
