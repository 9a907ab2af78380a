/**
 * The gateway and the house around it. The gateway room owns connections, protocol, identities and HTTP; what its methods
 * do is done by the house, behind this port. Everything here may be called at any time between start and stop.
 */
import type { AgentSessionEvent } from "./agent.ts";
import type { AnswerResult, Approval, ApprovalVerdict } from "./approval.ts";
import type { AdapterHealth } from "./channel.ts";
import type { CronJob, CronSchedule, CronService, NewCronJob } from "./cron.ts";
import type { HeartbeatEvent } from "./heartbeat.ts";
import type { ApprovalId, DeliveryId, SessionId, SessionKey, TurnId } from "./ids.ts";
import type { LogFields, LogLevel } from "./log.ts";
import type { Memory } from "./memory.ts";
import type { ChannelAttachment, ChannelMessage, ChannelRef } from "./message.ts";
import type { ModelProvider } from "./model.ts";
import type { SessionEntry } from "./session.ts";
import type { Delivery, Pairings, Store } from "./store.ts";
import type { SubagentRun, Subagents } from "./subagent.ts";
import type { ToolDecision } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** Something that an operator says through the gateway. */
export interface OperatorSaid {
  /** The platform's id of the message: the same one is the same message, also after a restart. */
  messageId: string;
  /** Of the operator's device, for people. */
  deviceName: string;
  /** The stored identity holds `admin`: the commands of admins are theirs. Others only talk. */
  isAdmin: boolean;
  text: string;
  attachments: ChannelAttachment[];
  /** Where it is said. */
  to:
    | { type: "session"; sessionKey: SessionKey }
    /** A conversation of its own with the rights of a direct chat; `isPassing`: it is forgotten when its turn is over. */
    | { type: "named"; agentId: string; name: string; isPassing?: true };
  /** The answer is posted where the session's last message came from, instead of in the web chat. */
  answerThere?: true;
}

export type SaidResult =
  | { type: "accepted"; turnId: TurnId; sessionKey: SessionKey; isRepeat: boolean }
  /** There is no such session or agent. */
  | { type: "unknown"; what: string }
  /** The house does not take it, and why. */
  | { type: "refused"; reason: string };

export interface HouseStatus {
  version: string;
  model: string;
  uptimeMs: number;
  /** Resident memory, bytes. */
  memoryBytes: number;
  running: number;
  waiting: number;
  pendingPosts: number;
  /** Longest time the event loop was held, milliseconds. */
  worstStallMs: number;
  adapters: { name: string; state: string }[];
}

export interface AgentFacts {
  id: string;
  name?: string;
  emoji?: string;
  model: string;
  mainSessionKey: SessionKey;
}

export interface ChannelRow extends AdapterHealth {
  name: string;
  type: string;
  /** For people: `Slack`. */
  label: string;
  /** Who may talk through it, one line. */
  access: string;
}

export interface LoginKind {
  type: string;
  label: string;
  fields: { key: string; label: string; hint: string; isSecret: boolean; isList: boolean; pattern: string }[];
}

export type LoginResult =
  | { type: "added"; account: string; warnings: { message: string; fix: string }[] }
  | { type: "failed"; message: string; fix: string };

export interface SkillRow {
  name: string;
  description: string;
  source: string;
  path: string;
  unusable?: string;
  warnings: string[];
  bytes: number;
}

export interface ToolRow extends ToolDecision {
  group: string;
}

export interface HouseProblem {
  path: string;
  message: string;
  hint: string;
}

/** `value` undefined removes the key. */
export interface ConfigChange {
  path: string;
  value?: unknown;
}

export type ConfigOutcome =
  | { type: "applied" | "unchanged"; warnings: string[]; diff: string; hash: string }
  | { type: "would-apply"; warnings: string[]; diff: string; hash: string }
  | { type: "rolled-back"; reasons: string[]; diff: string; hash: string }
  /** Nothing was written. */
  | { type: "invalid"; problems: HouseProblem[]; diff: string; hash: string }
  /** The file is not the one that the edit was based on. */
  | { type: "conflict"; hash: string };

export interface HouseConfig {
  /** Secrets replaced. Undefined where nothing is set at `path`. */
  read(path?: string): Promise<{ value: unknown; hash: string; warnings: HouseProblem[] }>;
  /** JSON Schema. */
  schema(): Record<string, unknown>;
  /** All or none, comments kept; a value that is still `***` was not touched and stays as it is. */
  edit(changes: readonly ConfigChange[], options: { hash?: string; dryRun?: boolean }): Promise<ConfigOutcome>;
  reload(): Promise<ConfigOutcome>;
}

