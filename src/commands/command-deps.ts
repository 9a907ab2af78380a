/** What commands need of the house, as narrow ports. The composition root wires them; each command takes the few it uses. */
import type { MomAgent } from "../contracts/agent.ts";
import type { Approvals, SuggestedRules } from "../contracts/approval.ts";
import type { Clock } from "../contracts/clock.ts";
import type { CronService } from "../contracts/cron.ts";
import type { HouseStatus } from "../contracts/gateway.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { Memory } from "../contracts/memory.ts";
import type { ChannelContext, ChannelRef } from "../contracts/message.ts";
import type { ModelProvider, ThinkingLevel } from "../contracts/model.ts";
import type { QueueMode, SessionEntry } from "../contracts/session.ts";
import type { StandingOrder, StandingOrders } from "../contracts/standing-order.ts";
import type { Sessions, Transcripts, UsageLedger } from "../contracts/store.ts";
import type { Subagents } from "../contracts/subagent.ts";
import type { Workspace } from "../contracts/workspace.ts";

/**
 * A standing order as it was understood, recipients as typed. `unknown`: what it denies that is no tool; such an order is
 * not kept.
 */
type ParsedOrder = Pick<StandingOrder, "text" | "denyTools" | "denyRecipients"> & { unknown: string[] };

interface AgentDefaults {
  /** Absent: the default of all. */
  model?: string;
  thinking: ThinkingLevel;
  fallbacks: readonly string[];
}

/** The ports that commands go through. Wired by the composition root. */
export interface CommandDeps {
  sessions: Pick<Sessions, "reset" | "choose">;
  transcripts: Pick<Transcripts, "whole" | "lives" | "fork">;
  agent: Pick<MomAgent, "compact" | "describeContext">;
  models: Pick<ModelProvider, "resolve" | "list" | "status" | "aliases">;
  usage: Pick<UsageLedger, "totals" | "spent">;
  memory: Pick<Memory, "search" | "status" | "noteChange">;
  standingOrders: StandingOrders;
  /** `answer` is the desk's: whoever waits in this process hears of it at once. */
  approvals: Pick<Approvals, "get" | "list" | "answer" | "rules" | "addRule" | "removeRule">;
  /** What would allow a command line for good. */
  suggestRules(command: string): Promise<SuggestedRules>;
  /** Jobs and reminders. */
  cron: Pick<CronService, "parseWhen" | "describe" | "list" | "get" | "add" | "remove" | "run" | "runs">;
  clock: Pick<Clock, "now">;
  subagents: Pick<Subagents, "list" | "stop" | "stopAllOf" | "log">;
  parseStandingOrder(text: string): Promise<ParsedOrder>;
  workspaceOf(agentId: string): Pick<Workspace, "skills" | "templates">;
  /** Names that `/name` and `/skill:name` may mean for one agent. Asked only for what is no command. */
  listPrompts(agentId: string): Promise<{ templates: readonly string[]; skills: readonly string[] }>;
  /** Relative to the workspace. */
  channelFolder(channel: ChannelRef): string;
  channelContext(adapterName: string): ChannelContext;
  agentDefaults(agentId: string): AgentDefaults;
  /** The mode in force: the session's own, else the channel's. */
  queueModeOf(adapterName: string, session: SessionEntry): QueueMode;
  /** False when `auth.json` has none of that id. */
  removeAuthProfile(id: string): Promise<boolean>;
  settings: {
    /** JSON5 of the config in use, or of one path of it; secrets redacted. A path that is not set throws a coded error. */
    read(path?: string): Promise<string>;
    /** Says what happened: plain text. A value that the schema refuses throws a coded error. The same again changes nothing. */
    set(path: string, value: string): Promise<string>;
  };
  /** Reads the config again. Says what happened: plain text. */
  reload(): Promise<string>;
  /** The process begins anew when the turn is over and its reply delivered. May be called again for the same turn. */
  restart(after: TurnId): void;
  /** The whole of CHANGELOG.md. */
  readChangelog(): Promise<string>;
  /** Keeps a file to be posted in the chat; the same name again replaces it. `path`: absolute. */
  saveExport(channel: ChannelRef, filename: string, text: string): Promise<{ path: string; filename: string }>;
  status(): Promise<StatusFacts>;
}

export type StatusFacts = HouseStatus;
