/**
 * A house for tests of the gateway: a real store on a temp folder, turns that the test drives (`house-turns`), and simple
 * canned values for everything else. What was asked of it is written down in `asked`.
 */
import type { TestContext } from "node:test";
import type { Approval, NewApproval } from "../../src/contracts/approval.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type {
  AgentFacts,
  ChannelRow,
  ConfigOutcome,
  Finding,
  GatewayHouse,
  GatewayWatch,
  HouseLogs,
  LoginResult,
  LogRecord,
  OperatorSaid,
  SaidResult,
} from "../../src/contracts/gateway.ts";
import type { ApprovalId, SessionKey, TurnId } from "../../src/contracts/ids.ts";
import type { ModelInfo, ProviderStatus } from "../../src/contracts/model.ts";
import type { SessionRoute } from "../../src/contracts/session.ts";
import type { Store } from "../../src/contracts/store.ts";
import { buildRoute } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock } from "./clock.ts";
import { createFakeAutomation, type FakeAutomation } from "./gateway-automation.ts";
import { adapter, createHouseTurns, type HouseTurns, type TurnScript } from "./house-turns.ts";
import { silentLog } from "./log.ts";
import { createTempFolder, type TempFolder } from "./temp-folder.ts";

export interface FakeGatewayHouse {
  house: GatewayHouse;
  store: Store;
  clock: Clock;
  folder: TempFolder;
  turns: HouseTurns;
  /** Everything that `say` was given. */
  said: OperatorSaid[];
  /** Those that have begun: the store stays open for them. */
  deletions: Promise<boolean>[];
  /** Whom the house tells. Absent: nobody. */
  watch: GatewayWatch | undefined;
  /** Answers every turn that begins. Absent: the test takes them with `turns.next`. */
  script: TurnScript | undefined;
  /** What `say` answers instead of taking it. */
  sayInstead: SaidResult | undefined;
  /** Calls without a visible effect of their own: `logout slack`, `config.edit …`. */
  asked: string[];
  isReady: boolean;
  channels: ChannelRow[];
  logs: HouseLogs & { lines: LogRecord[]; write(line: LogRecord): void };
  configOutcome: ConfigOutcome;
  loginResult: LoginResult;
  findings: Finding[];
  isSetUp: boolean;
  automation: FakeAutomation;
  /** A group in a platform with a session of its own. */
  openGroup(name: string): Promise<SessionKey>;
  requestApproval(id: string, more?: Partial<NewApproval>): Promise<Approval>;
}

export const mainKey = "agent:main:main" as SessionKey;
const agentIds = ["main", "helper"];

export interface HouseOptions {
  /** Absent: a fake one. */
  clock?: Clock;
  /** Without jobs, heartbeats, subagents and memory. */
  isBare?: boolean;
}

export async function createGatewayHouse(test: TestContext, options: HouseOptions = {}): Promise<FakeGatewayHouse> {
  const { clock = createFakeClock() } = options;
  // Before the folder's own: hooks run in the order in which they were set.
  let close = async () => {};
  test.after(() => close());
  const folder = await createTempFolder(test);
  const layout = buildLayout(folder.dir);
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [] });
  close = async () => {
    await Promise.allSettled(fake.deletions);
    await store.close();
  };
  const turns = createHouseTurns({ store, clock, watch: () => fake.watch, script: () => fake.script });
  const fake: FakeGatewayHouse = {
    house: undefined as unknown as GatewayHouse,
    store,
    clock,
    folder,
    turns,
    said: [],
    deletions: [],
    watch: undefined,
    script: undefined,
    sayInstead: undefined,
    asked: [],
    isReady: true,
    channels: [{ name: "slack", type: "slack", label: "Slack", access: "everyone", state: "connected", reconnects: 0 }],
    logs: createLogs(),
    configOutcome: { type: "applied", warnings: [], diff: "-a\n+b", hash: "h2" },
    loginResult: { type: "added", account: "@mom", warnings: [] },
    findings: [{ check: "store", level: "ok", detail: "It is well." }],
    isSetUp: false,
    automation: createFakeAutomation({
      clock,
      watch: () => fake.watch,
      hasSession: async (key) => (await routeOf(fake, key)) !== undefined,
    }),
    async openGroup(name) {
      const channel = { adapter: "slack", channelId: name };
      const session = await store.sessions.open(buildRoute("main", { type: "group", channel }, channel));
      return session.sessionKey;
    },
    requestApproval: (id, more) => store.approvals.request({ ...buildApproval(id, clock.now()), ...more }),
  };
  const rooms = options.isBare ? {} : fake.automation.rooms;
  fake.house = { ...buildHouse(fake, layout.workspaceDir), ...rooms };
  return fake;
}

