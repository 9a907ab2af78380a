/** `/think`: how much the model thinks before it answers in this conversation. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { refuseChange } from "./text/admin-change.ts";
import { pickChoice } from "./text/arguments.ts";
import { buildEntry, findRecorded } from "./transcript/new-entry.ts";

const choices = ["off", "low", "medium", "high", "default"] as const;

export function buildThinkCommand({
  sessions,
  agentDefaults,
  clock,
}: Pick<CommandDeps, "sessions" | "agentDefaults" | "clock">): Command {
  const command: Command = {
    name: "think",
    usage: `[${choices.join("|")}]`,
    summary: "show or choose how much the model thinks before it answers",
    async run({ session, isAdmin, args, steps, record }) {
      const refusal = refuseChange({ isAdmin, args }, "how much I think");
      if (refusal !== undefined) return refusal;
      const usual = agentDefaults(session.agentId).thinking;
      if (args === "") {
        const why = session.thinkingLevel === undefined ? "the default" : `chosen here; the default is ${usual}`;
        return `Thinking: **${session.thinkingLevel ?? usual}** (${why}). \`/think ${choices.join("|")}\` changes it.`;
      }
      const choice = pickChoice(command, args, choices);
      const level = choice === "default" ? usual : choice;
      if (!findRecorded(steps, "thinking_level_change")) {
        const entry = buildEntry({ type: "thinking_level_change", thinkingLevel: level }, clock.now());
        await record({ body: { type: "note" }, entries: [entry] });
      }
      await sessions.choose(session.sessionKey, { thinkingLevel: choice === "default" ? null : choice });
      return `Thinking from the next message on: **${level}**${choice === "default" ? " (the default)" : ""}.`;
    },
  };
  return command;
}
