/** What subagents and talk between sessions need of the house, as narrow ports. Wired by the composition root. */
import type { ContextReport } from "../../contracts/agent.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { DueClock, Scheduler } from "../../contracts/schedule.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { Inbox, Sessions, Transcripts, Turns } from "../../contracts/store.ts";

export interface SubagentDeps {
  due: DueClock;
  scheduler: Pick<Scheduler, "wake">;
  inbox: Pick<Inbox, "accept">;
  turns: Pick<Turns, "get" | "ofMessage">;
  sessions: Pick<Sessions, "get" | "list">;
  transcripts: Pick<Transcripts, "context">;
  clock: Clock;
  log: Log;
  ports: ErrandPorts;
  /** Names are built in one place. */
  sessionKeyOf(agentId: string, runId: string): SessionKey;
  /** Ends the session's running and waiting turns at once, with the programs they run. */
  stopSession(sessionKey: SessionKey): Promise<unknown>;
  /** Forgets the session and what lies in its folder. Nothing happens where there is none; throws while it is busy. */
  forgetSession(sessionKey: SessionKey): Promise<unknown>;
  /** Every agent of the config. */
  agents(): readonly { id: string; model?: string }[];
  isKnownModel(name: string): Promise<boolean>;
  /** The chats of this adapter end with the process. */
  isPassing(adapter: string): boolean;
  /** Where text in a session's context came from, if it came from outside. `isAdmin`: of whoever asks there. */
  taintOf(session: Pick<SessionEntry, "sessionId" | "type">, isAdmin: boolean): Promise<string | undefined>;
  describeContext(session: SessionEntry): Promise<Pick<ContextReport, "model" | "contextWindow" | "tokens">>;
  /** Letters were put into the inbox. Quick. */
  onLetters(): void;
}