const chatOf = (key: SessionKey) => ({
  adapter,
  channelId: key === mainKey ? "main" : `session/${encodeURIComponent(key)}`,
});

function buildHouse(fake: FakeGatewayHouse, workspaceDir: string): GatewayHouse {
  const { store, turns, folder } = fake;
  const tell = (what: string) => void fake.asked.push(what);
  return {
    version: "1.2.3",
    dataDir: folder.dir,
    workspaceDir,
    store,
    ...buildFacts(fake),
    mainSessionKey: (agentId = "main") => (agentIds.includes(agentId) ? mainKeyOf(agentId) : undefined),
    say: (said) => say(fake, said),
    chatOf,
    async post({ sessionKey, lastChannel }, text, id) {
      tell(`post ${id} in ${sessionKey}`);
      await store.outbox.post([{ id, channel: lastChannel, body: { type: "text", text } }]);
      await turns.deliver();
    },
    stop: turns.stop,
    whenOver: turns.whenOver,
    isRunning: turns.isRunning,
    async resetSession(key, by, to) {
      if (turns.isRunning(key)) return false;
      const session = await store.sessions.reset(key, by, to);
      fake.watch?.sessionChanged(key);
      return session;
    },
    async deleteSession(key) {
      tell(`delete ${key}`);
      const deletion = store.sessions.delete(key);
      fake.deletions.push(deletion);
      const isGone = await deletion;
      if (isGone) fake.watch?.sessionChanged(key);
      return isGone;
    },
    async answerApproval(id, verdict, by) {
      const answered = await store.approvals.answer(id, verdict, by);
      if (answered.type === "answered") fake.watch?.approvalResolved(answered.approval);
      return answered;
    },
    ...buildOffice(fake, tell),
  };
}

/** What can be asked without anything being changed. */
function buildFacts(fake: FakeGatewayHouse) {
  const facts: Pick<
    GatewayHouse,
    "isReady" | "status" | "agents" | "commands" | "channels" | "loginKinds" | "models" | "skills" | "tools"
  > = {
    isReady: () => fake.isReady,
    status: async () => ({
      version: "1.2.3",
      model: "mom/big",
      uptimeMs: 60_000,
      memoryBytes: 50_000_000,
      running: 1,
      waiting: 2,
      pendingPosts: 0,
      worstStallMs: 3,
      adapters: fake.channels.map(({ name, state }) => ({ name, state })),
    }),
    agents: async () => agentIds.map((id): AgentFacts => ({ id, model: "mom/big", mainSessionKey: mainKeyOf(id) })),
    commands: async () => [{ name: "new", summary: "begin afresh", kind: "command" }],
    channels: () => fake.channels,
    loginKinds: async () => [{ type: "slack", label: "Slack", fields: [someField] }],
    models: {
      list: async () => [bigModel],
      status: async () => [someProvider],
      resolve: async (ref = bigModel.ref) =>
        ref === bigModel.ref || ref === "big"
          ? { type: "model", model: bigModel }
          : { type: "unavailable", message: `There is no model ${ref}.` },
      aliases: () => ({ big: bigModel.ref }),
    },
    skills: async (agentId) => [
      { name: `skill of ${agentId}`, description: "d", source: "workspace", path: "skills/a", warnings: [], bytes: 9 },
    ],
    tools: async (session) => ({
      ...(session && { model: "mom/big" }),
      tools: [
        { name: "read", group: "files", allowed: true },
        {
          name: "bash",
          group: "run",
          allowed: false,
          removedBy: { layer: "agent", rule: "deny bash" },
        },
      ],
      warnings: [],
    }),
  };
  return facts;
}

/** What an operator changes. */
function buildOffice(fake: FakeGatewayHouse, tell: (what: string) => void) {
  const office: Pick<
    GatewayHouse,
    "logoutChannel" | "addLogin" | "addKey" | "config" | "logs" | "examine" | "isSetUp" | "setup" | "finishSetup"
  > = {
    async logoutChannel(name) {
      tell(`logout ${name}`);
      return fake.channels.some((channel) => channel.name === name);
    },
    async addLogin({ type, name }) {
      tell(`login ${type} ${name}`);
      return fake.loginResult;
    },
    async addKey(provider) {
      tell(`key of ${provider}`);
      return provider === "mom" ? { type: "added", profile: "mom:1" } : { type: "refused", reason: "Nobody knows it." };
    },
    config: {
      read: async (path) => ({ value: path === undefined ? { a: 1 } : undefined, hash: "h1", warnings: [] }),
      schema: () => ({ type: "object" }),
      async edit(changes, options) {
        tell(`config.edit ${JSON.stringify(changes)} ${JSON.stringify(options)}`);
        return fake.configOutcome;
      },
      async reload() {
        tell("config.reload");
        return fake.configOutcome;
      },
    },
    logs: fake.logs,
    examine: async () => fake.findings,
    isSetUp: async () => fake.isSetUp,
    setup: async () => ({
      model: { active: bigModel.ref, isOffline: false },
      foundKeys: [{ provider: "mom", from: "MOM_KEY" }],
      hasOllama: false,
      channels: fake.channels.length,
      isDone: fake.isSetUp,
    }),
    async finishSetup() {
      fake.isSetUp = true;
    },
  };
  return office;
}

