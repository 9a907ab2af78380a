/**
 * The one gate: known, allowed, well-formed, then run. Every way to a tool leads through `run`, and what it lets through
 * is decided here again, whatever list the caller was shown.
 */
import { errorText, MomError } from "../base/errors.ts";
import type { KeyedQueue } from "../base/keyed-queue.ts";
import { pickNearest } from "../base/nearest.ts";
import type { Approval } from "../contracts/approval.ts";
import type { Log } from "../contracts/log.ts";
import type { ToolCall, ToolDeclaration } from "../contracts/model.ts";
import type { StandingOrder } from "../contracts/standing-order.ts";
import type { Tool, ToolDecision, ToolOutcome, ToolResult, ToolSet } from "../contracts/tool.ts";
import type { DeclareTool } from "./declare-tool.ts";
import { shortenLine } from "./kit/truncate.ts";
import type { PassRequest, PassResult } from "./pass.ts";
import { describeOrder, findOrderAgainst } from "./policy/standing-orders.ts";
import { normaliseToolName, type PolicyTool } from "./policy/tool-names.ts";
import { validateArguments } from "./validate-arguments.ts";

export interface ToolSetDependencies {
  tools: Tool[];
  /** Policy's names for the tools. */
  groups: readonly PolicyTool[];
  /** One per tool. A tool without one is not allowed. */
  decisions: ToolDecision[];
  /** Asked at every call: an order that comes in the middle of a turn counts at once. */
  listOrders(): Promise<StandingOrder[]>;
  /** Does policy let this call run as it is, or a person? Waits for the person. */
  declare: DeclareTool;
  pass(request: PassRequest): Promise<PassResult>;
  /** Asked after a crash: see `ToolSet.mayHaveRun`. */
  mayHaveRun(toolCallId: string): Promise<boolean>;
  /** Text from outside came into the context. Durable when it resolves. */
  noteOutside(source: string): Promise<void>;
  hostTools: ToolDeclaration[];
  sandbox?: { mode: string; hasNetwork: boolean };
  /** Shared by all turns, so that their writes wait for each other too. */
  queue: KeyedQueue;
  log: Log;
}

type OnApproval = NonNullable<Parameters<ToolSet["run"]>[3]>;

const maxDescriptionLength = 120;

