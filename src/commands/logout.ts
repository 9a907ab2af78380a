/** `/logout`: takes a key or login out of `auth.json`. */
import { pickNearest } from "../base/nearest.ts";
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

export function buildLogoutCommand({
  models,
  removeAuthProfile,
}: Pick<CommandDeps, "models" | "removeAuthProfile">): Command {
  const command: Command = {
    name: "logout",
    usage: "<profile>",
    summary: "remove a key or login of a model provider",
    adminOnly: true,
    immediate: true,
    async run({ args, turn }) {
      if (args === "") throw badArguments(command, "Say which profile; `/login` lists them");
      const profiles = (await models.status()).flatMap((provider) => provider.profiles);
      const profile = profiles.find(({ id }) => id === args);
      if (profile && profile.from !== "auth.json") {
        return `${toCode(args)} comes from the ${profile.from}, so I cannot remove it: take it out there.`;
      }
      const isRemoved = await removeAuthProfile(args);
      // An attempt that was cut off may have removed it.
      if (isRemoved || turn.attempt > 1) return `${toCode(args)} is removed; it is not used any more.`;
      const nearest = pickNearest(
        args,
        profiles.map(({ id }) => id),
      );
      const guess = nearest === undefined ? "" : ` (did you mean ${toCode(nearest)}?)`;
      throw badArguments(command, `There is no profile ${toCode(args, 100)}${guess}; \`/login\` lists them`);
    },
  };
  return command;
}
