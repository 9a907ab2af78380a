/** `/login`: how it stands with the keys of the model providers. Keys are added on the host: a chat is logged, here and elsewhere. */

import { formatMoment } from "../base/format-values.ts";
import { pickNearest } from "../base/nearest.ts";
import type { Command } from "../contracts/command.ts";
import type { ProfileStatus, ProviderStatus } from "../contracts/model.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

export function buildLoginCommand({ models }: Pick<CommandDeps, "models">): Command {
  const command: Command = {
    name: "login",
    usage: "[provider]",
    summary: "the keys of model providers, and how to add one",
    adminOnly: true,
    immediate: true,
    async run({ args }) {
      // What stands behind a provider's name is most likely a key: it must not be said once more.
      if (/\s/.test(args)) {
        return "Keys do not belong into a chat, which is logged: if that was one, replace it at the provider. On the host, `mom auth add <provider>` asks for it.";
      }
      const all = await models.status();
      const shown = args === "" ? all : [pick(command, all, args)];
      const name = args === "" ? "<provider>" : (shown[0]?.name ?? "<provider>");
      return [
        ...(shown.length === 0 ? ["No model provider is known."] : shown.flatMap(formatProvider)),
        "",
        "Keys do not belong into a chat, which is logged. On the host:",
        `- \`mom auth add ${name}\` asks for an API key`,
        ...(args === "" || name === "anthropic" ? ["- `mom auth login anthropic` signs in with a subscription"] : []),
        "",
        "I see the new key with the next message. `/logout profile` removes one.",
      ].join("\n");
    },
  };
  return command;
}

function pick(command: Command, all: readonly ProviderStatus[], typed: string): ProviderStatus {
  const name = typed.toLowerCase();
  const found = all.find((provider) => provider.name.toLowerCase() === name);
  if (found) return found;
  const nearest = pickNearest(
    name,
    all.map((provider) => provider.name),
  );
  const guess = nearest === undefined ? "" : ` (did you mean ${toCode(nearest)}?)`;
  throw badArguments(command, `There is no provider ${toCode(typed, 60)}${guess}`);
}

function formatProvider({ name, usable, missing, profiles }: ProviderStatus): string[] {
  const state = usable ? "usable" : `not usable${missing === undefined ? "" : `: ${missing}`}`;
  return [`- ${toCode(name)}: ${state}`, ...profiles.map((profile) => `  - ${formatProfile(profile)}`)];
}

function formatProfile({ id, type, from, state, until, reason, coolingModels }: ProfileStatus): string {
  const time = until === undefined ? "" : ` until ${formatMoment(until)}`;
  const why = reason === undefined ? "" : ` (${toCode(reason, 100)})`;
  const models = coolingModels.map((each) => `${toCode(each.model)} until ${formatMoment(each.until)}`);
  const cooling = models.length > 0 ? `; cooling: ${models.join(", ")}` : "";
  return `${toCode(id)} ${type.replace("_", " ")} from ${from}: ${state}${time}${why}${cooling}`;
}
