/** Tools with what they stand on: the executor, the desk for approvals, custom tools, what turns share. Follows the config. */
import { createHooks } from "../automation/index.ts";
import { listChannelTools } from "../channels/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Hooks } from "../contracts/hook.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { Executor } from "../contracts/sandbox.ts";
import type { Outbox, Store } from "../contracts/store.ts";
import type { Toolbox, ToolScope } from "../contracts/tool.ts";
import { createHostExecutor, loadPrograms } from "../sandbox/index.ts";
import { mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import {
  type ApprovalDesk,
  type AskModel,
  type ChatDirectory,
  createApprovalDesk,
  createHostTools,
  createSharedTools,
  createToolbox,
  customToolRoots,
  type HostTools,
  isListed,
  isOwnName,
  pickScopeExec,
  type ToolboxDependencies,
  type ToolDoors,
  type ToolFolders,
  toChannelTool,
} from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { createExecutor } from "./create-executor.ts";
import { keepCustomTools } from "./custom-tools.ts";
import { createAgentProgramFinder } from "./suggest-rules.ts";
import { createSwitch } from "./switch.ts";

export interface ToolRoom {
  readonly toolbox: Toolbox;
  readonly desk: ApprovalDesk;
  readonly hostTools: HostTools;
  /** Scripts of the operator's that are told what happens. */
  readonly hooks: Hooks;
  /** Ends the programs that the session has left running in the background. */
  endRuns(sessionKey: SessionKey): Promise<void>;
  /** Calls that wait for a person now: their turns take up no room. */
  waiting(): number;
  follow(next: MomConfig): Promise<void>;
  close(): Promise<void>;
}

/** What the whole house shares, for the rooms around the agent. */
export interface HouseParts {
  layout: ReturnType<typeof buildLayout>;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  store: Store;
  /** Asked with every turn. */
  doors(): ToolDoors;
  config: MomConfig;
  directory: ChatDirectory;
  channelTools: ToolboxDependencies["channelTools"];
  /** Something lies in the outbox. */
  onPosted(): void;
  /** A call has begun to wait for a person. */
  onWaiting(): void;
  /** Nothing is to be started: somebody only looks. Then there are no custom tools. */
  isOnlyLooking?: boolean;
}

interface ToolRoomParts extends HouseParts {
  homeDir: string;
  foldersOf(scope: ToolScope): Promise<ToolFolders>;
  /** Folders that agents can write. Absolute. */
  agentFolders(): string[];
  askModel(scope: ToolScope): AskModel;
}

const lookEveryMs = 5000;

export async function createToolRoom(parts: ToolRoomParts): Promise<ToolRoom> {
  const { layout, env, clock, log, store, homeDir } = parts;
  const { dataDir, stateDir } = layout;
  let current = parts.config;
  let executor = await createExecutor({ dataDir, env, clock, log }, current.sandbox);

  const outbox: Outbox = {
    ...store.outbox,
    // What a tool says leaves at once, not with the end of the turn.
    async post(deliveries) {
      await store.outbox.post(deliveries);
      parts.onPosted();
    },
  };
  const desk = createApprovalDesk({
    approvals: store.approvals,
    kv: store.kv,
    outbox,
    clock,
    log,
    render: (channel, markdown) =>
      parts.directory
        .adapters()
        .find(({ name }) => name === channel.adapter)
        ?.render(markdown),
    ownerChat: (agentId) =>
      findOwnerChat(store, agentId, (adapter) => parts.directory.adapters().some(({ name }) => name === adapter)),
    isConfined: () => executor.mode !== "host",
    findProgram: (program) =>
      createAgentProgramFinder({ env, mode: executor.mode, agentFolders: parts.agentFolders })(program),
    policyOf(scope, names) {
      const { tools, security, agents } = current;
      const execOf = (agentId: string) => (agents[agentId] ?? agents[mainAgentId])?.tools?.exec;
      return {
        exec: pickScopeExec(scope, tools.exec, execOf),
        isMarked: names.some((name) => isListed(name, tools.approve)),
        untrusted: security.untrusted,
        timeoutMs: tools.exec.timeoutSeconds * 1000,
      };
    },
  });
  let waiting = 0;
  const countedDesk: ApprovalDesk = {
    ...desk,
    async pass(request) {
      let isWaiting = false;
      const onApproval: typeof request.onApproval = (approval) => {
        if (!isWaiting) waiting++;
        isWaiting = true;
        request.onApproval(approval);
        parts.onWaiting();
      };
      try {
        return await desk.pass({ ...request, onApproval });
      } finally {
        if (isWaiting) waiting--;
      }
    },
  };
  // Custom tools are the operator's own programs: they run on the host, whatever confines the agent's.
  const own = createHostExecutor({ clock, log, programs: await loadPrograms(), environment: env });
  const { exec } = own.open({ cwd: dataDir, roots: ["/"], hidden: [] });
  const hooks = createHooks({ exec, log, agentFolders: parts.agentFolders }, () => current.hooks.scripts);
  const hostTools = createHostTools({
    dataDir,
    closedPaths: [layout.configPath, layout.authPath, stateDir],
    roots: parts.isOnlyLooking ? [] : customToolRoots(dataDir, homeDir),
    ...(!parts.isOnlyLooking && { onChange: (tools) => keepCustomTools(store.kv, tools) }),
    agentFolders: parts.agentFolders,
    isTaken: isOwnName,
    isDisabled: (name) => current.tools.host.disabled.includes(name),
    exec,
    clock,
    log,
  });
  const shared = createSharedTools({ clock, log, stateDir, environment: env }, current.tools);
  const build = (config: MomConfig, on: Executor) =>
    createToolbox(
      {
        executor: on,
        outbox,
        doors: parts.doors,
        clock,
        log,
        standingOrders: store.standingOrders,
        desk: countedDesk,
        hooks,
        hostTools,
        shared,
        directory: parts.directory,
        channelTools: parts.channelTools,
        knownChannelTools: listChannelTools().map(({ name, type }) => toChannelTool(name, type)),
        askModel: parts.askModel,
        foldersOf: parts.foldersOf,
        agentFolders: parts.agentFolders,
        hiddenPaths: layout.hostOnlyPaths,
      },
      {
        tools: config.tools,
        agents: config.agents,
        agentTools: (agentId) => (config.agents[agentId] ?? config.agents[mainAgentId])?.tools,
        modelAliases: config.models.aliases,
        roots: config.sandbox.roots,
        hasNetwork: (type) => config.sandbox.network[type],
      },
    );
  const toolbox = createSwitch<Toolbox>(build(current, executor));
  let cancelLook = () => {};
  /** Custom tools follow their files, whether somebody talks to mom or not. */
  const look = () => {
    void hostTools.refresh();
    cancelLook = clock.after(lookEveryMs, look);
  };
  const begun = parts.isOnlyLooking ? undefined : hostTools.start().then(look);
  return {
    toolbox: toolbox.port,
    desk,
    hostTools,
    hooks,
    waiting: () => waiting,
    endRuns: shared.endRuns,
    async follow(next) {
      const before = { executor, sandbox: current.sandbox };
      current = next;
      if (JSON.stringify(before.sandbox) !== JSON.stringify(next.sandbox)) {
        executor = await createExecutor({ dataDir, env, clock, log }, next.sandbox);
      }
      await shared.follow(next.tools);
      toolbox.use(build(next, executor));
      if (before.executor !== executor) await before.executor.close();
    },
    async close() {
      await begun;
      cancelLook();
      await hooks.close();
      await shared.close();
      await hostTools.close();
      await own.close();
      await executor.close();
    },
  };
}

/** Where the owner last spoke with this agent, else with any, of the chats that can be reached now. */
async function findOwnerChat(
  store: Store,
  agentId: string,
  isUp: (adapter: string) => boolean,
): Promise<ChannelRef | undefined> {
  const sessions = (await store.sessions.list()).filter(
    ({ type, lastChannel }) => type === "main" && isUp(lastChannel.adapter),
  );
  const newest = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
  return (newest.find((session) => session.agentId === agentId) ?? newest[0])?.lastChannel;
}
