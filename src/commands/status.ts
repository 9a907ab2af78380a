/** `/status`: how mom is, and how this conversation is answered, in a few lines. */
import { MomError } from "../base/errors.ts";
import { formatCost, formatCount } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { CommandDeps } from "./command-deps.ts";
import { formatFill } from "./context.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatDuration } from "./text/format-values.ts";

type Deps = Pick<CommandDeps, "status" | "models" | "agentDefaults" | "queueModeOf" | "agent" | "channelContext">;

export function buildStatusCommand(deps: Deps): Command {
  const command: Command = {
    name: "status",
    summary: "model, load and channels",
    immediate: true,
    async run({ session, turn, args }) {
      ensureNoArguments(command, args);
      const facts = await deps.status();
      const thinking = session.thinkingLevel ?? deps.agentDefaults(session.agentId).thinking;
      const queueMode = deps.queueModeOf(turn.adapter, session);
      // The command that asks is a turn too.
      const running = Math.max(0, facts.running - 1);
      return [
        `mom ${facts.version}, up ${formatDuration(facts.uptimeMs)}, ${Math.round(facts.memoryBytes / 2 ** 20)} MiB`,
        `- model: ${await describeModel(deps, session)}`,
        `- thinking: ${thinking}, queue: ${queueMode}, tool calls: ${session.isQuiet ? "hidden" : "shown"}`,
        `- context: ${await describeFill(deps, session, turn.adapter)}`,
        `- session: ${toCode(session.sessionKey)}, ${formatCount(session.totalTokens)} tokens, ${formatCost(session.cost)}`,
        `- turns: ${running} running, ${facts.waiting} waiting; ${facts.pendingPosts} posts to deliver`,
        `- channels: ${facts.adapters.map(({ name, state }) => `${toCode(name)} (${state})`).join(", ") || "none"}`,
        `- longest stall: ${Math.round(facts.worstStallMs)} ms`,
      ].join("\n");
    },
  };
  return command;
}

async function describeModel({ models, agentDefaults }: Deps, session: SessionEntry): Promise<string> {
  const { chosenModel } = session;
  const resolved = await models.resolve(chosenModel ?? agentDefaults(session.agentId).model);
  if (resolved.type === "unavailable") return `none (${resolved.message})`;
  return `${toCode(resolved.model.ref)}${chosenModel === undefined ? "" : " (chosen with `/model`)"}`;
}

/** A status is given also when the context cannot be put together: that is when it is asked for. */
async function describeFill({ agent, channelContext }: Deps, session: SessionEntry, adapter: string): Promise<string> {
  try {
    return formatFill(await agent.describeContext(session, channelContext(adapter)));
  } catch (error) {
    if (error instanceof MomError) return `unknown (${error.message})`;
    throw error;
  }
}
