/** What the agent is made of: ports of other rooms, and what the composition root knows of this machine and its channels. */
import type { Budgets } from "../contracts/budget.ts";
import type { Clock } from "../contracts/clock.ts";
import type { SessionId } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelAttachment, ChannelRef } from "../contracts/message.ts";
import type { ImageContent, ModelProvider } from "../contracts/model.ts";
import type { StandingOrders } from "../contracts/standing-order.ts";
import type { Inbox, KeyValue, Sessions, Transcripts, UsageLedger } from "../contracts/store.ts";
import type { Toolbox, ToolScope } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import type { AgentProfile } from "./agent-profile.ts";

export interface AgentDeps {
  models: ModelProvider;
  toolbox: Toolbox;
  inbox: Pick<Inbox, "unseen">;
  sessions: Pick<Sessions, "noteModel">;
  transcripts: Transcripts;
  usage: Pick<UsageLedger, "record">;
  kv: KeyValue;
  standingOrders: Pick<StandingOrders, "list">;
  budgets: Budgets;
  /** Text from outside comes into that life's context. Durable when it resolves; twice is once. */
  noteOutside(sessionId: SessionId, source: string): Promise<void>;
  clock: Clock;
  log: Log;
  profileOf(agentId: string): AgentProfile;
  workspaceOf(agentId: string): Workspace;
  /** The picture that a person sent; undefined when it is none, too large, or gone. */
  readImage(file: ChannelAttachment): Promise<ImageContent | undefined>;
  surroundings: Surroundings;
}

export interface Surroundings {
  host: { name: string; os: string; arch: string; node: string };
  timeZone: string;
  /** Absolute; absent where the documentation is not installed. */
  docsDir?: string;
  /** A chat's folder, relative to the main workspace. */
  channelFolder(channel: ChannelRef): string;
  /** Absolute: where the session's tools start. */
  workDir(scope: ToolPlace): string;
  /** How a path relative to the main workspace is written for the session's tools. */
  toToolPath(scope: ToolPlace, path: string): string;
  /** How mom is woken by herself in such a session: what the prompt says of event files and heartbeats. */
  ownDoings(scope: ToolPlace): { eventsDoc?: string; heartbeatPrompt?: string };
  adapter(name: string): ChannelFacts;
}

/** Which session's tools, in which chat, for whom. */
export type ToolPlace = Pick<ToolScope, "session" | "channel" | "principal">;

/** What the agent knows of the platform that a session is on. */
export interface ChannelFacts {
  /** `slack`, `cli` … */
  type: string;
  /** For people: `Slack`. Absent: it is not running. */
  label?: string;
  owners: readonly string[];
  /** Names of what the channel can do. */
  capabilities: readonly string[];
  /** It ties replies to messages by a tag in their text. */
  hasReplyTags?: boolean;
  /** How freely the agent reacts there; absent where it cannot. */
  reactionLevel?: "none" | "minimal" | "extensive";
  /** Names of its own tools, allowed or not. */
  tools?: readonly string[];
}