export function createToolSet(dependencies: ToolSetDependencies): ToolSet {
  const { tools, groups, decisions, queue, listOrders, pass, noteOutside, hostTools, log } = dependencies;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const verdicts = new Map(decisions.map((decision) => [decision.name, decision]));
  const allowed = tools.filter((tool) => verdicts.get(tool.name)?.allowed === true);
  const allowedNames = allowed.map((tool) => tool.name);
  const find = (name: string) => byName.get(normaliseToolName(name));

  const findRefusal = (name: string): string | undefined => {
    const verdict = verdicts.get(name);
    if (verdict?.allowed === true) return undefined;
    const { layer, rule } = verdict?.removedBy ?? { layer: "gate", rule: "no decision was made about it" };
    return `The tool "${shortenLine(name, 80)}" is not allowed here (${layer}: ${rule}).`;
  };
  /** For what is behind a door: a name that nobody has was mistyped, not denied. */
  const findRefusalBehind = (name: string): string | undefined => {
    if (verdicts.has(name)) return findRefusal(name);
    const names = hostTools.map((tool) => tool.name);
    const nearest = pickNearest(name, names);
    const guess = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    return `There is no custom tool "${shortenLine(name, 80)}".${guess} There is: ${names.join(", ") || "none"}.`;
  };
  const findForbidden = async (tool: Tool, params: unknown): Promise<ToolOutcome | undefined> => {
    const orders = await listOrders();
    const recipients = tool.recipients?.(params) ?? [];
    for (const name of [tool.name, tool.actsAs?.(params)]) {
      if (name === undefined) continue;
      const named = groups.find((each) => each.name === name) ?? { name, group: "" };
      const order = findOrderAgainst(named, recipients, orders);
      if (order) {
        const text = `Not done: the owner has forbidden this by standing order ${describeOrder(order)}.`;
        return toErrorOutcome(text, "TOOL_REFUSED");
      }
    }
    return undefined;
  };

  const passWatched = async (request: Omit<PassRequest, "onApproval">, onApproval: OnApproval) => {
    let asked: Approval | undefined;
    const watch = (approval: Approval) => {
      asked = approval;
      onApproval(approval, "waiting");
    };
    try {
      return await pass({ ...request, onApproval: watch });
    } finally {
      if (asked) onApproval(asked, "over");
    }
  };

  const admit = (call: ToolCall): { type: "run"; tool: Tool; params: unknown } | { type: "refused"; text: string } => {
    const available = `Available: ${allowedNames.join(", ") || "none"}.`;
    const tool = find(call.name);
    if (tool === undefined) {
      const nearest = pickNearest(call.name, allowedNames);
      const guess = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
      return { type: "refused", text: `There is no tool "${shortenLine(call.name, 80)}".${guess} ${available}` };
    }
    const refusal = findRefusal(tool.name);
    if (refusal !== undefined) return { type: "refused", text: `${refusal} ${available}` };
    if (!isRecord(call.arguments)) {
      return { type: "refused", text: `The arguments of "${tool.name}" must be a JSON object.` };
    }
    const validated = validateArguments(tool.parameters, call.arguments);
    if (validated.type === "valid") {
      const really = tool.actsAs?.(validated.params);
      const hidden = really === undefined ? undefined : findRefusalBehind(really);
      if (hidden !== undefined) return { type: "refused", text: hidden };
      return { type: "run", tool, params: validated.params };
    }
    const problems = validated.problems.map((problem) => `- ${problem}`).join("\n");
    return { type: "refused", text: `The arguments of "${tool.name}" do not fit:\n${problems}` };
  };

  return {
    declarations: allowed.map(dependencies.declare),
    hostTools,
    ...(dependencies.sandbox && { sandbox: dependencies.sandbox }),
    decisions,
    effectOf(call) {
      const tool = find(call.name);
      return tool?.effectOf?.(call.arguments) ?? tool?.effect;
    },
    describe(call) {
      try {
        const admitted = admit(call);
        const text = admitted.type === "run" ? admitted.tool.describe(admitted.params) : call.name;
        return shortenLine(text.replace(/\s+/g, " "), maxDescriptionLength);
      } catch {
        return String(call.name);
      }
    },
    mayHaveRun: ({ id }) => dependencies.mayHaveRun(id),
    async run(call, signal, onUpdate, onApproval = () => undefined) {
      try {
        const admitted = admit(call);
        if (admitted.type === "refused") return toErrorOutcome(admitted.text, "TOOL_REFUSED");
        const { tool, params } = admitted;
        const forbidden = await findForbidden(tool, params);
        if (forbidden) return forbidden;
        const passed = await passWatched({ call, tool, params, signal }, onApproval);
        if (passed.type === "refused") return toErrorOutcome(passed.text, passed.code);
        // The owner may have forbidden it while somebody else was asked.
        const meanwhile = await findForbidden(tool, params);
        if (meanwhile) return meanwhile;
        const brought = tool.mayBring?.(params);
        if (brought !== undefined) await noteOutside(brought);
        const result = await runLocked(queue, (await tool.locks?.(params)) ?? [], async () => {
          signal.throwIfAborted();
          return runTool(tool, call.id, params, signal, onUpdate);
        });
        // Before the model sees it, so that no crash in between lets it act on what it read.
        if (result.outside !== undefined) await noteOutside(result.outside);
        return { content: result.content, details: result.details, isError: false };
      } catch (error) {
        if (signal.aborted) return toErrorOutcome(withHint(error), "ABORTED");
        if (error instanceof MomError) return toErrorOutcome(withHint(error), error.code);
        log.error("a tool failed unexpectedly", { tool: call.name, error });
        return toErrorOutcome(`The tool failed: ${errorText(error)}`, "TOOL_FAILED");
      }
    },
  };
}

/** Updates end with the call: a late one would show a finished tool as running. One that cannot be shown costs nothing. */
async function runTool(
  tool: Tool,
  toolCallId: string,
  params: unknown,
  signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
): Promise<ToolResult> {
  let isRunning = true;
  const update = (partial: ToolResult) => {
    try {
      if (isRunning) onUpdate(partial);
    } catch {
      isRunning = false;
    }
  };
  try {
    return await tool.execute(toolCallId, params, signal, update);
  } finally {
    isRunning = false;
  }
}

/** Takes the locks in one order for everybody, so that two calls never wait for each other. */
function runLocked<T>(queue: KeyedQueue, names: string[], task: () => Promise<T>): Promise<T> {
  const [first, ...rest] = [...new Set(names)].sort();
  if (first === undefined) return task();
  return queue.run(`lock:${first}`, () => runLocked(queue, rest, task));
}

function toErrorOutcome(text: string, code: string): ToolOutcome {
  return { content: [{ type: "text", text }], details: { code }, isError: true };
}

const withHint = (error: unknown) =>
  error instanceof MomError && error.hint !== undefined ? `${error.message}\n${error.hint}` : errorText(error);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
