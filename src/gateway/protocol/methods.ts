/**
 * Every method of the gateway: what one must hold to call it, what it takes, what it gives. A method with an
 * `idempotencyKey` among its parameters changes something; the same key from the same client counts once.
 */
import { type TSchema, Type } from "typebox";
import { automationMethods } from "./automation-methods.ts";
import {
  amount,
  count,
  flag,
  idempotencyKey,
  json,
  list,
  moment,
  nothing,
  type Of,
  oneOf,
  optional,
  record,
  sessionKey,
  strict,
  text,
  word,
} from "./kit.ts";
import { type Requirement, roles, scopes } from "./scopes.ts";
import {
  agentSummary,
  approval,
  channelStatus,
  chatItem,
  configProblem,
  device,
  deviceRequest,
  finding,
  loginField,
  logLine,
  modelSummary,
  pairing,
  presence,
  providerSummary,
  queueModes,
  sessionLife,
  sessionSummary,
  skillSummary,
  slashCommand,
  thinkingLevels,
  toolSummary,
  treeEntry,
  turnStates,
  turnSummary,
  usage,
  usageTotal,
} from "./shapes.ts";

export interface MethodSpec {
  summary: string;
  needs: Requirement;
  params: TSchema;
  result: TSchema;
}

/** Long enough for whatever a person pastes; a frame's limit holds too. */
const message = Type.String({ minLength: 1, maxLength: 512 * 1024 });
const configPath = Type.String({ minLength: 1, maxLength: 1024 });
const key = idempotencyKey;
const done = strict({ ok: flag });
const limited = (most: number) => optional(Type.Integer({ minimum: 1, maximum: most }));

const accepted = strict({
  turnId: text,
  sessionKey: text,
  messageId: text,
  /** The same key came before: nothing was started now. */
  isRepeat: flag,
});

const outcome = strict({
  turnId: text,
  sessionKey: text,
  state: turnStates,
  reply: text,
  files: list(strict({ filename: text, deliveryId: text })),
  model: optional(text),
  usage: optional(usage),
  error: optional(text),
});

const applied = strict({
  /** `applied`: in use. `unchanged`: it says what already runs. `rolled-back`: it did not work; `reasons` says why. */
  outcome: oneOf("applied", "unchanged", "rolled-back"),
  reasons: list(text),
  warnings: list(text),
  hash: text,
});

/** `hash`: of the text that the edit is based on; another one in the file means that somebody else was faster. */
const configEdit = { hash: optional(text), idempotencyKey: key };

