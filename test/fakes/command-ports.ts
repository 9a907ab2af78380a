/**
 * Everything that commands go through, in memory: one session with its conversations, a usage book, skills, orders. A turn
 * can be answered again, as after a crash between a command's effect and its reply.
 */

import { StoreError } from "../../src/base/errors.ts";
import { answerCommand, type CommandDeps, createCommands } from "../../src/commands/index.ts";
import type { CommandReply, Commands } from "../../src/contracts/command.ts";
import type { EntryId, SessionId, TurnId } from "../../src/contracts/ids.ts";
import type { ModelMessage } from "../../src/contracts/model.ts";
import type { SessionEntry } from "../../src/contracts/session.ts";
import type { StandingOrder } from "../../src/contracts/standing-order.ts";
import type { TranscriptEntry } from "../../src/contracts/transcript.ts";
import type { NewStep, Turn, TurnStep } from "../../src/contracts/turn.ts";
import { createFakeApprovals } from "./approvals.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { type CommandHouse, channel, createHouse, type Life, sessionKey } from "./command-house.ts";

interface AskOptions {
  isAdmin?: boolean;
  adapterType?: string;
  turn?: Partial<Turn>;
}

interface CommandPorts {
  house: CommandHouse;
  deps: CommandDeps;
  commands: Commands;
  clock: FakeClock;
  approvals: ReturnType<typeof createFakeApprovals>;
  /** A person says something and mom answers, in the present conversation. */
  say(text: string, answer?: string): void;
  add(message: ModelMessage): TranscriptEntry;
  /** What `/skill:name` puts in before what was said. */
  addSkillBody(name: string): void;
  present(): Life;
  ask(text: string, options?: AskOptions): Promise<CommandReply>;
  /** The last turn once more, with what it recorded. */
  askAgain(): Promise<CommandReply>;
}

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Where a test has no jobs of its own. */
const noMemory: CommandDeps["memory"] = {
  search: async () => ({ hits: [], mode: "text" }),
  status: async (agentId) => ({ agentId, files: 0, chunks: 0, embedded: 0, state: "idle", indexBytes: 0, skipped: [] }),
  noteChange: () => undefined,
};

const noJobs: CommandDeps["cron"] = {
  parseWhen: () => ({ kind: "at", atMs: 0 }),
  describe: () => "never",
  list: async () => [],
  get: async () => undefined,
  add: () => Promise.reject(new Error("there is no clock")),
  remove: async () => false,
  run: async () => ({ ran: false }),
  runs: async () => [],
};

