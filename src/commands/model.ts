/** `/model`: which model answers in this conversation. */

import { formatCount } from "../base/format-values.ts";
import type { Command } from "../contracts/command.ts";
import type { ModelInfo } from "../contracts/model.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { CommandDeps } from "./command-deps.ts";
import { refuseChange } from "./text/admin-change.ts";
import { badArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

type Deps = Pick<CommandDeps, "models" | "sessions" | "agentDefaults">;

/** A provider may have hundreds. */
const mostShown = 30;

export function buildModelCommand(deps: Deps): Command {
  const { models, sessions, agentDefaults } = deps;
  const command: Command = {
    name: "model",
    usage: "[name|default]",
    summary: "show or choose the model that answers here",
    async run({ session, isAdmin, args }) {
      const refusal = refuseChange({ isAdmin, args }, "the model");
      if (refusal !== undefined) return refusal;
      if (args === "") return show(deps, session);
      if (/\s/.test(args)) throw badArguments(command, "The name of a model has no spaces");
      const isDefault = args.toLowerCase() === "default";
      const wanted = isDefault ? agentDefaults(session.agentId).model : args;
      const resolved = await models.resolve(wanted);
      if (resolved.type === "unavailable" && !isDefault) return `${resolved.message} The model stays as it was.`;
      await sessions.choose(session.sessionKey, { chosenModel: isDefault ? null : args });
      if (resolved.type === "unavailable") return `The choice is taken back. ${resolved.message}`;
      const { ref } = resolved.model;
      if (isDefault) return `From the next message on, the default answers here again: ${toCode(ref)}.`;
      const alias = ref === args ? "" : ` (${toCode(args, 80)})`;
      return `From the next message on, ${toCode(ref)}${alias} answers here. \`/model default\` takes that back.`;
    },
  };
  return command;
}

async function show({ models, agentDefaults }: Deps, session: SessionEntry): Promise<string> {
  const defaults = agentDefaults(session.agentId);
  const resolved = await models.resolve(session.chosenModel ?? defaults.model);
  const now = resolved.type === "model" ? toCode(resolved.model.ref) : `none. ${resolved.message}`;
  const why = session.chosenModel === undefined ? "the default" : `chosen here as ${toCode(session.chosenModel, 80)}`;
  const aliases = Object.entries(models.aliases());
  const all = await models.list();
  const ref = resolved.type === "model" ? resolved.model.ref : undefined;
  return [
    `Answers here: ${now} (${why})`,
    ...(defaults.fallbacks.length > 0
      ? [`If it fails: ${defaults.fallbacks.map((each) => toCode(each)).join(", ")}`]
      : []),
    "",
    ...(aliases.length > 0
      ? ["Short names:", ...aliases.map(([name, to]) => `- ${toCode(name)} = ${toCode(to)}`), ""]
      : []),
    "To choose from:",
    ...all.slice(0, mostShown).map((model) => formatModel(model, ref)),
    ...(all.length > mostShown
      ? [`- … and ${all.length - mostShown} more; \`mom models list\` on the host shows all`]
      : []),
    "",
    "`/model name` chooses one, `/model default` goes back.",
  ].join("\n");
}

function formatModel(model: ModelInfo, present: string | undefined): string {
  const traits = [
    `${formatCount(model.contextWindow)} tokens`,
    ...(model.reasoning ? ["thinks"] : []),
    ...(model.input.includes("image") ? ["sees images"] : []),
    `$${model.price.input}/$${model.price.output} per million`,
  ];
  return `- ${toCode(model.ref)} ${traits.join(", ")}${model.ref === present ? " ← answers now" : ""}`;
}
