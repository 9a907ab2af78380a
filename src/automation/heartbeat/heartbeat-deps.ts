/** What a heartbeat stands on. Passed in by the app. */
import type { Clock } from "../../contracts/clock.ts";
import type { Principal } from "../../contracts/errand.ts";
import type { ErrandPorts } from "../../contracts/errand-ports.ts";
import type { HeartbeatConfig, HeartbeatEvent } from "../../contracts/heartbeat.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { LogLine } from "../../contracts/message.ts";
import type { DueClock, Scheduler } from "../../contracts/schedule.ts";
import type { Inbox, KeyValue, Outbox, Sessions, Transcripts, Turns } from "../../contracts/store.ts";
import type { TimeZones } from "./active-hours.ts";

/** An agent with a heart. */
export interface HeartbeatAgent {
  id: string;
  config: HeartbeatConfig;
  /** HEARTBEAT.md of its workspace; undefined: there is none. Bounded, and no link followed out of the workspace. */
  readFile(): Promise<string | undefined>;
}

export interface HeartbeatDeps {
  due: DueClock;
  scheduler: Pick<Scheduler, "wake">;
  turns: Pick<Turns, "get" | "list">;
  inbox: Pick<Inbox, "unseen">;
  outbox: Pick<Outbox, "list">;
  sessions: Pick<Sessions, "get" | "delete">;
  transcripts: Pick<Transcripts, "context">;
  kv: KeyValue;
  clock: Clock;
  log: Log;
  ports: ErrandPorts;
  /** As the config is now. */
  agents(): HeartbeatAgent[];
  mainSessionOf(agentId: string): SessionKey;
  /** The last few lines of a chat, oldest first. */
  recentTalk(principal: Principal): Promise<LogLine[]>;
  /** Where text in the present life of that session came from, if it came from outside. */
  outsideOf(sessionKey: SessionKey): Promise<string | undefined>;
  /** No model may be asked for this agent now. */
  isOverBudget(agentId: string): Promise<boolean>;
  timeZones(agentId: string): TimeZones;
  /** A letter is in the inbox. */
  wakeLanes(): void;
}

/** Told of every beat, skipped ones too. Must not throw. */
export type OnHeartbeat = (event: HeartbeatEvent) => void;

/** The agent as it is now. Undefined: it is gone from the config. */
export const findAgent = ({ agents }: Pick<HeartbeatDeps, "agents">, agentId: string): HeartbeatAgent | undefined =>
  agents().find(({ id }) => id === agentId);