/** `given`: the real thing, for what a test is about. */
export function createCommandPorts(given: Partial<Pick<CommandDeps, "cron" | "memory">> = {}): CommandPorts {
  const clock = createFakeClock();
  const house = createHouse(clock.now());
  const approvals = createFakeApprovals(clock);
  const steps = new Map<TurnId, TurnStep[]>();
  const resets = new Set<TurnId>();
  const forks = new Map<TurnId, SessionId>();
  const ordersByTurn = new Map<TurnId, StandingOrder>();
  let count = 0;
  let last: { turn: Turn; options: AskOptions } | undefined;

  const present = (): Life => {
    const found = house.lives.find(({ id }) => id === house.session.sessionId);
    if (found) return found;
    const life = { id: house.session.sessionId, startedAt: clock.now(), entries: [] };
    house.lives.push(life);
    return life;
  };
  const newId = () => (++count).toString(16).padStart(8, "0");
  const append = ({ entries, parentId }: Pick<NewStep, "entries" | "parentId">) => {
    const life = present();
    let parent = parentId === undefined ? (life.entries.at(-1)?.id ?? null) : parentId;
    for (const entry of entries) {
      life.entries.push({ ...entry, parentId: parent } as TranscriptEntry);
      parent = entry.id;
    }
  };
  const add = (message: ModelMessage) => {
    const id = newId() as EntryId;
    append({ entries: [{ type: "message", id, timestamp: new Date(clock.now()).toISOString(), message }] });
    const entry = present().entries.at(-1);
    if (!entry) throw new Error("nothing was added");
    return entry;
  };

  const deps: CommandDeps = {
    clock,
    sessions: {
      async reset(_key, by, to) {
        if (resets.has(by)) return house.session;
        resets.add(by);
        house.session = {
          ...house.session,
          sessionId: to ?? (`life-${newId()}` as SessionId),
          totalTokens: 0,
          cost: 0,
        };
        return house.session;
      },
      async choose(_key, choices) {
        const merged: Record<string, unknown> = { ...house.session };
        for (const [name, value] of Object.entries(choices)) {
          if (value === null) delete merged[name];
          else if (value !== undefined) merged[name] = value;
        }
        house.session = merged as unknown as SessionEntry;
        return house.session;
      },
    },
    transcripts: {
      async whole() {
        const life = house.lives.find(({ id }) => id === house.session.sessionId);
        if (!life) return undefined;
        const { type, agentId } = house.session;
        return {
          path: "/data/workspace/chat/C1/context.jsonl",
          header: {
            type: "session",
            version: 3,
            id: life.id,
            timestamp: new Date(life.startedAt).toISOString(),
            cwd: "/data/workspace",
            sessionKey,
            sessionType: type,
            agentId,
          },
          entries: life.entries,
          leaf: life.entries.at(-1)?.id ?? null,
        };
      },
      async lives() {
        return house.lives.toReversed().map(({ id, startedAt, entries }) => ({
          sessionId: id,
          isPresent: id === house.session.sessionId,
          startedAt,
          updatedAt: startedAt,
          bytes: 100 * entries.length,
          opening: `opening of ${id}`,
        }));
      },
      async fork(_key, upTo, by) {
        const known = forks.get(by);
        if (known) return known;
        const { entries } = present();
        const path: TranscriptEntry[] = [];
        for (let at: EntryId | null = upTo; at !== null; ) {
          const entry = entries.find(({ id }) => id === at);
          if (!entry) throw new StoreError("ENTRY_UNKNOWN", `no entry ${at}`);
          path.unshift(entry);
          at = entry.parentId;
        }
        const id = `fork-${newId()}` as SessionId;
        forks.set(by, id);
        house.lives.push({ id, startedAt: clock.now(), entries: path });
        return id;
      },
    },
    agent: {
      async compact(_session, { instructions, record }) {
        house.compactions.push(instructions);
        const firstKeptEntryId = present().entries.at(-1)?.id;
        if (!firstKeptEntryId) return { type: "nothing", tokens: 12 };
        const timestamp = new Date(clock.now()).toISOString();
        const summary = "they said ``` hello";
        const id = newId() as EntryId;
        const entry = { type: "compaction" as const, id, timestamp, summary, firstKeptEntryId, tokensBefore: 9000 };
        await record({ body: { type: "compaction" }, entries: [entry] });
        return { type: "compacted", tokensBefore: 9000, tokensAfter: 800, summary };
      },
      describeContext: async () => house.report,
    },
    models: {
      async resolve(ref = "mom/big") {
        const model = house.models.find((each) => each.ref === (house.aliases[ref] ?? ref));
        return model ? { type: "model", model } : { type: "unavailable", message: `There is no model ${ref}.` };
      },
      list: async () => house.models,
      status: async () => house.providers,
      aliases: () => house.aliases,
    },
    usage: {
      totals: async (by) => (by === "day" || by === "model" ? house.totals[by] : []),
      spent: async ({ sender }, period) => ({ cost: period === "day" ? 0.5 : 2, tokens: sender ? 70 : 900 }),
    },
    standingOrders: {
      async add(order, turnId) {
        const known = ordersByTurn.get(turnId);
        if (known) return known;
        const added = { ...order, id: `r${ordersByTurn.size + 1}`, createdAt: clock.now() };
        ordersByTurn.set(turnId, added);
        house.orders.push(added);
        return added;
      },
      list: async (agentId) => house.orders.filter((order) => order.agentId === agentId),
      async remove(_agentId, id) {
        const at = house.orders.findIndex((order) => order.id === id);
        if (at === -1) return false;
        house.orders.splice(at, 1);
        return true;
      },
    },
    approvals,
    // Plain words are simple.
    async suggestRules(command) {
      const [program = "", ...args] = command.split(" ");
      if (!/^[\w ./-]+$/.test(command)) return { type: "none", why: "it has a redirection" };
      return {
        type: "rules",
        rules: [{ program: `/usr/bin/${program}`, args: args.map((text) => ({ type: "exact", text })) }],
      };
    },
    async parseStandingOrder(text) {
      const names = /^deny ([\w, ]+):/.exec(text)?.[1]?.split(/[, ]+/) ?? [];
      const denyRecipients = /^not to ([^:]+):/.exec(text)?.[1]?.split(", ") ?? [];
      return { text, denyTools: names, denyRecipients, unknown: names.filter((name) => name !== "bash") };
    },
    workspaceOf: () => ({
      skills: async () => ({ skills: house.skills, diagnostics: house.diagnostics }),
      templates: async () => house.templates,
    }),
    async listPrompts(agentId) {
      house.promptLookups++;
      if (agentId !== "main") return { templates: [], skills: [] };
      return { templates: house.templates.map(({ name }) => name), skills: house.skills.map(({ name }) => name) };
    },
    channelFolder: ({ adapter, channelId }) => `${adapter}/${channelId}`,
    channelContext: (adapter) => ({ adapter, users: house.users, channels: house.channels }),
    agentDefaults: () => ({ thinking: "low", fallbacks: ["mom/small"] }),
    queueModeOf: (_adapter, session) => session.queueMode ?? "steer",
    async removeAuthProfile(id) {
      const owner = house.providers.find(({ profiles }) => profiles.some((profile) => profile.id === id));
      if (!owner) return false;
      owner.profiles = owner.profiles.filter((profile) => profile.id !== id);
      return true;
    },
    settings: {
      async read(path) {
        if (path === undefined) return JSON.stringify(Object.fromEntries(house.settings));
        const value = house.settings.get(path);
        if (value === undefined) throw new StoreError("CONFIG_PATH_INVALID", `${path} is not set`);
        return value;
      },
      async set(path, value) {
        house.settings.set(path, value);
        return `${path} is set.`;
      },
    },
    async reload() {
      house.reloads++;
      return "Read again; nothing changed.";
    },
    restart: (after) => void house.restarts.push(after),
    cron: given.cron ?? noJobs,
    memory: given.memory ?? noMemory,
    subagents: {
      list: async (requester) => house.runs.filter((run) => requester === undefined || run.requester === requester),
      async stop(runId) {
        const run = house.runs.find((each) => each.runId === runId);
        const isOpen = run?.state === "running" || run?.state === "waiting";
        if (run && isOpen) run.state = "stopped";
        return isOpen;
      },
      async stopAllOf(requester) {
        const open = house.runs.filter((run) => run.requester === requester && run.state !== "done");
        for (const run of open) run.state = "stopped";
        return open.length;
      },
      log: async (runId) => house.spoken.get(runId),
    },
    readChangelog: async () => house.changelog,
    async saveExport(_channel, filename, text) {
      house.exports.set(filename, text);
      return { path: `/data/workspace/chat/C1/${filename}`, filename };
    },
    status: async () => ({
      version: "1.2.3",
      model: "mom/big",
      uptimeMs: 125_000,
      memoryBytes: 64 * 2 ** 20,
      running: 2,
      waiting: 1,
      pendingPosts: 0,
      worstStallMs: 7,
      adapters: [{ name: "chat", state: "connected" }],
    }),
  };
  const commands = createCommands(deps);

  const answer = ({ turn, options }: { turn: Turn; options: AskOptions }) =>
    answerCommand(commands, {
      turn,
      session: house.session,
      adapterType: options.adapterType ?? "test",
      isAdmin: options.isAdmin ?? false,
      steps: steps.get(turn.id) ?? [],
      async record(step) {
        const recorded = steps.get(turn.id) ?? [];
        steps.set(turn.id, [...recorded, { ...step, n: recorded.length }]);
        append(step);
      },
    });

  return {
    house,
    deps,
    commands,
    clock,
    approvals,
    present,
    add,
    addSkillBody(name) {
      const id = newId() as EntryId;
      const timestamp = new Date(clock.now()).toISOString();
      const details = { name };
      const content = `<skill name="${name}">`;
      append({
        entries: [{ type: "custom_message", id, timestamp, customType: "skill", content, display: false, details }],
      });
    },
    say(text, reply = `answer to ${text}`) {
      add({ role: "user", content: text, timestamp: clock.now() });
      add({
        role: "assistant",
        content: [{ type: "text", text: reply }],
        api: "x",
        provider: "mom",
        model: "big",
        usage: noUsage,
        stopReason: "stop",
        timestamp: clock.now(),
      });
    },
    ask(text, options = {}) {
      const turn = createTurn(`t${newId()}` as TurnId, text, options.turn, clock.now());
      last = { turn, options };
      return answer(last);
    },
    askAgain() {
      if (!last) throw new Error("nothing was asked yet");
      last = { ...last, turn: { ...last.turn, attempt: last.turn.attempt + 1 } };
      return answer(last);
    },
  };
}

function createTurn(id: TurnId, text: string, more: Partial<Turn> | undefined, nowMs: number): Turn {
  return {
    id,
    seq: 1,
    kind: "command",
    lane: sessionKey,
    state: "running",
    route: { sessionKey, type: "dm", agentId: "main", channel },
    adapter: "chat",
    message: {
      id: "m1",
      channelId: "C1",
      timestamp: new Date(nowMs).toISOString(),
      sender: { id: "U1", username: "ann", isBot: false },
      text,
      attachments: [],
      isMention: true,
    },
    attempt: 1,
    crashes: 0,
    stopRequested: false,
    createdAt: nowMs,
    updatedAt: nowMs,
    ...more,
  };
}
