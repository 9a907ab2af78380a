/** Takes a task: checked, named after the call that gave it, and put on the durable clock. */
import { ToolError } from "../../base/errors.ts";
import type { KeyedQueue } from "../../base/keyed-queue.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { Principal } from "../../contracts/errand.ts";
import type { SubagentRun, Subagents } from "../../contracts/subagent.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { toOneLine } from "../context/clean-text.ts";
import type { SubagentsConfig } from "./config.ts";
import type { RunBook } from "./run-book.ts";
import { nameCall, pickPrincipal, type SubagentData, source } from "./subagent-data.ts";
import type { SubagentDeps } from "./subagent-deps.ts";

type Task = Parameters<Subagents["spawn"]>[1];
type SpawnDeps = Pick<
  SubagentDeps,
  "due" | "scheduler" | "clock" | "sessionKeyOf" | "agents" | "isKnownModel" | "isPassing" | "taintOf"
> & { queue: KeyedQueue };

const maxTaskChars = 20_000;
const maxLabelChars = 60;
const mostWaiting = 20;
const longestRunSeconds = 24 * 3600;

export function createSpawn(deps: SpawnDeps, book: RunBook, config: () => SubagentsConfig): Subagents["spawn"] {
  const { due, scheduler, clock, queue } = deps;

  const build = async (scope: ToolScope, task: Task, runId: string): Promise<SubagentData> => {
    const principal = pickPrincipal(scope);
    if (deps.isPassing(principal.channel.adapter)) {
      throw new ToolError("CHAT_ENDS", "This chat ends with the command, so no findings could come back to it", {
        hint: "Do the task yourself, or ask in a chat that lasts, such as the terminal (`mom chat`).",
      });
    }
    const agentId = pickAgent(deps, task.agentId, principal, scope.session.agentId);
    await ensureModel(deps, task.model);
    const outside = await deps.taintOf(scope.session, scope.isAdmin);
    const label = toOneLine(task.label ?? "", maxLabelChars);
    const seconds = Math.min(longestRunSeconds, Math.max(1, task.runTimeoutSeconds ?? config().timeoutSeconds));
    const run: SubagentRun = {
      runId,
      sessionKey: deps.sessionKeyOf(agentId, runId),
      requester: scope.session.sessionKey,
      agentId,
      task: task.task.trim(),
      state: "waiting",
      createdAt: clock.now(),
      cleanup: task.cleanup ?? "keep",
      ...(label !== "" && { label }),
    };
    return {
      run,
      principal,
      isForErrand: scope.principal !== undefined,
      timeoutMs: seconds * 1000,
      turnsLeft: await book.takeTurn(scope.turnId, config().relayTurns),
      ...(task.model !== undefined && { model: task.model }),
      ...(task.thinking !== undefined && { thinking: task.thinking }),
      ...(outside !== undefined && { outside }),
    };
  };

  return async (scope, task) => {
    ensureTask(scope, task);
    const runId = nameCall(scope.turnId, task.callId);
    // One after the other: the same call twice is one, and none slips past the limit.
    return queue.run(`spawn ${scope.session.sessionKey}`, async () => {
      const known = await book.get(runId);
      if (known) return known.run;
      await ensureRoom(book, scope);
      const data = await build(scope, task, runId);
      await due.put({ source, id: runId, dueAt: clock.now(), data });
      scheduler.wake();
      return data.run;
    });
  };
}

function ensureTask({ session }: ToolScope, { task }: Task): void {
  if (session.type === "subagent") {
    throw new ToolError("SUBAGENT_NESTED", "A subagent sends no subagents", { hint: "Do the task yourself." });
  }
  if (task.trim() === "" || task.length > maxTaskChars) {
    throw new ToolError(
      "SUBAGENT_TASK_INVALID",
      `A task has 1 to ${maxTaskChars} characters, this has ${task.length}`,
      {
        hint: "Put long material into a file and name it in the task.",
      },
    );
  }
}

async function ensureRoom(book: RunBook, { session }: ToolScope): Promise<void> {
  const waiting = (await book.list(session.sessionKey)).filter(({ run }) => run.state === "waiting");
  if (waiting.length < mostWaiting) return;
  throw new ToolError("SUBAGENT_FULL", `${waiting.length} subagents of this conversation wait already`, {
    hint: "Wait for their findings, or stop some with /subagents stop.",
  });
}

/** Another agent has another workspace and other rules: only the owner's work may choose it. */
function pickAgent(
  deps: Pick<SubagentDeps, "agents">,
  wanted: string | undefined,
  { sessionType }: Principal,
  own: string,
): string {
  if (wanted === undefined || wanted === own) return own;
  if (sessionType !== "main") {
    throw new ToolError("SUBAGENT_AGENT_DENIED", "Only the owner's sessions may give work to another agent", {
      hint: "Leave agentId out.",
    });
  }
  const ids = deps.agents().map(({ id }) => id);
  if (ids.includes(wanted)) return wanted;
  const nearest = pickNearest(wanted, ids);
  throw new ToolError("SUBAGENT_AGENT_UNKNOWN", `There is no agent "${toOneLine(wanted, 60)}"`, {
    hint: nearest === undefined ? "agents_list shows the ones there are." : `Did you mean "${nearest}"?`,
  });
}

async function ensureModel({ isKnownModel }: Pick<SubagentDeps, "isKnownModel">, model: string | undefined) {
  if (model === undefined || (await isKnownModel(model))) return;
  throw new ToolError("SUBAGENT_MODEL_UNKNOWN", `There is no model "${toOneLine(model, 100)}" to ask`, {
    hint: "Leave model out, or name one that /model lists.",
  });
}
