/** Things that several methods and events speak of. */
import { Type } from "typebox";
import { amount, count, flag, json, list, moment, type Of, oneOf, optional, record, strict, text } from "./kit.ts";
import { roles, scopes } from "./scopes.ts";

export const channelRef = strict({ adapter: text, channelId: text });
export const sessionTypes = oneOf("main", "dm", "group", "topic", "subagent", "cron");
export const thinkingLevels = oneOf("off", "low", "medium", "high");
export const queueModes = oneOf("steer", "followup", "collect", "interrupt");
export const turnStates = oneOf("received", "queued", "running", "delivering", "done", "failed", "stopped");

export const agentSummary = strict({
  id: text,
  /** As IDENTITY.md calls it, where it does. */
  name: optional(text),
  emoji: optional(text),
  /** `provider/model`, or why none answers. */
  model: text,
  mainSessionKey: text,
});

export const sessionSummary = strict({
  sessionKey: text,
  sessionId: text,
  type: sessionTypes,
  agentId: text,
  label: optional(text),
  /** Where it lives, and where its last message came from. */
  channel: channelRef,
  lastChannel: channelRef,
  /** Answered last. */
  model: optional(text),
  chosenModel: optional(text),
  thinkingLevel: optional(thinkingLevels),
  queueMode: optional(queueModes),
  isQuiet: optional(flag),
  createdAt: moment,
  updatedAt: moment,
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  cost: amount,
  /** A turn runs in it now. */
  isRunning: flag,
});

export const attachment = strict({
  filename: text,
  /** Relative to the workspace; `files.open` takes it. */
  path: text,
  mimeType: optional(text),
  size: optional(count),
});

/** What a tool did, as far as it is known. */
export const toolUse = strict({
  callId: text,
  name: text,
  args: record,
  state: oneOf("running", "waiting", "done", "failed", "interrupted"),
  /** What came out, for people; cut in the middle where it was long. */
  text: optional(text),
  /** The tool's own, for the screen: a diff, a path, an exit code. */
  details: optional(json),
  durationMs: optional(amount),
  images: optional(list(strict({ data: text, mimeType: text }))),
});

/** One thing in a conversation, as a screen shows it. */
export const chatItem = strict({
  /** Of the transcript entry (with a number for several of one entry), or of the message. */
  id: text,
  at: moment,
  /** `note`: what the house put on record: a summary, a change of model. */
  role: oneOf("user", "assistant", "tool", "note"),
  /** Who said it. */
  sender: optional(text),
  /** Markdown. */
  text: optional(text),
  thinking: optional(text),
  model: optional(text),
  attachments: optional(list(attachment)),
  tool: optional(toolUse),
  /** The model failed here; why. */
  error: optional(text),
});

export const usage = strict({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  totalTokens: count,
  cost: amount,
});

export const usageTotal = strict({
  key: text,
  calls: count,
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: amount,
});

export const turnSummary = strict({
  turnId: text,
  sessionKey: text,
  state: turnStates,
  kind: oneOf("agent", "command"),
  text: text,
  sender: text,
  createdAt: moment,
  error: optional(text),
});

export const approval = strict({
  id: text,
  turnId: text,
  sessionKey: text,
  agentId: text,
  channel: channelRef,
  /** `adapter:id` of who asked. */
  sender: text,
  tool: text,
  /** All that will happen, never shortened. */
  text: text,
  cwd: text,
  reason: text,
  /** What "always" would allow, for people; empty where it cannot be had. */
  rules: list(text),
  state: oneOf("pending", "allowed", "denied", "expired", "used"),
  createdAt: moment,
  expiresAt: moment,
});

export const channelStatus = strict({
  name: text,
  type: text,
  label: text,
  state: oneOf("stopped", "starting", "connected", "reconnecting", "failed"),
  account: optional(text),
  detail: optional(text),
  fix: optional(text),
  reconnects: count,
  lastInboundAt: optional(moment),
  lastOutboundAt: optional(moment),
  lagMs: optional(amount),
  /** Who may talk through it, one line. */
  access: text,
});

/** Somebody in a chat who asked to be let in, or was. */
export const pairing = strict({
  adapter: text,
  senderId: text,
  username: text,
  channelId: text,
  state: oneOf("pending", "approved"),
  code: optional(text),
  createdAt: moment,
  expiresAt: optional(moment),
  approvedAt: optional(moment),
  approvedBy: optional(text),
});

