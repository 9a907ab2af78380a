/**
 * The end of a run that had a session of its own: its answer is posted where the job says, and the session that the job belongs
 * to is told. Asked before the end of the turn is written, and again after a crash in between: only reads.
 */
import type { Principal } from "../../contracts/errand.ts";
import type { ErrandHandler, ErrandPorts, ErrandResult } from "../../contracts/errand-ports.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { DueClock } from "../../contracts/schedule.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Letter, NewDelivery, Sessions } from "../../contracts/store.ts";
import type { ClaimedTurn } from "../../contracts/turn.ts";
import { type CronErrand, readCronErrand } from "./cron-errand.ts";
import { cronSource, failuresBeforeNotice, readJob } from "./job.ts";
import { planFailingNotice, toCode } from "./notices.ts";

export interface EndDeps {
  due: Pick<DueClock, "get">;
  ports: ErrandPorts;
  sessions: Pick<Sessions, "get">;
  /** Where text in a session came from, if it came from outside: what it answers is made of that. */
  outsideOf(session: SessionEntry): Promise<string | undefined>;
}

interface Ended {
  data: CronErrand;
  principal: Principal;
  turn: ClaimedTurn;
  result: ErrandResult;
}

/** Of a summary, and of the whole text where the job sets no limit. */
const summaryChars = 500;
const fullChars = 4000;

export const endRun =
  (deps: EndDeps): ErrandHandler["end"] =>
  async (errand, turn, result) => {
    const data = readCronErrand(errand.data);
    // Stopped by a person, who knows it.
    if (!data || result.outcome === "stopped") return { deliveries: [], letters: [] };
    const ended = { data, principal: errand.principal, turn, result };
    return result.outcome === "failed" ? endFailed(deps, ended) : endDone(deps, ended);
  };

async function endDone(deps: EndDeps, ended: Ended): Promise<{ deliveries: NewDelivery[]; letters: Letter[] }> {
  const { data, turn, result } = ended;
  const reply = result.reply.trim();
  if (reply === "" || reply === "[SILENT]") return { deliveries: [], letters: [] };
  const { deliveries, note } = await planDelivery(deps, ended, reply);
  const text = formatForHome(data, reply);
  const letters = await tellHome(deps, ended, note === undefined ? text : `${text}\n(${note})`);
  // Where nothing could be said at all, the run has told nobody: somebody should know.
  if (deliveries.length > 0 || letters.length > 0 || data.delivery?.isBestEffort) return { deliveries, letters };
  const owner = await deps.ports.ownerOf(turn.route.agentId);
  const notice = `The job ${toCode(data.name)} has an answer that could not be delivered: its chat cannot be reached.`;
  return { deliveries: owner ? deps.ports.planPosts(owner.channel, notice, `cron:${turn.id}:lost`) : [], letters };
}

async function endFailed(deps: EndDeps, ended: Ended): Promise<{ deliveries: NewDelivery[]; letters: Letter[] }> {
  const { data, principal, turn, result } = ended;
  const error = result.reply.trim() || result.error || "no reason was given";
  const letters = await tellHome(deps, ended, `${toPrefix(data)} The run failed: ${cut(error, summaryChars)}`);
  const item = await deps.due.get(cronSource, data.jobId);
  const job = item && readJob(item);
  // This failure is not counted yet.
  if (job && (job.state.failures ?? 0) + 1 === failuresBeforeNotice) {
    return { deliveries: await planFailingNotice(deps.ports, job, { turnId: turn.id, error }), letters };
  }
  if (!data.isOnce) return { deliveries: [], letters };
  const notice = `The job ${toCode(data.name)} failed: ${toCode(error)}`;
  return { deliveries: deps.ports.planPosts(principal.channel, notice, `cron:${turn.id}:failed`), letters };
}

/** What the session reads with its next turn; a chat whose adapter does not run is told nothing. */
async function tellHome(deps: EndDeps, { data, principal, turn }: Ended, text: string): Promise<Letter[]> {
  const session = await deps.sessions.get(turn.route.sessionKey);
  const outside = (session && (await deps.outsideOf(session))) ?? data.outside;
  const letter = await deps.ports.toChatLetter(
    { channel: principal.channel, sender: principal.sender },
    {
      id: `cron:${data.jobId}:${data.dueAt}:end`,
      text,
      isHeard: true,
      ...(outside !== undefined && { outside }),
    },
  );
  return letter === undefined || letter.verdict.type === "refused" ? [] : [letter];
}

const toPrefix = ({ name, isolation }: CronErrand) => isolation?.postToMainPrefix ?? `[CRON:${name}]`;

/** The beginning, or the whole up to a limit. */
function formatForHome(data: CronErrand, reply: string): string {
  const { postToMainMode = "summary", postToMainMaxChars } = data.isolation ?? {};
  const most = postToMainMaxChars ?? (postToMainMode === "full" ? fullChars : summaryChars);
  return `${toPrefix(data)} ${cut(reply, most)}`;
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, maxChars).toWellFormed();
  // At a word's end where one is near.
  const end = head.search(/\s\S*$/);
  const kept = end > maxChars * 0.8 ? head.slice(0, end) : head;
  return `${kept.trimEnd()}… (the beginning; it has ${text.length} characters)`;
}

async function planDelivery(
  deps: EndDeps,
  { data, principal, turn }: Ended,
  reply: string,
): Promise<{ deliveries: NewDelivery[]; note?: string }> {
  if (!data.delivery) return { deliveries: [] };
  const target = await findTarget(deps.sessions, data.delivery, principal);
  const name = `${target.channel.adapter}/${target.channel.channelId}`;
  if (!target.isAllowed) return { deliveries: [], note: `not posted to ${name}: who asked for the job may not` };
  const deliveries = deps.ports.planPosts(target.channel, reply, `cron:${data.jobId}:${data.dueAt}`, turn.id);
  if (deliveries.length > 0) return { deliveries };
  return { deliveries, note: `not posted to ${name}: it cannot be reached` };
}

/** Where to, and whether they may: everybody to their own chat, the owner anywhere. */
async function findTarget(
  sessions: Pick<Sessions, "get">,
  { channel, to }: NonNullable<CronErrand["delivery"]>,
  principal: Principal,
): Promise<{ channel: ChannelRef; isAllowed: boolean }> {
  const home = principal.channel;
  if (channel === "last") {
    return { channel: (await sessions.get(principal.sessionKey))?.lastChannel ?? home, isAllowed: true };
  }
  const target = { adapter: channel ?? home.adapter, channelId: to ?? home.channelId };
  const isHome = target.adapter === home.adapter && target.channelId === home.channelId;
  return { channel: target, isAllowed: isHome || principal.sessionType === "main" };
}
