/** The run that a job is at, if it is at one: told from its turn, so that no crash leaves a job running for ever. */
import type { Turns } from "../../contracts/store.ts";
import type { Turn } from "../../contracts/turn.ts";
import { noteResult, resultOf, type StoredJob } from "./job.ts";

export interface Accounted {
  /** With the end of its last run, if that is over and was not noted yet. */
  job: StoredJob;
  /** It goes on. */
  running?: Turn;
  /** Its end was noted just now. */
  noted?: Turn;
}

export async function accountRun(turns: Pick<Turns, "ofMessage">, job: StoredJob): Promise<Accounted> {
  const { run, state } = job;
  if (state.runningAtMs === undefined) return { job };
  const turn = run && (await turns.ofMessage(run.channel, run.messageId));
  // A turn that the store has forgotten was over long ago.
  const result = turn ? resultOf(turn) : ({ status: "ok" } as const);
  if (turn && !result) return { job: { ...job, state: { ...state, runningTurnId: turn.id } }, running: turn };
  const ended = noteResult(job, result ?? { status: "ok" }, turn?.updatedAt ?? state.runningAtMs);
  return { job: ended, ...(turn && { noted: turn }) };
}
