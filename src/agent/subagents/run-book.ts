/** The runs there are, as rows of the durable clock. */
import { ToolError } from "../../base/errors.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";
import type { DueClock } from "../../contracts/schedule.ts";
import type { Turns } from "../../contracts/store.ts";
import { parseData, type SubagentData, source } from "./subagent-data.ts";

export interface RunBook {
  get(runId: string): Promise<SubagentData | undefined>;
  /** Newest first. */
  list(requester?: SessionKey): Promise<SubagentData[]>;
  /** Reads, changes and writes in one step; when it is due stays. Undefined: there is none, or nothing was to be changed. */
  change(runId: string, change: (data: SubagentData) => SubagentData | undefined): Promise<SubagentData | undefined>;
  /**
   * How many words may still go to and fro after the one that this turn sends now, before a person speaks again: one less than
   * the turn was started with, where another session or the findings of a subagent started it. Throws `RELAY_LIMIT`.
   */
  takeTurn(turnId: TurnId, relayTurns: number): Promise<number>;
}

export function createRunBook({ due, turns }: { due: DueClock; turns: Pick<Turns, "get"> }): RunBook {
  const get: RunBook["get"] = async (runId) => {
    const item = await due.get(source, runId);
    return item && parseData(item);
  };
  /** Undefined: a person has spoken. */
  const findLeft = async (turnId: TurnId): Promise<number | undefined> => {
    const message = (await turns.get(turnId))?.message;
    if (message?.errand?.relay) return message.errand.relay.turnsLeft;
    const runId = /^subagent:([0-9a-f]+)$/.exec(message?.id ?? "")?.[1];
    return runId === undefined ? undefined : (await get(runId))?.turnsLeft;
  };
  return {
    get,
    async list(requester) {
      const all = (await due.list(source)).flatMap((item) => parseData(item) ?? []);
      const theirs = requester === undefined ? all : all.filter(({ run }) => run.requester === requester);
      return theirs.sort((a, b) => b.run.createdAt - a.run.createdAt || (a.run.runId < b.run.runId ? -1 : 1));
    },
    async change(runId, change) {
      const item = await due.change(source, runId, (each) => {
        const data = parseData(each);
        const changed = data && change(data);
        return changed && { data: changed, ...(each.dueAt !== undefined && { dueAt: each.dueAt }) };
      });
      return item && parseData(item);
    },
    async takeTurn(turnId, relayTurns) {
      const left = Math.min((await findLeft(turnId)) ?? relayTurns, relayTurns);
      if (left > 0) return left - 1;
      throw new ToolError("RELAY_LIMIT", "Enough was done between sessions without a person's word", {
        hint: "Tell the user what you have and what you would do next; they decide.",
      });
    },
  };
}