export interface LogRecord {
  at: number;
  level: LogLevel;
  text: string;
  fields: LogFields;
}

export interface HouseLogs {
  /** Newest last, from this and earlier runs. */
  tail(filter: { limit: number; level?: LogLevel; search?: string }): Promise<LogRecord[]>;
  /** Every line from now on, already redacted. The result ends it. */
  follow(handler: (line: LogRecord) => void): () => void;
}

export interface Finding {
  check: string;
  level: "ok" | "warn" | "fail";
  detail: string;
  fix?: string;
}

export interface SetupFacts {
  model: { active: string; isOffline: boolean };
  foundKeys: { provider: string; from: string }[];
  hasOllama: boolean;
  /** Chat platforms in the config, without terminal and web. */
  channels: number;
  isDone: boolean;
}

/** What somebody's words for a time were taken for. */
export interface CronPreview {
  schedule: CronSchedule;
  /** For people: `every weekday at 09:00 (Europe/Berlin)`. */
  text: string;
  /** Soonest first. */
  next: number[];
}

/** Jobs as an operator has them. Everything that takes a job or words throws a coded error that names what is wrong and the fix. */
export interface HouseCron
  extends Pick<CronService, "status" | "list" | "get" | "update" | "remove" | "run" | "runs" | "wake"> {
  /** At home in the owner's own web chat, with the owner's rights. */
  add(job: Omit<NewCronJob, "home">): Promise<CronJob>;
  /** `when`: plain words, an expression or a schedule. `tz`: of words and expressions that name none. */
  preview(when: string | CronSchedule, options: { times: number; tz?: string }): Promise<CronPreview>;
  /** Its schedule, for people; must not throw. */
  describe(job: Pick<CronJob, "schedule" | "createdAtMs">): string;
}

export interface HouseSubagents extends Pick<Subagents, "list" | "get" | "stop"> {
  /** For that session, as if it had been asked for there. Undefined: there is no such session. */
  spawn(
    by: { sessionKey: SessionKey; deviceName: string; isAdmin: boolean },
    task: Parameters<Subagents["spawn"]>[1],
  ): Promise<SubagentRun | undefined>;
}

/** How an agent's heart beats. */
export interface HeartbeatState {
  agentId: string;
  /** The config does not forbid it; while HEARTBEAT.md is empty nothing is asked of a model all the same. */
  isEnabled: boolean;
  everyMs: number;
  nextAt?: number;
  last?: HeartbeatEvent;
}

export interface HouseHeartbeat {
  status(): Promise<HeartbeatState[]>;
  /** Now; what comes of it is told as an event. False: there is no such agent. */
  beat(agentId: string): Promise<boolean>;
}

export interface GatewayHouse {
  readonly version: string;
  readonly dataDir: string;
  /** Absolute. What tools see; `files.open` serves from here. */
  readonly workspaceDir: string;
  readonly store: Pick<
    Store,
    "sessions" | "transcripts" | "turns" | "usage" | "approvals" | "outbox" | "channels" | "kv"
  > & { pairings: Pairings };

  /** The first turn will be fast: everything that is read once has been read. */
  isReady(): boolean;
  status(): Promise<HouseStatus>;
  agents(): Promise<AgentFacts[]>;
  /** The owner's own; `agentId` absent: of the main agent. Undefined: there is no such agent. */
  mainSessionKey(agentId?: string): SessionKey | undefined;

  /** On disk when it resolves. */
  say(said: OperatorSaid): Promise<SaidResult>;
  /** The web chat that shows this session: files that come along are kept in its folder. */
  chatOf(sessionKey: SessionKey): ChannelRef;
  /** Posts in mom's name where the session's last message came from. The same `id` posts once. */
  post(session: SessionEntry, text: string, id: DeliveryId): Promise<void>;
  /** Ends what runs and waits in the session; how many turns that were. */
  stop(sessionKey: SessionKey): Promise<number>;
  /** Resolves when the turn is over and all its posts are delivered. */
  whenOver(turnId: TurnId): Promise<void>;
  isRunning(sessionKey: SessionKey): boolean;
  /** False: a turn runs or waits there; try again when it is over. Once per `by`. */
  resetSession(key: SessionKey, by: TurnId, to?: SessionId): Promise<SessionEntry | false>;
  deleteSession(key: SessionKey): Promise<boolean>;
  commands(
    agentId: string,
  ): Promise<{ name: string; summary: string; usage?: string; kind: "command" | "template" | "skill" }[]>;

