/** Opens the tools for a turn: operations confined to the workspace, policy applied, behind the gate. Called by the agent. */
import { join } from "node:path";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { Executor } from "../contracts/sandbox.ts";
import type { Scheduler } from "../contracts/schedule.ts";
import type { SessionType } from "../contracts/session.ts";
import type { Outbox } from "../contracts/store.ts";
import type { Toolbox, ToolDecision } from "../contracts/tool.ts";
import { loadTools } from "./catalog.ts";
import { checkToolNames } from "./check-names.ts";
import type { ToolsConfig } from "./config.ts";
import { decideTools } from "./policy/decide-tools.ts";

export interface ToolboxDependencies {
  executor: Executor;
  outbox: Outbox;
  scheduler: Scheduler;
  clock: Clock;
  log: Log;
  /** Absolute. The working folder of every tool. */
  workspaceDir: string;
  /** A chat's folder, relative to the workspace. */
  channelFolder(channel: ChannelRef): string;
  /** Absolute: configuration, credentials, state. Closed to tools even inside the workspace. */
  hiddenPaths: string[];
}

export interface ToolboxConfig extends ToolsConfig {
  /** Folders beside the workspace that tools may use. Absolute. */
  roots: string[];
}

export function createToolbox(dependencies: ToolboxDependencies, config: ToolboxConfig): Toolbox {
  const { executor, outbox, scheduler, clock, workspaceDir, channelFolder, hiddenPaths } = dependencies;
  const log = dependencies.log.with({ room: "tools" });
  const queue = createKeyedQueue();
  /** The session type is all that a decision depends on, beside the configuration. */
  const decided = new Map<SessionType, ToolDecision[]>();
  let loading: ReturnType<typeof loadOnce> | undefined;

  const loadOnce = async () => {
    const loaded = await loadTools();
    for (const warning of await checkToolNames(config)) log.warn(warning);
    return loaded;
  };

  return {
    async open(scope) {
      loading ??= loadOnce();
      const { nativeTools, createToolSet } = await loading;
      const sessionType = scope.session.type;
      const decisions = decided.get(sessionType) ?? decideTools(nativeTools, { config, sessionType });
      decided.set(sessionType, decisions);
      const operations = executor.open({
        cwd: workspaceDir,
        roots: [workspaceDir, ...config.roots],
        hidden: hiddenPaths,
        isSealed: isRecord,
      });
      const scratchFolder = join(channelFolder(scope.channel), "scratch");
      const context = { operations, scope, clock, outbox, scheduler, scratchFolder, queue };
      const tools = nativeTools.map((tool) => tool.create(context));
      return createToolSet({ tools, decisions, queue, log: log.with({ turn: scope.turnId }) });
    },
  };
}

/** `log.jsonl` and `context….jsonl` of a channel: written by the store alone, so that what they say is what was said. */
const isRecord = (path: string) =>
  /[\\/]channels[\\/](?:[^\\/]+[\\/]){2,}(?:log|context[^\\/]*)\.jsonl(?:\.torn)?$/.test(path);
