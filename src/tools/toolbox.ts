/**
 * Opens the tools for a turn: operations confined to the session's folders, policy applied, behind the gate. Called by the
 * agent. What outlives a turn (background runs, browsers, questions to people) is kept here too, and follows the config.
 */
import { sep } from "node:path";
import { ToolError } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Hooks } from "../contracts/hook.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor, Operations } from "../contracts/sandbox.ts";
import type { SessionType } from "../contracts/session.ts";
import type { StandingOrders } from "../contracts/standing-order.ts";
import type { Outbox } from "../contracts/store.ts";
import type { Tool, Toolbox, ToolDecision, ToolScope } from "../contracts/tool.ts";
import type { ApprovalDesk } from "./approvals/create-approval-desk.ts";
import { loadTools } from "./catalog.ts";
import { checkToolNames, type NameSurroundings } from "./check-names.ts";
import type { ToolsConfig } from "./config.ts";
import { createDeclareTool } from "./declare-tool.ts";
import { findIdleTools, type ToolDoors } from "./doors.ts";
import type { HostTools } from "./host/host-tools.ts";
import { type ChatDirectory, findAdapter } from "./kit/chat-directory.ts";
import type { AskModel } from "./media/describe-image.ts";
import type { PassRequest, PassResult } from "./pass.ts";
import type { PolicyConfig } from "./policy/build-rules.ts";
import { createPolicy } from "./policy/create-policy.ts";
import { toPolicyInput } from "./policy/policy-input.ts";
import { denyByScopeExec } from "./policy/principal-exec.ts";
import { denyByOrders } from "./policy/standing-orders.ts";
import type { PolicyTool } from "./policy/tool-names.ts";
import type { SharedTools } from "./shared-tools.ts";

export interface ToolboxDependencies {
  executor: Executor;
  outbox: Outbox;
  /** Asked with every turn: they are made after the tools. */
  doors(): ToolDoors;
  clock: Clock;
  log: Log;
  standingOrders: StandingOrders;
  desk: ApprovalDesk;
  hooks: Pick<Hooks, "askTool" | "isHeard">;
  hostTools: HostTools;
  shared: SharedTools;
  directory: ChatDirectory;
  /** The platform's own tools for a turn in one of its chats (spec 2.6). `closed`: why the operator does not want it used. */
  channelTools(scope: ToolScope): readonly { tool: Tool; closed?: string }[];
  /** All of those, whatever adapters run: policies may name them. */
  knownChannelTools: readonly PolicyTool[];
  askModel(scope: ToolScope): AskModel;
  /** Where the tools of a turn work. */
  foldersOf(scope: ToolScope): Promise<ToolFolders>;
  /** What programs of some session can write; absolute. */
  agentFolders(): string[];
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
  /** Others than the owner ask. */
  isShared: boolean;
  /** Where the records of all chats lie: programs may read there, and write in this chat's own folder alone. */
  records: string[];
}

export interface ToolboxConfig extends PolicyConfig {
  tools: ToolsConfig;
  /** For looking over their names. */
  agents: NonNullable<NameSurroundings["agents"]>;
  /** Folders beside the workspace that the owner's tools may use. Absolute. */
  roots: string[];
  hasNetwork(sessionType: SessionType): boolean;
}