  /** `by`: who answers, `gateway:<device>`. Whether they may has been checked. */
  answerApproval(id: ApprovalId, verdict: ApprovalVerdict, by: string): Promise<AnswerResult>;

  channels(): ChannelRow[];
  /** False: there is no such adapter in the config. */
  logoutChannel(name: string): Promise<boolean>;
  loginKinds(): Promise<LoginKind[]>;
  addLogin(login: { type: string; name: string; fields: Record<string, string> }): Promise<LoginResult>;

  readonly models: Pick<ModelProvider, "list" | "status" | "resolve" | "aliases">;
  /** Keeps a key in auth.json. Gives the profile's id, or why it was not taken. */
  addKey(
    provider: string,
    key: string,
  ): Promise<{ type: "added"; profile: string } | { type: "refused"; reason: string }>;
  skills(agentId: string): Promise<SkillRow[]>;
  tools(session: SessionEntry | undefined): Promise<{ model?: string; tools: ToolRow[]; warnings: string[] }>;
  readonly config: HouseConfig;
  readonly logs: HouseLogs;
  /** Absent: whoever runs the app has no doctor. */
  examine?(options: { offline: boolean }): Promise<Finding[]>;
  /** Cheap: asked with every connection. */
  isSetUp(): Promise<boolean>;
  setup(): Promise<SetupFacts>;
  finishSetup(): Promise<void>;

  // Rooms that a house may be without: then their methods are not offered.
  readonly cron?: HouseCron;
  readonly memory?: Pick<Memory, "search" | "get" | "index" | "status">;
  readonly subagents?: HouseSubagents;
  readonly heartbeat?: HouseHeartbeat;
}

/** What the house tells the gateway while it works. Must not throw and must be quick: turns wait for it. */
export interface GatewayWatch {
  /** A message was taken in; `turn` absent: it started none. */
  said(channel: ChannelRef, message: ChannelMessage, turn: { turnId: TurnId; sessionKey: SessionKey }): void;
  turnEvent(turn: Turn, event: AgentSessionEvent): void;
  /** A post has left, on whatever platform; `sessionKey` where it belongs to a turn. */
  sent(delivery: Delivery, sessionKey: SessionKey | undefined): void;
  /** The turn is over, all its posts settled. */
  ended(turn: Turn): void;
  sessionChanged(key: SessionKey): void;
  approvalRequested(approval: Approval): void;
  approvalResolved(approval: Pick<Approval, "id" | "sessionKey">): void;
  pairingChanged(): void;
  channelsChanged(): void;
  configChanged(outcome: "applied" | "invalid" | "rolled-back", detail: string): void;
  /** A job was made, changed, taken away, or has run; absent: perhaps several. */
  cronChanged(jobId?: string): void;
  heartbeat(event: HeartbeatEvent): void;
  /** The index has begun, gone on, or is up to date. */
  memoryChanged(agentId: string): void;
}

/** The screens of the web chat. The webchat adapter posts here; whoever is connected sees it, the others find it in the history. */
export interface ChatScreen {
  /** Changes or, without a text, takes back what was posted. */
  edited(channelId: string, deliveryId: string, text?: string): void;
}

/** Requests from outside that channels and automation take on the gateway's port, below `/hooks/`. */
export interface Webhooks {
  /**
   * Opens `/hooks/<name>`. `isAllowed` is asked with the headers alone, before a byte of the body is read; a hook whose
   * secret is missing must refuse everything. The result closes it again. A name can be open once: throws otherwise.
   */
  open(
    name: string,
    hook: {
      maxBytes: number;
      isAllowed(headers: Readonly<Record<string, string | undefined>>): boolean;
      /** Answers after the work is on disk. A throw becomes a 500 and says nothing of its reason. */
      handle(request: {
        path: string;
        headers: Readonly<Record<string, string | undefined>>;
        body: Buffer;
      }): Promise<{ status: number; body?: string }>;
    },
  ): () => void;
}

export interface Gateway {
  readonly watch: GatewayWatch;
  readonly screen: ChatScreen;
  readonly webhooks: Webhooks;
  /** Listens. Rejects with a coded error where the port cannot be had. Gives the address: `http://127.0.0.1:18800`. */
  start(): Promise<{ url: string }>;
  /** A link that lets one browser in, once: for the terminal of whoever started mom. */
  createLink(): Promise<string>;
  /** How many are connected, how many events were dropped: for metrics and tests. */
  stats(): { connections: number; clients: number; events: number; dropped: number };
  /** Tells everybody, closes every connection and the port. May be called twice. */
  stop(reason: string): Promise<void>;
}
