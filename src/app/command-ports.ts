/** What slash commands need of the house, joined from the rooms that have it. */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { AgentError, ConfigError } from "../base/errors.ts";
import type { CommandDeps, StatusFacts } from "../commands/index.ts";
import {
  editConfigAsWritten,
  formatProblems,
  loadConfig,
  parseConfigPath,
  redactConfig,
  saveConfigText,
  toParseDeps,
  valueAt,
} from "../config/index.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { QueueMode, SessionEntry } from "../contracts/session.ts";
import type { Sessions, Store } from "../contracts/store.ts";
import { removeProfile } from "../models/index.ts";
import type { buildLayout } from "../store/index.ts";
import { parseStandingOrder } from "../tools/index.ts";
import { configSchema, type MomConfig } from "./config-schema.ts";
import type { AgentRoom } from "./create-agent-room.ts";
import { readChangelog } from "./read-changelog.ts";

interface CommandPortParts {
  layout: ReturnType<typeof buildLayout>;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  store: Store;
  /** The store's, with what else hangs on a new life. */
  sessions: Sessions;
  room: AgentRoom;
  config: { readonly current: MomConfig; reload(): Promise<ReloadResult> };
  adapter(name: string): PlatformAdapter | undefined;
  queueModeOf(adapterName: string, session: SessionEntry): QueueMode;
  status(): Promise<StatusFacts>;
  cron: CommandDeps["cron"];
  memory: CommandDeps["memory"];
  subagents: CommandDeps["subagents"];
  /** Absent: whoever runs the app cannot begin anew. */
  restart?(after: TurnId): void;
}

type ReloadResult =
  | { type: "applied" | "unchanged" | "closed" }
  | { type: "invalid"; problems: Parameters<typeof formatProblems>[0] }
  | { type: "rolled-back"; reasons: string[] };

export function buildCommandPorts(parts: CommandPortParts): CommandDeps {
  const { layout, clock, store, room, config, adapter, cron, memory, subagents } = parts;
  const { agents, agent, models, authFile } = room;
  return {
    sessions: parts.sessions,
    transcripts: {
      ...store.transcripts,
      // The copy has the text of the first, and with it what came from outside.
      async fork(key, upTo, by) {
        const life = await store.transcripts.fork(key, upTo, by);
        const session = await store.sessions.get(key);
        if (session) await room.tools.desk.copyTaint(session.sessionId, life);
        return life;
      },
    },
    agent,
    models,
    cron,
    memory,
    subagents,
    usage: store.usage,
    standingOrders: store.standingOrders,
    approvals: { ...store.approvals, answer: room.tools.desk.answer },
    suggestRules: room.tools.desk.suggestRules,
    clock,
    parseStandingOrder,
    workspaceOf: agents.workspaceOf,
    async listPrompts(agentId) {
      const workspace = agents.workspaceOf(agentId);
      const [templates, { skills }] = await Promise.all([workspace.templates(), workspace.skills()]);
      return { templates: templates.map(({ name }) => name), skills: skills.map(({ name }) => name) };
    },
    channelFolder: layout.channelFolder,
    channelContext(name) {
      const found = adapter(name);
      return { adapter: name, users: found?.getUsers() ?? [], channels: found?.getChannels() ?? [] };
    },
    agentDefaults: agents.profileOf,
    queueModeOf: parts.queueModeOf,
    removeAuthProfile: (id) => authFile.update((data) => removeProfile(data, id)),
    settings: buildSettings(parts),
    reload: async () => formatReload(await config.reload()),
    restart(after) {
      if (parts.restart) return parts.restart(after);
      throw new AgentError("RESTART_UNAVAILABLE", "This mom was started for one command and cannot begin anew", {
        hint: "Start her again by hand.",
      });
    },
    readChangelog,
    async saveExport(channel, filename, text) {
      // Not in the workspace: a folder there may be a link that the agent has laid.
      const chat = createHash("sha256").update(`${channel.adapter}\n${channel.channelId}`).digest("hex").slice(0, 16);
      const folder = join(layout.exportsDir, chat);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, filename);
      await writeFileAtomic(path, text, { mode: 0o600 });
      return { path, filename };
    },
    status: parts.status,
  };
}

function buildSettings({ layout: { dataDir }, env, config, room }: CommandPortParts): CommandDeps["settings"] {
  const load = () => loadConfig(dataDir, { schema: configSchema, env });
  return {
    async read(path) {
      const loaded = await load();
      if (loaded.type === "invalid") throw buildInvalid(loaded.problems);
      const value = valueAt(
        redactConfig(loaded.config, loaded.secrets),
        path === undefined ? [] : parseConfigPath(path),
      );
      if (value !== undefined) return JSON.stringify(value, null, 2);
      throw new ConfigError("CONFIG_KEY_UNSET", `${path} is not set`, { hint: "`/settings` shows everything." });
    },
    async set(path, value) {
      const { text } = await load();
      const edited = await editConfigAsWritten(text, path, value, toParseDeps(dataDir, { schema: configSchema, env }));
      if (edited.type === "invalid") throw buildInvalid(edited.problems);
      if (edited.type === "ok" && edited.text !== text) await saveConfigText(dataDir, edited.text);
      const warnings = edited.type === "ok" ? edited.warnings.map(({ message, hint }) => `${message}. ${hint}`) : [];
      const reloaded = formatReload(await config.reload());
      const answering = await room.models.resolve();
      const model = answering.type === "unavailable" ? [`But no model answers now: ${answering.message}`] : [];
      return [reloaded, ...warnings, ...model].join("\n");
    },
  };
}

const buildInvalid = (problems: Parameters<typeof formatProblems>[0]) =>
  new ConfigError("CONFIG_INVALID", `The config would not be valid:\n${formatProblems(problems)}`);

function formatReload(result: ReloadResult): string {
  switch (result.type) {
    case "applied":
      return "The edited config is in use.";
    case "unchanged":
      return "The config says what is already in use.";
    case "closed":
      return "Mom is stopping; the config is read again at the next start.";
    case "invalid":
      return `The config is not valid, so the last good one stays in use:\n${formatProblems(result.problems)}`;
    case "rolled-back":
      return `The edited config did not work, so the last good one is in use again: ${result.reasons.join("; ")}`;
  }
}
