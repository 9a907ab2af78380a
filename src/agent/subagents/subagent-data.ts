/** What is kept of a subagent on the durable clock: its run, for whom it works, and how far it is. */
import { createHash } from "node:crypto";
import type { Principal } from "../../contracts/errand.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { ThinkingLevel } from "../../contracts/model.ts";
import type { DueItem } from "../../contracts/schedule.ts";
import type { SubagentRun, SubagentState } from "../../contracts/subagent.ts";
import type { ToolScope } from "../../contracts/tool.ts";

/** `data` of an item of the clock. While it waits the item is due; while it runs too, so that its end is seen whatever happens. */
export interface SubagentData {
  run: SubagentRun;
  principal: Principal;
  /** It was asked for by work that nobody speaks in a chat for: the findings go there as such. */
  isForErrand: boolean;
  timeoutMs: number;
  /** How many words may go to and fro after its findings before a person speaks again. */
  turnsLeft: number;
  model?: string;
  thinking?: ThinkingLevel;
  /** Where text in the conversation that asked came from, if it came from outside: the task may be made of it. */
  outside?: string;
  /** Somebody wants it stopped. `by`: a turn, or absent where it was none. */
  stop?: { by?: TurnId };
  /** Where its letter lies in the inbox. */
  chat?: ChannelRef;
  /** It is over, and its findings wait for a chat that cannot be reached. */
  unsaid?: string;
  /** Its session is gone, as was asked for. */
  isForgotten?: true;
}

export const source = "subagent";

/** Undefined: not of this program's making. */
export function parseData({ data }: Pick<DueItem, "data">): SubagentData | undefined {
  if (!isRecord(data) || !isRun(data["run"]) || !isPrincipal(data["principal"])) return undefined;
  const { chat, ...known } = data;
  // What the store gives back is what was put there below; only a hand in the database could have changed more.
  return { ...known, ...(isChannel(chat) && { chat }) } as unknown as SubagentData;
}

const isRun = (run: unknown): boolean =>
  isRecord(run) &&
  ["runId", "sessionKey", "requester", "agentId", "task", "state"].every((key) => typeof run[key] === "string") &&
  typeof run["createdAt"] === "number";
const isPrincipal = (principal: unknown): boolean =>
  isRecord(principal) &&
  isChannel(principal["channel"]) &&
  isRecord(principal["sender"]) &&
  typeof principal["sender"]["id"] === "string";
const isChannel = (channel: unknown): boolean =>
  isRecord(channel) && typeof channel["adapter"] === "string" && typeof channel["channelId"] === "string";

export const isOpen = (state: SubagentState): boolean => state === "waiting" || state === "running";

/** The same call of the same turn has the same name, however often it is made. Short: people type it. */
export const nameCall = (turnId: TurnId, callId: string): string =>
  createHash("sha256").update(`${turnId}\n${callId}`).digest("hex").slice(0, 12);

export const letterIdOf = (runId: string): string => `subagent:${runId}`;

/** For whom the tools of a turn work. */
export function pickPrincipal({ principal, channel, sender, session }: ToolScope): Principal {
  const { sessionKey, type, agentId } = session;
  // A word from the owner's session into a chat of others is heard by them: what is sent from there is theirs.
  const isOfOthers = type === "dm" || type === "group" || type === "topic";
  if (principal && !isOfOthers) return principal;
  const { id, username } = sender;
  return { channel, sender: { id, username }, sessionKey, sessionType: type, agentId };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