/** A device that asks to be let in. */
export const deviceRequest = strict({
  requestId: text,
  deviceId: text,
  name: text,
  platform: text,
  /** Where it asked from. */
  address: text,
  role: oneOf(...roles),
  scopes: list(oneOf(...scopes)),
  createdAt: moment,
  expiresAt: moment,
});

export const device = strict({
  deviceId: text,
  name: text,
  platform: text,
  role: oneOf(...roles),
  scopes: list(oneOf(...scopes)),
  approvedAt: moment,
  approvedBy: text,
  lastSeenAt: optional(moment),
  isConnected: flag,
});

export const presence = strict({
  connId: text,
  name: text,
  mode: oneOf("app", "web", "cli"),
  platform: text,
  role: oneOf(...roles),
  address: text,
  since: moment,
});

export const modelSummary = strict({
  ref: text,
  provider: text,
  id: text,
  contextWindow: count,
  maxOutputTokens: count,
  input: list(text),
  reasoning: flag,
  price: strict({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount }),
});

export const authProfile = strict({
  id: text,
  type: oneOf("api_key", "token", "oauth"),
  from: oneOf("auth.json", "config", "environment"),
  state: oneOf("ready", "cooling", "disabled", "expired"),
  until: optional(moment),
  reason: optional(text),
  lastUsed: optional(moment),
  coolingModels: list(strict({ model: text, until: moment })),
});

export const providerSummary = strict({
  name: text,
  usable: flag,
  missing: optional(text),
  profiles: list(authProfile),
});

export const skillSummary = strict({
  name: text,
  description: text,
  /** Where it comes from: the workspace, the data directory, mom herself … */
  source: text,
  path: text,
  /** Absent: it can be used. */
  unusable: optional(text),
  /** What a scan finds suspicious in it. */
  warnings: list(text),
  bytes: count,
});

export const toolSummary = strict({
  name: text,
  group: text,
  allowed: flag,
  removedBy: optional(strict({ layer: text, rule: text })),
});

export const configProblem = strict({
  /** Dotted. */
  path: text,
  message: text,
  hint: text,
});

export const logLine = strict({
  at: moment,
  level: oneOf("debug", "info", "warn", "error"),
  text: text,
  fields: record,
});

export const finding = strict({
  check: text,
  level: oneOf("ok", "warn", "fail"),
  detail: text,
  fix: optional(text),
});

export const slashCommand = strict({
  name: text,
  summary: text,
  usage: optional(text),
  kind: oneOf("command", "template", "skill"),
});

export const loginField = strict({
  key: text,
  label: text,
  hint: text,
  isSecret: flag,
  isList: flag,
  pattern: text,
});

/** One entry of a transcript, for the tree. */
export const treeEntry = strict({
  id: text,
  parentId: Type.Union([Type.String(), Type.Null()]),
  at: moment,
  /** The entry type of the format: message, compaction, custom … */
  type: text,
  role: optional(text),
  /** One or a few lines of what it says. */
  preview: text,
  model: optional(text),
});

export const sessionLife = strict({
  sessionId: text,
  isPresent: flag,
  startedAt: moment,
  updatedAt: moment,
  name: optional(text),
  opening: optional(text),
  bytes: count,
});

export type AgentSummary = Of<typeof agentSummary>;
export type SessionSummary = Of<typeof sessionSummary>;
export type ChatItem = Of<typeof chatItem>;
export type ToolUse = Of<typeof toolUse>;
export type FileReference = Of<typeof attachment>;
export type ApprovalSummary = Of<typeof approval>;
export type ChannelStatus = Of<typeof channelStatus>;
export type PairingSummary = Of<typeof pairing>;
export type DeviceRequest = Of<typeof deviceRequest>;
export type DeviceSummary = Of<typeof device>;
export type Presence = Of<typeof presence>;
export type ModelSummary = Of<typeof modelSummary>;
export type ProviderSummary = Of<typeof providerSummary>;
export type SkillSummary = Of<typeof skillSummary>;
export type ToolSummary = Of<typeof toolSummary>;
export type LogLineSummary = Of<typeof logLine>;
export type FindingSummary = Of<typeof finding>;
export type SlashCommand = Of<typeof slashCommand>;
export type LoginFieldSummary = Of<typeof loginField>;
export type TreeEntry = Of<typeof treeEntry>;
export type SessionLifeSummary = Of<typeof sessionLife>;
export type TurnSummary = Of<typeof turnSummary>;
export type UsageTotalSummary = Of<typeof usageTotal>;
