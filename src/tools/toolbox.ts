/** Opens the tools for a turn: operations confined to the workspace, policy applied, behind the gate. Called by the agent. */
import { sep } from "node:path";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor } from "../contracts/sandbox.ts";
import type { Scheduler } from "../contracts/schedule.ts";
import type { StandingOrders } from "../contracts/standing-order.ts";
import type { Outbox } from "../contracts/store.ts";
import type { Toolbox, ToolDecision, ToolScope } from "../contracts/tool.ts";
import { loadTools } from "./catalog.ts";
import { checkToolNames } from "./check-names.ts";
import type { AgentToolsConfig, ToolsConfig } from "./config.ts";
import { decideTools } from "./policy/decide-tools.ts";
import { denyByOrders } from "./policy/standing-orders.ts";

export interface ToolboxDependencies {
  executor: Executor;
  outbox: Outbox;
  scheduler: Scheduler;
  clock: Clock;
  log: Log;
  standingOrders: StandingOrders;
  /** Where the tools of a turn work. */
  foldersOf(scope: ToolScope): Promise<ToolFolders>;
  /** Absolute: configuration, credentials, state. Closed to tools even inside the workspace. */
  hiddenPaths: string[];
}

export interface ToolFolders {
  /** Absolute, like the rest: what relative paths start from. */
  cwd: string;
  /** What tools may use. */
  roots: string[];
  /** What they may only read: skills that lie outside the workspace. */
  readOnly: string[];
  /** For files that tools keep beside their answers; relative to `cwd` or absolute. */
  scratch: string;
}

export interface ToolboxConfig extends ToolsConfig {
  /** Folders beside the workspace that tools may use. Absolute. */
  roots: string[];
  /** What an agent has of its own. */
  agentTools(agentId: string): AgentToolsConfig | undefined;
}

export function createToolbox(dependencies: ToolboxDependencies, config: ToolboxConfig): Toolbox {
  const { executor, outbox, scheduler, clock, standingOrders, foldersOf, hiddenPaths } = dependencies;
  const log = dependencies.log.with({ room: "tools" });
  const queue = createKeyedQueue();
  /** Session type and agent are all that a decision depends on, beside the configuration and standing orders. */
  const decided = new Map<string, ToolDecision[]>();
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
      const { type: sessionType, agentId } = scope.session;
      const key = `${sessionType} ${agentId}`;
      const byPolicy =
        decided.get(key) ?? decideTools(nativeTools, { config, agent: config.agentTools(agentId), sessionType });
      decided.set(key, byPolicy);
      const listOrders = () => standingOrders.list(agentId);
      const { cwd, roots, readOnly, scratch } = await foldersOf(scope);
      const isReadOnly = (path: string) => readOnly.some((folder) => path === folder || path.startsWith(folder + sep));
      const operations = executor.open({
        cwd,
        roots: [...roots, ...readOnly, ...config.roots],
        hidden: hiddenPaths,
        isSealed: (path) => isRecord(path) || isReadOnly(path),
      });
      const context = { operations, scope, clock, outbox, scheduler, scratchFolder: scratch, queue };
      const tools = nativeTools.map((tool) => tool.create(context));
      const decisions = denyByOrders(byPolicy, nativeTools, await listOrders());
      return createToolSet({
        tools,
        groups: nativeTools,
        decisions,
        queue,
        listOrders,
        log: log.with({ turn: scope.turnId }),
      });
    },
  };
}

/** `log.jsonl` and `context….jsonl` of a channel: written by the store alone, so that what they say is what was said. */
const isRecord = (path: string) =>
  /[\\/]channels[\\/](?:[^\\/]+[\\/]){2,}(?:log|context[^\\/]*)\.jsonl(?:\.torn)?$/.test(path);