async function say(fake: FakeGatewayHouse, said: OperatorSaid): Promise<SaidResult> {
  fake.said.push(said);
  if (fake.sayInstead) return fake.sayInstead;
  const { to } = said;
  if (to.type === "named") {
    if (!agentIds.includes(to.agentId)) return { type: "unknown", what: `agent ${to.agentId}` };
    const channel = { adapter, channelId: `api/${to.agentId}/${to.name}` };
    const route = buildRoute(to.agentId, { type: "dm", channel }, channel);
    const accepted = await fake.turns.accept(said, { route, channelId: channel.channelId, senderId: "api" });
    if (to.isPassing && accepted.type === "accepted") void forget(fake, accepted.turnId, route.sessionKey);
    return accepted;
  }
  const route = await routeOf(fake, to.sessionKey);
  if (!route) return { type: "unknown", what: `session ${to.sessionKey}` };
  const channel = said.answerThere ? route.channel : chatOf(to.sessionKey);
  const { channelId } = chatOf(to.sessionKey);
  return fake.turns.accept(said, { route: { ...route, channel }, channelId, senderId: "owner" });
}

async function forget({ house, turns }: FakeGatewayHouse, turnId: TurnId, key: SessionKey): Promise<void> {
  await turns.whenOver(turnId);
  await house.deleteSession(key);
}

async function routeOf({ store }: FakeGatewayHouse, key: SessionKey): Promise<SessionRoute | undefined> {
  const agentId = agentIds.find((id) => mainKeyOf(id) === key);
  if (agentId !== undefined) return { sessionKey: key, type: "main", agentId, channel: chatOf(key) };
  const session = await store.sessions.get(key);
  return session && { sessionKey: key, type: session.type, agentId: session.agentId, channel: session.lastChannel };
}

const mainKeyOf = (agentId: string) => `agent:${agentId}:main` as SessionKey;

function createLogs(): FakeGatewayHouse["logs"] {
  const lines: LogRecord[] = [];
  const followers = new Set<(line: LogRecord) => void>();
  return {
    lines,
    write(line) {
      lines.push(line);
      for (const follower of followers) follower(line);
    },
    tail: async ({ limit, level, search = "" }) =>
      lines.filter((line) => (level === undefined || line.level === level) && line.text.includes(search)).slice(-limit),
    follow(handler) {
      followers.add(handler);
      return () => void followers.delete(handler);
    },
  };
}

function buildApproval(id: string, nowMs: number): NewApproval {
  return {
    id: id as ApprovalId,
    turnId: `turn-of-${id}` as TurnId,
    toolCallId: `call-of-${id}`,
    sessionKey: mainKey,
    agentId: "main",
    channel: { adapter: "slack", channelId: "C1" },
    sender: "slack:U1",
    subject: {
      tool: "bash",
      text: "rm -r build",
      exact: { argv: ["rm", "-r", "build"], cwd: "/work", env: { SECRET: "of the environment" } },
    },
    hash: `hash of ${id}`,
    reason: "It removes files.",
    rules: [{ program: "/bin/rm", args: [{ type: "exact", text: "-r" }, { type: "path" }] }],
    expiresAt: nowMs + 3_600_000,
  };
}

const bigModel: ModelInfo = {
  ref: "mom/big",
  provider: "mom",
  id: "big",
  contextWindow: 200_000,
  maxOutputTokens: 8000,
  input: ["text"],
  reasoning: true,
  price: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 },
};
const someProvider: ProviderStatus = {
  name: "mom",
  usable: true,
  profiles: [{ id: "mom:1", type: "api_key", from: "auth.json", state: "ready", coolingModels: [] }],
};
const someField = { key: "token", label: "Token", hint: "xoxb-…", isSecret: true, isList: false, pattern: "^xoxb-" };