const methods = {
  // How mom is
  health: {
    summary: "How mom is: state of every part, in one word each",
    needs: "any",
    params: nothing,
    result: strict({
      ok: flag,
      isReady: flag,
      uptimeMs: amount,
      channels: list(strict({ name: text, state: text })),
      worstStallMs: amount,
    }),
  },
  status: {
    summary: "What runs, what waits, what was used today",
    needs: "read",
    params: nothing,
    result: strict({
      version: text,
      model: text,
      uptimeMs: amount,
      memoryBytes: count,
      running: count,
      waiting: count,
      pendingPosts: count,
      worstStallMs: amount,
      sessions: count,
      today: strict({ calls: count, input: count, output: count, cost: amount }),
      channels: list(strict({ name: text, state: text })),
      clients: count,
    }),
  },
  "system-presence": {
    summary: "Who is connected to the gateway",
    needs: "read",
    params: nothing,
    result: strict({ clients: list(presence) }),
  },
  "gateway.schema": {
    summary: "This protocol as JSON Schema",
    needs: "any",
    params: nothing,
    result: record,
  },
  "events.subscribe": {
    summary: "Choose the sessions whose events to be sent, and be sent what was missed",
    needs: "read",
    params: strict({
      /** Instead of those chosen before. Absent: as before. */
      sessions: optional(Type.Union([Type.Literal("all"), Type.Array(sessionKey, { maxItems: 200 })])),
      /** Lines of the log, too. Needs admin. */
      logs: optional(flag),
      /** Id of the last event that the client has seen: those after it are sent before the answer. */
      after: optional(Type.String({ maxLength: 64 })),
    }),
    result: strict({
      lastEventId: text,
      /** False: some of what was missed is gone, load anew. */
      isComplete: flag,
    }),
  },

  // Agents and conversations
  "agents.list": {
    summary: "The agents",
    needs: "read",
    params: nothing,
    result: strict({ agents: list(agentSummary) }),
  },
  "agents.identity": {
    summary: "What an agent is called and how it shows itself",
    needs: "read",
    params: strict({ agentId: optional(word) }),
    result: agentSummary,
  },
  agent: {
    summary: "Run one turn; `agent.wait` gives its outcome",
    needs: "write",
    params: strict({
      message,
      agentId: optional(word),
      /** A conversation of its own, with the rights of a direct chat. Absent: the owner's own. */
      name: optional(word),
      idempotencyKey: key,
    }),
    result: accepted,
  },
  "agent.wait": {
    summary: "Wait for a turn to be over",
    needs: "read",
    params: strict({ turnId: word, timeoutMs: limited(600_000) }),
    result: outcome,
  },
  "chat.send": {
    summary: "Say something in a session; the answer comes as events, to whoever follows the session",
    needs: "write",
    params: strict({
      /** Absent: the owner's own. */
      sessionKey: optional(sessionKey),
      message: optional(message),
      /** Ids that `files.upload` gave. */
      uploads: optional(Type.Array(word, { maxItems: 20 })),
      idempotencyKey: key,
    }),
    result: accepted,
  },
  "chat.inject": {
    summary: "Post something in mom's name where the session's last message came from; no turn is started",
    needs: "write",
    params: strict({ sessionKey, message, idempotencyKey: key }),
    result: strict({ deliveryId: text }),
  },
  "chat.abort": {
    summary: "Stop what runs and waits in a session",
    needs: "write",
    params: strict({ sessionKey: optional(sessionKey) }),
    result: strict({ stopped: count }),
  },
  "chat.history": {
    summary: "The end of a conversation, as a screen shows it, and what runs and waits",
    needs: "read",
    params: strict({ sessionKey: optional(sessionKey), limit: limited(500) }),
    result: strict({
      session: optional(sessionSummary),
      items: list(chatItem),
      /** There is more before. */
      isCut: flag,
      turns: list(turnSummary),
      approvals: list(approval),
      lastEventId: text,
    }),
  },
  "chat.commands": {
    summary: "What can be typed after a slash",
    needs: "read",
    params: strict({ agentId: optional(word) }),
    result: strict({ commands: list(slashCommand) }),
  },
  "files.upload": {
    summary: "Get an address to PUT a file to, for `chat.send`",
    needs: "write",
    params: strict({
      sessionKey: optional(sessionKey),
      filename: Type.String({ minLength: 1, maxLength: 255 }),
      size: count,
      mimeType: optional(Type.String({ maxLength: 128 })),
    }),
    result: strict({ uploadId: text, url: text, expiresAt: moment }),
  },
  "files.open": {
    summary: "Get an address to GET a file of the workspace, or one that mom has posted",
    needs: "read",
    params: strict({ path: optional(Type.String({ minLength: 1, maxLength: 4096 })), deliveryId: optional(word) }),
    result: strict({ url: text, filename: text, size: count, mimeType: text, expiresAt: moment }),
  },

  "sessions.list": {
    summary: "All sessions, newest first",
    needs: "read",
    params: strict({ search: optional(Type.String({ maxLength: 200 })), limit: limited(1000) }),
    result: strict({ sessions: list(sessionSummary), total: count }),
  },
  "sessions.history": {
    summary: "A session's transcript as a tree, and its earlier lives",
    needs: "read",
    params: strict({ sessionKey, limit: limited(5000) }),
    result: strict({
      entries: list(treeEntry),
      leaf: Type.Union([Type.String(), Type.Null()]),
      isCut: flag,
      lives: list(sessionLife),
    }),
  },
  "sessions.send": {
    summary: "Say something in a session; the answer is posted where its last message came from",
    needs: "write",
    params: strict({ sessionKey, message, idempotencyKey: key }),
    result: accepted,
  },
  "sessions.patch": {
    summary: "Change what a session is called and how it is answered; null goes back to the default",
    needs: "write",
    params: strict({
      sessionKey,
      label: optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
      model: optional(Type.Union([word, Type.Null()])),
      thinkingLevel: optional(Type.Union([thinkingLevels, Type.Null()])),
      queueMode: optional(Type.Union([queueModes, Type.Null()])),
      isQuiet: optional(flag),
      idempotencyKey: optional(key),
    }),
    result: sessionSummary,
  },
  "sessions.reset": {
    summary: "Begin a session afresh; what was is kept beside it",
    needs: "write",
    params: strict({ sessionKey, to: optional(word), idempotencyKey: key }),
    result: sessionSummary,
  },
  "sessions.delete": {
    summary: "Remove a session with all its transcripts",
    needs: "admin",
    params: strict({ sessionKey, idempotencyKey: key }),
    result: done,
  },
  "sessions.compact": {
    summary: "Sum up a long conversation now; the outcome is said in the session",
    needs: "write",
    params: strict({ sessionKey, instructions: optional(message), idempotencyKey: key }),
    result: accepted,
  },
  "sessions.usage": {
    summary: "What the models have cost",
    needs: "read",
    params: strict({
      by: oneOf("day", "model", "session", "agent", "sender"),
      since: optional(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
    }),
    result: strict({ totals: list(usageTotal) }),
  },

  // Approvals
  "approvals.list": {
    summary: "What waits for a person's word",
    needs: "read",
    params: strict({ all: optional(flag), limit: limited(500) }),
    result: strict({ approvals: list(approval) }),
  },
  "approvals.resolve": {
    summary: "Say yes or no to one exact call",
    needs: "approvals",
    params: strict({ id: word, verdict: oneOf("once", "always", "deny") }),
    result: strict({ outcome: oneOf("answered", "late"), approval }),
  },

  // Who is let in
  "pairing.list": {
    summary: "People in chats who asked to be let in, and those who were",
    needs: "pairing",
    params: nothing,
    result: strict({ pairings: list(pairing) }),
  },
  "pairing.approve": {
    summary: "Let in whoever was given this code",
    needs: "pairing",
    params: strict({ code: word, adapter: optional(word) }),
    result: strict({ pairing }),
  },
  "pairing.revoke": {
    summary: "Take the trust, or the code, away",
    needs: "pairing",
    params: strict({ adapter: word, senderId: word }),
    result: done,
  },
  "device-pair.list": {
    summary: "Devices that are let in, and those that ask",
    needs: "pairing",
    params: nothing,
    result: strict({ devices: list(device), requests: list(deviceRequest) }),
  },
  "device-pair.approve": {
    summary: "Let a device in; no more can be granted than the approver holds",
    needs: "pairing",
    params: strict({
      requestId: word,
      /** Instead of those it asks for. */
      scopes: optional(list(oneOf(...scopes))),
    }),
    result: device,
  },
  "device-pair.reject": {
    summary: "Send a device away",
    needs: "pairing",
    params: strict({ requestId: word }),
    result: done,
  },
  "device-pair.revoke": {
    summary: "End a device's trust; its connections are closed",
    needs: "pairing",
    params: strict({ deviceId: word }),
    result: done,
  },
  "device-pair.code": {
    summary: "Make a one-time code that lets one device in",
    needs: "pairing",
    params: strict({ role: optional(oneOf(...roles)), scopes: optional(list(oneOf(...scopes))) }),
    result: strict({ code: text, expiresAt: moment }),
  },
  "nodes.list": {
    summary: "Devices that offer commands, and which",
    needs: "read",
    params: nothing,
    result: strict({
      nodes: list(strict({ deviceId: text, name: text, platform: text, isConnected: flag, commands: list(text) })),
    }),
  },
  "nodes.invoke": {
    summary: "Run a command that a node offers",
    needs: "write",
    params: strict({
      deviceId: word,
      command: word,
      args: optional(record),
      timeoutMs: limited(120_000),
      idempotencyKey: key,
    }),
    result: strict({ result: json }),
  },
  "node.result": {
    summary: "A node's answer to `node.invoke`",
    needs: "node",
    params: strict({ invokeId: word, result: optional(json), error: optional(Type.String({ maxLength: 4096 })) }),
    result: done,
  },

  // Channels
  "channels.status": {
    summary: "The logins to chat platforms and how they are",
    needs: "read",
    params: nothing,
    result: strict({ channels: list(channelStatus) }),
  },
  "channels.logout": {
    summary: "End a login: the adapter is taken out of the config and forgets what it kept",
    needs: "admin",
    params: strict({ name: word, idempotencyKey: key }),
    result: done,
  },
  "channels.types": {
    summary: "The chat platforms that a login can be added for, and what each asks for",
    needs: "admin",
    params: nothing,
    result: strict({ types: list(strict({ type: text, label: text, fields: list(loginField) })) }),
  },
  "channels.login": {
    summary: "Check a login with its platform and, if it is good, add it to the config",
    needs: "admin",
    params: strict({
      type: word,
      name: word,
      fields: Type.Record(Type.String(), Type.String({ maxLength: 4096 })),
      idempotencyKey: key,
    }),
    result: strict({ account: text, warnings: list(strict({ message: text, fix: text })) }),
  },

  // Models, skills, tools
  "models.list": {
    summary: "The models, and how their providers stand with keys",
    needs: "read",
    params: nothing,
    result: strict({
      models: list(modelSummary),
      providers: list(providerSummary),
      /** `provider/model`, or why none answers. */
      active: text,
      /** The small built-in helper answers. */
      isOffline: flag,
      aliases: Type.Record(Type.String(), Type.String()),
    }),
  },
  "models.add-key": {
    summary: "Keep a provider's key in auth.json",
    needs: "admin",
    params: strict({
      provider: word,
      key: Type.String({ minLength: 8, maxLength: 4096 }),
      idempotencyKey: key,
    }),
    result: strict({ profile: text, active: text }),
  },
  "skills.status": {
    summary: "What mom has learnt to do",
    needs: "read",
    params: strict({ agentId: optional(word) }),
    result: strict({ skills: list(skillSummary) }),
  },
  "tools.list": {
    summary: "Which tools a session may use, and which layer removed the others",
    needs: "read",
    params: strict({ sessionKey: optional(sessionKey) }),
    result: strict({ sessionKey: text, model: optional(text), tools: list(toolSummary), warnings: list(text) }),
  },

  // Config
  "config.get": {
    summary: "The configuration, secrets left out",
    needs: "read",
    params: strict({ path: optional(configPath) }),
    result: strict({ value: json, hash: text, warnings: list(configProblem) }),
  },
  "config.schema": {
    summary: "What may stand in the configuration, as JSON Schema",
    needs: "read",
    params: nothing,
    result: strict({ schema: record }),
  },
  "config.set": {
    summary: "Set one key; without a value it is removed",
    needs: "admin",
    params: strict({ path: configPath, value: optional(json), ...configEdit }),
    result: applied,
  },
  "config.patch": {
    summary: "Set and remove several keys at once: all or none",
    needs: "admin",
    params: strict({
      changes: Type.Array(strict({ path: configPath, value: optional(json) }), { minItems: 1, maxItems: 100 }),
      /** Only say what would come of it. */
      dryRun: optional(flag),
      ...configEdit,
    }),
    result: strict({
      outcome: oneOf("applied", "unchanged", "rolled-back", "invalid", "would-apply"),
      reasons: list(text),
      problems: list(configProblem),
      warnings: list(text),
      /** Unified diff of the file, secrets left out. */
      diff: text,
      hash: text,
    }),
  },
  "config.apply": {
    summary: "Read config.json again now",
    needs: "admin",
    params: nothing,
    result: applied,
  },

  ...automationMethods,

  // The operator's other tools
  "logs.tail": {
    summary: "The last lines of the log; `events.subscribe` with `logs` follows it",
    needs: "admin",
    params: strict({
      limit: limited(2000),
      level: optional(oneOf("debug", "info", "warn", "error")),
      search: optional(Type.String({ maxLength: 200 })),
    }),
    result: strict({ lines: list(logLine) }),
  },
  "doctor.run": {
    summary: "Look at everything that can be wrong, and say the fix",
    needs: "admin",
    params: strict({ offline: optional(flag) }),
    result: strict({ ok: flag, findings: list(finding) }),
  },
  "setup.status": {
    summary: "What a first start still needs: a model, a chat, an owner",
    needs: "read",
    params: nothing,
    result: strict({
      model: strict({ active: text, isOffline: flag }),
      /** Keys that lie in the environment, by provider. */
      foundKeys: list(strict({ provider: text, from: text })),
      /** A local Ollama answers. */
      hasOllama: flag,
      channels: count,
      isDone: flag,
      dataDir: text,
    }),
  },
  "setup.finish": {
    summary: "Do not show the welcome again",
    needs: "admin",
    params: strict({ idempotencyKey: key }),
    result: done,
  },
} as const satisfies Record<string, MethodSpec>;

export const methodSpecs = methods;
export type MethodName = keyof typeof methods;
/** Those that a house may be without. */
export type RoomMethodName = keyof typeof automationMethods;
export type Params<Name extends MethodName> = Of<(typeof methods)[Name]["params"]>;
export type Result<Name extends MethodName> = Of<(typeof methods)[Name]["result"]>;

export const isMethodName = (name: string): name is MethodName => Object.hasOwn(methods, name);