export function createToolbox(dependencies: ToolboxDependencies, config: ToolboxConfig): Toolbox {
  const { executor, outbox, clock, standingOrders, desk, hostTools, shared, foldersOf } = dependencies;
  const log = dependencies.log.with({ room: "tools" });
  const queue = createKeyedQueue();
  const policy = createPolicy(config);
  const declare = createDeclareTool();
  const isConfined = executor.mode !== "host";
  let loading: ReturnType<typeof loadOnce> | undefined;

  const loadOnce = async () => {
    const [loaded] = await Promise.all([loadTools(), hostTools.refresh()]);
    const tools = [...hostTools.list().map(toPolicyTool), ...dependencies.knownChannelTools];
    const around = { agents: config.agents, tools };
    for (const warning of await checkToolNames(config.tools, around)) log.warn(warning);
    return loaded;
  };
  const openOperations = async (scope: ToolScope, hasNetwork: boolean) => {
    const { cwd, roots, readOnly, scratch, isShared, records } = await foldersOf(scope);
    const isReadOnly = (path: string) => readOnly.some((folder) => path === folder || path.startsWith(folder + sep));
    const operations = executor.open({
      cwd,
      roots: isShared ? roots : [...roots, ...config.roots],
      readOnly,
      hidden: dependencies.hiddenPaths,
      hasNetwork,
      isShared,
      readOnlyInside: records,
      agentFolders: dependencies.agentFolders(),
      isSealed: (path) => isRecord(path) || isReadOnly(path),
    });
    return { operations, scratch };
  };
  const findSandbox = async () => {
    const { ok, detail, hint, filesOnly } = await executor.check();
    const reason = hint === undefined ? detail : `${detail}. ${hint}`;
    const lacking = { reason, hasFiles: filesOnly === true };
    return { mode: executor.mode, available: ok ? (true as const) : lacking, isConfined };
  };

  return {
    async open(scope) {
      loading ??= loadOnce();
      const [{ nativeTools, createToolSet }, parts, sandbox] = await Promise.all([
        loading,
        shared.get(),
        findSandbox(),
        hostTools.refresh(),
      ]);
      const { agentId, sessionId, sessionKey, type } = scope.session;
      const { principal } = scope;
      // Work on somebody's behalf has what both may have, and obeys the orders that both are under.
      const hasNetwork = config.hasNetwork(type) && (!principal || config.hasNetwork(principal.sessionType));
      const { operations: open, scratch } = await openOperations(scope, hasNetwork);
      const { available } = sandbox;
      const isOpen = available === true || available.hasFiles;
      const operations = isOpen ? open : closeOperations(open, available.reason);
      const custom = hostTools.list();
      const ofChannel = dependencies.channelTools(scope);
      const known: PolicyTool[] = [
        ...nativeTools,
        ...custom.map(toPolicyTool),
        ...ofChannel.map(({ tool }) => toChannelTool(tool.name, scope.adapterType)),
      ];
      const parties = [...new Set([agentId, principal?.agentId ?? agentId])];
      const listOrders = async () => (await Promise.all(parties.map((id) => standingOrders.list(id)))).flat();
      const typeOf = (adapter: string) => findAdapter(dependencies.directory, { adapter, channelId: "" })?.type;
      const byPolicy = policy.decide(known, toPolicyInput(scope, sandbox, typeOf));
      const byExec = denyByScopeExec(byPolicy, scope, config.tools.exec, (id) => config.agentTools(id)?.exec);
      const closed = new Map(ofChannel.map((each) => [each.tool.name, each.closed]));
      const decisions = denyByOrders(byExec, known, await listOrders()).map((each) => denyByGate(each, closed));
      const allowed = new Set(decisions.filter((each) => each.allowed).map(({ name }) => name));
      const usable = custom.filter(({ name }) => allowed.has(name));
      const context = {
        ...parts,
        operations,
        scope,
        clock,
        outbox,
        doors: dependencies.doors(),
        findOutside: () => desk.taintOf(scope.session, scope.isAdmin),
        directory: dependencies.directory,
        scratchFolder: scratch,
        queue,
        isConfined,
        hasNetwork,
        runs: parts.runs.of(sessionKey),
        hostTools,
        askModel: dependencies.askModel(scope),
        config: config.tools,
      };
      const idle = await findIdleTools(context.doors, scope);
      if (usable.length === 0) idle.add("invoke_tool");
      const { apiKey, baseUrl } = config.tools.web.search;
      if (apiKey === undefined && baseUrl === undefined) idle.add("web_search");
      const offered = nativeTools.filter(({ name }) => !idle.has(name));
      return createToolSet({
        tools: [...offered.map((tool) => tool.create(context)), ...ofChannel.map(({ tool }) => tool)],
        groups: known,
        decisions,
        hostTools: usable.map(({ name, description, parameters }) => ({ name, description, parameters })),
        ...(isConfined && { sandbox: { mode: executor.mode, hasNetwork } }),
        declare,
        async pass(request) {
          const passed = await desk.pass({ ...request, scope });
          return passed.type === "pass" ? askHooks(dependencies.hooks, scope, request) : passed;
        },
        mayHaveRun: (toolCallId) => desk.mayHaveRun(scope.turnId, toolCallId),
        noteOutside: (source) => desk.noteOutside(sessionId, source),
        queue,
        listOrders,
        log: log.with({ turn: scope.turnId }),
      });
    },
  };
}

/** The operator's scripts have the last word, after people. */
async function askHooks(
  hooks: ToolboxDependencies["hooks"],
  scope: ToolScope,
  request: PassRequest,
): Promise<PassResult> {
  if (!hooks.isHeard("tool:before")) return { type: "pass" };
  const { call, params, signal } = request;
  const { sessionKey } = scope.session;
  const told = { type: "tool:before", sessionKey, turnId: scope.turnId, tool: call.name, args: params } as const;
  const answer = await hooks.askTool(told, signal);
  if (answer.type === "go") return { type: "pass" };
  return { type: "refused", code: "HOOK_REFUSED", text: `A hook of the operator's refused it: ${answer.reason}` };
}

/** Without the sandbox that was asked for nothing here touches the machine, whichever tool tries. */
function closeOperations(operations: Operations, reason: string): Operations {
  const refuse = () => {
    const message = `Nothing is done on this machine: the sandbox cannot be had. ${reason}`;
    throw new ToolError("SANDBOX_UNAVAILABLE", message, { hint: "Tell the operator; `mom doctor` says more." });
  };
  return new Proxy(operations, { get: (target, name) => (name === "cwd" ? target.cwd : async () => refuse()) });
}

/** What policy knows of a platform's own tool. */
export const toChannelTool = (name: string, adapterType: string): PolicyTool => ({
  name,
  group: adapterType,
  origin: "channel",
  needsMachine: false,
});

/** `channels.<type>.actions` in the config. */
function denyByGate(decision: ToolDecision, closed: ReadonlyMap<string, string | undefined>): ToolDecision {
  const rule = closed.get(decision.name);
  if (!decision.allowed || rule === undefined) return decision;
  return { ...decision, allowed: false, removedBy: { layer: "channel", rule } };
}

const toPolicyTool = ({ name }: { name: string }): PolicyTool => ({ name, group: "host", origin: "host" });

/** `log.jsonl` and `context….jsonl` of a channel: written by the store alone, so that what they say is what was said. */
const isRecord = (path: string) =>
  /[\\/]channels[\\/](?:[^\\/]+[\\/]){2,}(?:log|context[^\\/]*)\.jsonl(?:\.torn)?$/.test(path);
