/** How a subagent ended, told from its turn, and the letter that says so to whoever asked for it. */
import type { Letter } from "../../contracts/store.ts";
import type { SubagentRun, SubagentState } from "../../contracts/subagent.ts";
import type { TurnOutcome } from "../../contracts/turn.ts";
import { toOneLine } from "../context/clean-text.ts";
import { isTimeout } from "../time-limit.ts";
import { buildAnnounce } from "./announce.ts";
import { findLastWords } from "./read-spoken.ts";
import { letterIdOf, type SubagentData } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

export interface RunEnd {
  state: Exclude<SubagentState, "waiting" | "running">;
  findings: string;
}

const openStates: ReadonlySet<string> = new Set(["received", "queued", "running", "delivering"]);

/** Of one whose letter is in the inbox. Undefined: it is still at work. */
export async function findEnd(deps: SubagentDeps, data: SubagentData): Promise<RunEnd | undefined> {
  const turn = data.chat && (await deps.turns.ofMessage(data.chat, letterIdOf(data.run.runId)));
  if (!turn) return { state: "interrupted", findings: "It was cut off and cannot be taken up again." };
  if (openStates.has(turn.state)) return undefined;
  return describeEnd(deps, data, { outcome: turn.state as TurnOutcome, error: turn.error });
}

/** `reply`: as the agent gave it; absent where only the rows are left. */
export async function describeEnd(
  { transcripts }: Pick<SubagentDeps, "transcripts">,
  { run, timeoutMs }: SubagentData,
  { outcome, reply, error }: { outcome: TurnOutcome; reply?: string; error?: string | undefined },
): Promise<RunEnd> {
  const state = pickState(outcome, error);
  if (state === "done" && reply !== undefined) return { state, findings: reply };
  if (state === "failed") return { state, findings: reply || `It failed: ${toOneLine(error ?? "unknown", 500)}` };
  const words = (await findLastWords(transcripts, run.sessionKey)) ?? "";
  if (state === "done") return { state, findings: words };
  const why = state === "timed-out" ? `It did not finish within ${Math.round(timeoutMs / 1000)} s.` : "It was stopped.";
  return { state, findings: words === "" ? why : `${why} What it had said last:\n${words}` };
}

function pickState(outcome: TurnOutcome, error: string | undefined): RunEnd["state"] {
  if (outcome !== "failed") return outcome;
  return error !== undefined && isTimeout(error) ? "timed-out" : "failed";
}

/** Of a task that is over; its transcript has the whole. */
const maxKeptTask = 2000;

/** The run as it stands when it is over. */
export async function endRun(
  { sessions }: Pick<SubagentDeps, "sessions">,
  run: SubagentRun,
  state: SubagentState,
  nowMs: number,
): Promise<SubagentRun> {
  const session = await sessions.get(run.sessionKey);
  const used = session && { tokens: session.totalTokens, cost: session.cost };
  const task = run.task.slice(0, maxKeptTask).toWellFormed();
  return { ...run, ...used, task, state, endedAt: nowMs };
}

/** `none`: nobody is told. `later`: the chat that it goes to cannot be reached now. */
export async function toAnnounceLetter(
  { ports, sessions, taintOf }: Pick<SubagentDeps, "ports" | "sessions" | "taintOf">,
  data: SubagentData,
  { run, findings }: { run: SubagentRun; findings: string },
): Promise<Letter | "none" | "later"> {
  const { principal, stop, turnsLeft } = data;
  const session = await sessions.get(run.sessionKey);
  const outside = session && (await taintOf(session, true));
  const id = letterIdOf(run.runId);
  const text = buildAnnounce(run, findings, outside);
  const marked = { text, ...(outside !== undefined && { outside }) };
  const requester = data.isForErrand ? await sessions.get(run.requester) : undefined;
  if (requester) {
    // Whoever ends the work that asked does not want it woken again.
    if (stop) return "none";
    const relay = { from: run.sessionKey, turnsLeft };
    const errand = { type: "relay" as const, id: run.runId, principal, relay, data: { kind: "answer" } };
    return ports.toErrandLetter(errand, { messageId: id, ...marked, session: { existing: requester } });
  }
  // Somebody who stops it knows: their session reads it with what is said there next.
  const isHeard = stop && { isHeard: true as const };
  const { channel, sender } = principal;
  const letter = await ports.toChatLetter({ channel, sender }, { id, ...marked, ...isHeard });
  return letter ?? (stop ? "none" : "later");
}
