/**
 * A job's run, from the due time to the letter that starts it: a word to the session that the job belongs to, or an errand in
 * a session of its own. Only reads; the scheduler writes what comes of it.
 */
import type { CronJob } from "../../contracts/cron.ts";
import type { Errand, Principal } from "../../contracts/errand.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { Letter } from "../../contracts/store.ts";
import type { CronErrand } from "./cron-errand.ts";

export type RunStart =
  /** `hasTurn`: something runs now, and its end is to be seen. */
  | { type: "letter"; letter: Letter; hasTurn: boolean }
  /** Whoever is needed does not run now. */
  | { type: "wait" }
  | { type: "skip"; reason: string };

type StartPorts = Pick<ErrandPorts, "toErrandLetter" | "toChatLetter" | "principalOf" | "isRunning">;

export function startRun(ports: StartPorts, job: CronJob, dueAt: number): Promise<RunStart> {
  return job.payload.kind === "systemEvent" ? startWord(ports, job, dueAt) : startErrand(ports, job, dueAt);
}

/** The same however often the run is decided, so that the inbox takes it once. */
const messageIdOf = (job: CronJob, dueAt: number) => `cron:${job.id}:${dueAt}`;

/** What a job's words begin with, wherever they are said. */
export function prefixOf({ id, name, schedule }: Pick<CronJob, "id" | "name" | "schedule">): string {
  if (isWake(id)) return "[WAKE]";
  return schedule.kind === "at" ? "[REMINDER]" : `[CRON:${name}]`;
}

/** Words for the main session that nobody scheduled: a job for now. */
export const wakePrefix = "wake-";
const isWake = (id: string) => id.startsWith(wakePrefix);

async function startWord(ports: StartPorts, job: CronJob, dueAt: number): Promise<RunStart> {
  const { home, payload, wakeMode } = job;
  const text = payload.kind === "systemEvent" ? payload.text : payload.message;
  const letter = await ports.toChatLetter(
    { channel: home.channel, sender: home.askedBy },
    {
      id: messageIdOf(job, dueAt),
      text: `${prefixOf(job)} ${text}`,
      ...(home.outside !== undefined && { outside: home.outside }),
      ...(wakeMode === "next-heartbeat" && { isHeard: true }),
    },
  );
  if (!letter) return { type: "wait" };
  const { verdict } = letter;
  if (verdict.type === "refused") {
    return { type: "skip", reason: `who asked for it may not talk there any more (${verdict.reason})` };
  }
  return { type: "letter", letter, hasTurn: verdict.type === "turn" };
}

async function startErrand(ports: StartPorts, job: CronJob, dueAt: number): Promise<RunStart> {
  const { home } = job;
  const principal = await ports.principalOf({ channel: home.channel, sender: home.askedBy });
  if (!principal) {
    if (!ports.isRunning(home.channel.adapter)) return { type: "wait" };
    return { type: "skip", reason: "who asked for it may not talk there any more" };
  }
  const letter = ports.toErrandLetter(buildErrand(job, dueAt, principal), {
    messageId: messageIdOf(job, dueAt),
    text: `[CRON:${job.name}] ${job.payload.kind === "agentTurn" ? job.payload.message : job.payload.text}`,
    session: { type: "cron", id: job.id, agentId: job.agentId ?? principal.agentId },
    ...(home.outside !== undefined && { outside: home.outside }),
  });
  return { type: "letter", letter, hasTurn: true };
}

/** The errand has with it all that its end needs: the job may be changed or gone by then. */
function buildErrand(job: CronJob, dueAt: number, principal: Principal): Errand {
  const { id, name, payload, isolation, schedule, home } = job;
  const turn = payload.kind === "agentTurn" ? payload : undefined;
  const data: CronErrand = {
    jobId: id,
    name,
    dueAt,
    isOnce: schedule.kind === "at",
    ...(turn?.deliver && { delivery: toDelivery(turn) }),
    ...(isolation && { isolation }),
    ...(home.outside !== undefined && { outside: home.outside }),
  };
  return {
    type: "cron",
    id,
    principal,
    role: [{ name: "job", text: describeRole(name, turn?.deliver === true) }],
    ...(turn?.model !== undefined && { model: turn.model }),
    ...(turn?.thinking !== undefined && { thinking: turn.thinking }),
    ...(turn?.timeoutSeconds !== undefined && { timeoutMs: turn.timeoutSeconds * 1000 }),
    isFresh: true,
    data,
  };
}

const toDelivery = ({ channel, to, bestEffortDeliver }: Extract<CronJob["payload"], { kind: "agentTurn" }>) => ({
  ...(channel !== undefined && { channel }),
  ...(to !== undefined && { to }),
  ...(bestEffortDeliver && { isBestEffort: true as const }),
});

function describeRole(name: string, isPosted: boolean): string {
  const end = isPosted
    ? "Your last answer is posted to the chat"
    : "The chat is told the beginning of your last answer";
  return `## Job\nYou run by yourself, as the job "${name}" that somebody set up earlier. Nobody reads along: ask nothing, and decide by what the job says. ${end}; answer just [SILENT] when there is nothing to say.`;
}
